from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryRuns
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.usecases.dispatching.send import OVERDUE, RESEND_AFTER
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.upkeep.sweep import AT_ONCE, SWEEP_EVERY, SWEPT_HOURS, sweep
from tests.unit.domain.examples import KEY, SECOND, at, run
from tests.unit.usecases.stage import FOREVER, Port, Stage

HOUR = timedelta(hours=1)


@pytest.fixture
def stage() -> Stage:
    """The first sweep of the hour: the hours from 10, 8 and so on are looked at too."""
    stage = Stage("11:01:15.250")
    stage.state.namespaces.add("shop")
    return stage


def swept(stage: Stage, *runs: Run, time_left: timedelta = FOREVER) -> Sequence[RunKey]:
    stage.state.runs.update({one.key: one for one in runs})
    return sweep(stage.ports, time_left=lambda: time_left)


def test_a_run_that_did_not_begin_is_resent(stage: Stage) -> None:
    forgotten = run("10:15")
    assert swept(stage, forgotten) == [forgotten.key]
    assert stage.state.messages == [Message(run=forgotten.key, attempt=1, target="http", not_before=stage.now)]
    assert stage.run("10:15").resent_at == stage.now
    assert stage.run("10:15").state is RunState.QUEUED, "the sweep decides nothing"


def test_a_dead_workers_run_is_sent_again_as_its_next_attempt(stage: Stage) -> None:
    swept(stage, run("10:15", state=RunState.RUNNING, attempt=2, nonce="dead", lease_until=at("10:20")))
    assert [message.attempt for message in stage.state.messages] == [3]


@pytest.mark.parametrize("state", [state for state in RunState if state.finished])
def test_runs_that_have_ended_are_left_alone(stage: Stage, state: RunState) -> None:
    assert swept(stage, run("10:15", state=state)) == []


LAST_SIGNS = {
    "its instant": run("10:59", claimed_at=at("08:00")),
    "its claim": run("10:15", claimed_at=at("10:59")),
    "the end of its lease": run("10:15", state=RunState.RUNNING, attempt=1, nonce="dead", lease_until=at("10:59")),
}


@pytest.mark.parametrize("sign", LAST_SIGNS)
def test_a_run_has_two_minutes_from_its_last_sign_of_life(stage: Stage, sign: str) -> None:
    forgotten = LAST_SIGNS[sign]
    stage.now = at("11:01") - SECOND / 1000
    assert swept(stage, forgotten) == []
    stage.now = at("11:01")
    assert swept(stage, forgotten) == [forgotten.key]
    assert timedelta(minutes=2) == OVERDUE


@pytest.mark.parametrize("second", range(0, 120, 13))
def test_a_run_that_did_not_begin_is_found_within_minutes(second: int) -> None:
    stage = Stage("11:30:00")
    stage.state.namespaces.add("shop")
    stage.now += second * SECOND
    found = [sweep(stage.ports, time_left=lambda: FOREVER)]
    stage.state.runs[run("11:30").key] = run("11:30")
    for _ in range(3):
        stage.now += SWEEP_EVERY
        found.append(sweep(stage.ports, time_left=lambda: FOREVER))
    assert [list(keys) for keys in found if keys] == [[run("11:30").key]], "once, however the sweeps lie"


def test_a_late_sweep_misses_nothing(stage: Stage) -> None:
    stage.now = at("11:34:59")
    assert swept(stage, run("11:30")) == [run("11:30").key]


def test_a_resent_run_is_left_alone_for_a_while(stage: Stage) -> None:
    stage.now = at("11:00:30")
    assert swept(stage, run("10:15", resent_at=stage.now - RESEND_AFTER + SECOND)) == []
    assert swept(stage, run("10:15", resent_at=stage.now - RESEND_AFTER)) == [run("10:15").key]


def test_a_run_is_swept_at_most_once_an_interval(stage: Stage) -> None:
    assert len(swept(stage, run("10:15"))) == 1
    assert swept(stage) == []


@pytest.mark.parametrize("age", range(14))
def test_an_hour_is_swept_again_at_later_ages(stage: Stage, age: int) -> None:
    stage.now = at("10:01") + age * HOUR
    first, last = run("10:00"), run("10:58:59")
    assert sorted(swept(stage, first, last)) == ([first.key, last.key] if age in SWEPT_HOURS and age else [])


@pytest.mark.parametrize("age", SWEPT_HOURS)
def test_the_last_sweep_of_an_hour_is_a_week_later(stage: Stage, age: int) -> None:
    stage.now = at("10:01") + age * HOUR
    assert swept(stage, run("10:00")) == [run("10:00").key]
    assert max(SWEPT_HOURS) * HOUR == timedelta(days=7)


