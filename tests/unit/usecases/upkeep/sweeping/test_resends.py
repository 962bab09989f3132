"""Which runs a sweep sends again, when, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from minutehand.adapters.memory import MemoryRuns
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.dispatching.send import OVERDUE
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.upkeep.sweep import resend_wait, sweep
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, run
from tests.unit.usecases.stage import FOREVER, Stage
from tests.unit.usecases.upkeep.sweeping.sweeps import DAY, put, sweeps, swept


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
    assert stage.state.watchlists == set()


LAST_SIGNS = {
    "its instant": run("11:00", claimed_at=at("08:00")),
    "its claim": run("10:15", claimed_at=at("11:00")),
    "the end of its lease": run("10:15", state=RunState.RUNNING, attempt=1, nonce="dead", lease_until=at("11:00")),
}


@pytest.mark.parametrize("second", range(0, 60, 7))
@pytest.mark.parametrize("sign", LAST_SIGNS)
def test_an_overdue_run_is_found_within_a_minute(stage: Stage, sign: str, second: int) -> None:
    """However the sweeps lie, and whatever it is that became overdue at 11:01."""
    stage.now = at("10:57") + second * SECOND
    swept(stage, LAST_SIGNS[sign])
    (clock, key), *_ = sweeps(stage, until=at("11:05"))
    assert key == LAST_SIGNS[sign].key
    assert "11:01:00" <= clock < "11:02:02"


@pytest.mark.parametrize("early", [0, 5, 15])
def test_sweeps_that_start_early_or_late_forget_nothing(stage: Stage, early: int) -> None:
    stage.now = at("11:00:30")
    swept(stage, run("10:15", state=RunState.WAITING, attempt=1, lease_until=at("11:05")))
    found = []
    for turn in range(10):
        stage.now = at("11:01:30") + turn * MINUTE + (early if turn % 2 else -early) * SECOND
        found += [(stage.now, key) for key in swept(stage)]
    (when, _), *_ = found
    assert at("11:06") <= when <= at("11:07:15")


def test_the_next_attempt_of_a_run_that_was_running_is_found_too(stage: Stage) -> None:
    """A worker ended its attempt long before its lease, and the message of the retry was lost."""
    running = run("11:00", state=RunState.RUNNING, attempt=1, nonce="n", lease_until=at("11:14"))
    stage.now = at("11:01:30")
    assert swept(stage, running) == []
    put(stage, replace(running, state=RunState.RETRYING, retry_at=at("11:02"), lease_until=None))
    assert sweeps(stage, until=at("11:10"))[0][0] == "11:03:30"


def test_a_run_whose_messages_are_lost_again_and_again_is_sent_after_growing_waits(stage: Stage) -> None:
    stage.now = at("10:15:30")
    put(stage, run("10:15"))
    sent = [clock for clock, _ in sweeps(stage, until=at("12:00"))]
    assert sent == ["10:16:30", "10:17:30", "10:19:30", "10:23:30", "10:31:30", "10:47:30", "11:19:30"]


def test_a_run_sent_again_shortly_before_the_full_hour_does_not_wait_for_a_day(stage: Stage) -> None:
    stage.now = at("10:58")
    assert swept(stage, run("10:56")) == [run("10:56").key]
    assert [clock for clock, _ in sweeps(stage, until=at("11:20"))] == ["10:59:00", "11:01:00", "11:05:00", "11:13:00"]


@pytest.mark.parametrize(
    ("resends", "wait"), [(0, 0), (1, 1), (2, 2), (3, 4), (11, 1024), (12, 1440), (100, 1440), (10**6, 1440)]
)
def test_the_wait_between_resends_doubles_up_to_a_day(resends: int, wait: int) -> None:
    assert resend_wait(resends) == wait * MINUTE


def test_a_run_is_sent_soon_again_once_a_worker_has_moved_it(stage: Stage) -> None:
    stage.now = at("10:15:30")
    put(stage, run("10:15"))
    sweeps(stage, until=at("11:20"))
    current = stage.run("10:15")
    lease = stage.now + 2 * MINUTE
    put(stage, replace(current, state=RunState.RUNNING, attempt=1, nonce="n", lease_until=lease))
    stage.now += MINUTE
    first, second, *_ = (clock for clock, _ in sweeps(stage, until=at("12:00")))
    assert (first, second) == ("11:23:30", "11:24:30"), "as if it had not been sent before"


def test_a_run_that_a_stale_read_did_not_find_is_read_consistently(stage: Stage) -> None:
    class Stale(MemoryRuns):
        def look(self, keys: Sequence[RunKey]) -> dict[RunKey, Run]:
            return {}

    put(stage, run("10:15"))
    ports = stage.ports._replace(runs=Stale(stage.state))
    assert sweep(ports, time_left=lambda: FOREVER) == [run("10:15").key]


def test_a_run_is_not_resent_twice_within_a_minute(stage: Stage) -> None:
    stage.now = at("11:00:30")
    assert swept(stage, run("10:15", resent_at=stage.now - OVERDUE + SECOND)) == []
    assert swept(stage, run("10:16", resent_at=stage.now - OVERDUE)) == [], "the progress is past it"
    stage.state.sweep_progress = None
    assert swept(stage) == [run("10:16").key]


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


def test_a_run_that_cannot_be_marked_stops_no_other_and_is_sent_a_minute_later(stage: Stage) -> None:
    stage.runs.fails("move")
    assert swept(stage, run("10:15"), run("10:16")) == [run("10:15").key]
    assert {key for _, key in sweeps(stage, until=stage.now + MINUTE)} == {run("10:15").key, run("10:16").key}


def test_a_message_that_the_queue_refuses_is_sent_a_minute_later(stage: Stage) -> None:
    stage.picky.refuses = lambda message: True
    assert swept(stage, run("10:15")) == []
    stage.picky.refuses = lambda message: False
    assert [key for _, key in sweeps(stage, until=stage.now + MINUTE)] == [run("10:15").key]


def test_a_run_that_stays_active_for_longer_than_its_retention_is_kept(stage: Stage) -> None:
    """While workers cannot read the tables for days."""
    short = run("10:15", expires_at=at("10:15") + DAY)
    put(stage, short)
    while stage.now < short.expires_at + 3 * DAY:
        stage.now += 10 * MINUTE
        swept(stage)
        assert stage.run("10:15").expires_at > stage.now


def test_a_resend_shortens_no_retention(stage: Stage) -> None:
    swept(stage, run("10:15"))
    assert stage.run("10:15").expires_at == run("10:15").expires_at