def test_every_namespace_is_swept(stage: Stage) -> None:
    stage.state.namespaces.add("bank")
    bank = run("10:15", key=RunKey.scheduled(JobKey(namespace="bank", name="x"), at("10:15")))
    unknown = run("10:15", key=RunKey.scheduled(JobKey(namespace="nowhere", name="x"), at("10:15")))
    assert set(swept(stage, run("10:15"), bank, unknown)) == {bank.key, run("10:15").key}


def test_a_triggered_run_is_swept_too(stage: Stage) -> None:
    asked_for = run(key=RunKey.triggered(KEY, at("10:15"), "k"), claimed_at=at("10:15"))
    assert swept(stage, asked_for) == [asked_for.key]


def test_the_process_that_marks_a_run_first_sends_it(stage: Stage) -> None:
    marked = run("10:15", resent_at=stage.now - SECOND)
    stage.runs.before("move", lambda: stage.state.runs.update({marked.key: marked}))
    assert swept(stage, run("10:15")) == []
    assert stage.state.messages == []


@pytest.mark.parametrize("failing", [("runs", "move"), ("outbox", "send")])
def test_a_run_that_cannot_be_sent_stops_no_other(stage: Stage, failing: tuple[str, str]) -> None:
    port, method = failing
    getattr(stage, port).fails(method)
    assert swept(stage, run("10:15"), run("10:16")) == [run("10:16").key]


def test_a_message_that_the_queue_refuses_is_not_counted_as_sent(stage: Stage) -> None:
    stage.picky.refuses = lambda message: True
    assert swept(stage, run("10:15")) == []


def test_a_sweep_that_is_short_of_time_stops(stage: Stage) -> None:
    assert swept(stage, run("10:15"), time_left=timedelta(seconds=9)) == []
    assert swept(stage, time_left=timedelta(seconds=10)) == [run("10:15").key]


def test_one_unreadable_run_does_not_end_the_sweep(stage: Stage) -> None:
    stage.state.namespaces.add("bank")
    bad = run("10:15", key=RunKey.scheduled(JobKey(namespace="bank", name="x"), at("10:15")))
    stage.runs.refuses("look", lambda keys: bad.key in keys)
    assert swept(stage, bad, run("10:15")) == [run("10:15").key]


def test_a_page_of_many_runs_to_send_is_left_when_the_time_is_over(stage: Stage) -> None:
    """A page of the index names some ten thousand; after an outage of workers nearly all of them are to be sent again."""
    overdue = [run(f"10:15:{second:02}") for second in range(30)]
    stage.state.runs.update({one.key: one for one in overdue})
    sent_again = sweep(stage.ports, time_left=lambda: (20 - len(stage.state.messages)) * SECOND)
    assert len(sent_again) == len(stage.state.messages) == 11, "down to the ten seconds that are kept"
    assert [run.key for run in stage.state.runs.values() if run.resent_at] == sent_again
    assert len(swept(stage)) == 19, "the next sweep goes on"


def test_recent_runs_of_all_namespaces_come_first(stage: Stage) -> None:
    """The older hours of one namespace may take all the time there is."""
    stage.state.namespaces.add("bank")
    lately = [
        run(key=RunKey.scheduled(JobKey(namespace=namespace, name="x"), at("10:58"))) for namespace in ("bank", "shop")
    ]
    old = [run(f"10:15:{second:02}") for second in range(30)]
    old += [run(key=RunKey.scheduled(JobKey(namespace="bank", name="x"), one.key.scheduled_for)) for one in old]
    stage.state.runs.update({one.key: one for one in [*old, *lately]})
    sent_again = sweep(stage.ports, time_left=lambda: (12 - len(stage.state.messages)) * SECOND)
    assert {one.key for one in lately} < set(sent_again)
    assert len(sent_again) == 3


def test_a_long_page_is_read_in_batches_with_a_check_of_the_time_between_them(stage: Stage) -> None:
    finished = [run(f"10:{n // 60:02}:{n % 60:02}", state=RunState.SUCCEEDED) for n in range(3 * AT_ONCE)]
    stage.state.runs.update({one.key: one for one in finished})
    runs = Port(MemoryRuns(stage.state, page_size=1000))
    sweep(stage.ports._replace(runs=runs), time_left=lambda: (11 - runs.calls["look"]) * SECOND)
    assert runs.calls["look"] == 2
