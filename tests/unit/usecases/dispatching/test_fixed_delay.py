"""Fixed delay: the next run starts the delay after the end of the last one, to the second."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.planning import WATCHDOG
from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import Result, Run, RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.usecases.completion import cancel
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.queries.next_run import next_or_why, next_run_facts
from minutehand.usecases.queries.preview import ahead_of
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job
from tests.unit.usecases.crashes import Died, attempts_never_repeat, in_order, live, whatever_fails
from tests.unit.usecases.stage import SUCCESS, Stage

WAITS = Outcome(RunState.WAITING, Result("http", 202, ""))
FAILED = Outcome(RunState.FAILED, None, RunError("HttpStatus", "HTTP 503"))


def delayed(after: str = "90s", now: str = "09:00:00.250", **fields: object) -> Stage:
    """A stage on which a job with a fixed delay was saved just now."""
    stage = Stage(now)
    stage.save(job(f"@after {after}", **fields))
    return stage


@pytest.fixture
def stage() -> Stage:
    return delayed()


def timer_of(stage: Stage) -> Timer:
    timer = stage.state.timers[KEY]
    assert isinstance(timer, Timer)
    return timer


def took(stage: Stage, duration: timedelta, outcome: Outcome = SUCCESS) -> Callable[[Call], Outcome]:
    def call(_call: Call) -> Outcome:
        stage.now += duration
        return outcome

    return call


def there(stage: Stage, clock: str) -> Run:
    run = stage.run(clock)
    assert run is not None
    return run


def test_the_first_run_is_the_delay_after_saving_and_dispatched_at_once(stage: Stage) -> None:
    assert stage.claimed() == ["09:01:30"]
    assert stage.sent() == ["09:01:30"]
    assert timer_of(stage).outstanding == at("09:01:30")
    assert timer_of(stage).next_at == at("09:01:30") + WATCHDOG


def test_a_first_run_beyond_the_look_ahead_is_left_to_the_tick() -> None:
    stage = delayed("1h")
    assert stage.claimed() == []
    stage.at("09:58").tick()
    assert stage.claimed() == ["10:00:00"]


@pytest.mark.parametrize(
    ("began", "took_", "then"),
    [
        ("09:01:30", 0 * SECOND, "09:03:00"),
        ("09:01:30.400", 2 * SECOND, "09:03:03"),
        ("09:01:30", 47 * SECOND, "09:03:47"),
        ("09:01:59.999", timedelta(milliseconds=1), "09:03:30"),
    ],
)
def test_the_next_run_is_the_delay_after_the_end_and_the_report_dispatches_it(
    stage: Stage, began: str, took_: timedelta, then: str
) -> None:
    stage.at(began).work(took(stage, took_))
    assert stage.claimed() == ["09:01:30", then]
    assert stage.sent() == [then]
    assert (timer_of(stage).outstanding, timer_of(stage).next_at) == (at(then), at(then) + WATCHDOG)


def test_no_tick_is_needed_for_a_short_delay() -> None:
    stage = delayed("10s", "09:00")
    while stage.now < at("09:02"):
        stage.work(took(stage, 2 * SECOND))
        stage.now += SECOND
    starts = [one.scheduled_for for one in in_order(stage)]
    assert starts[0] == at("09:00:10")
    assert {later - earlier for earlier, later in pairwise(starts)} == {12 * SECOND}
    assert stage.timers.calls["due"] == 0


def test_a_next_run_beyond_the_look_ahead_is_left_to_the_tick() -> None:
    stage = delayed("5m", "09:00")
    stage.at("09:03").tick()
    stage.at("09:05").work()
    assert (stage.claimed(), timer_of(stage).next_at) == (["09:05:00"], at("09:10"))
    stage.at("09:07").tick()
    assert stage.at("09:08").tick().claimed == 1
    assert stage.sent() == ["09:10:00"]


def test_the_job_runs_next_when_its_outstanding_run_starts_and_not_the_delay_from_now_on(stage: Stage) -> None:
    stage.at("09:01:10")
    definition = stage.ports.definitions.get([KEY])[KEY]
    facts = next_run_facts(stage.ports, [definition], timers=False)[KEY]
    assert next_or_why(definition, facts, now=stage.now) == (at("09:01:30"), None)
    ahead = ahead_of(stage.ports, definition, after=stage.now, count=2)
    assert [one.at for one in ahead.occurrences] == [at("09:01:30"), at("09:03:00")]


def test_ticks_while_a_run_is_outstanding_start_no_other(stage: Stage) -> None:
    for minute in range(1, 9):
        stage.at(f"09:0{minute}").tick()
    assert stage.claimed() == ["09:01:30"]


def answered(stage: Stage, outcome: Outcome) -> None:
    stage.work(lambda _: WAITS)
    run = there(stage, "09:01:30")
    report(stage.ports, Speaker(run.key, 1, "token-1"), outcome)


def lost(stage: Stage) -> None:
    def dies(_call: Call) -> Outcome:
        raise Died

    received = Received(run=there(stage, "09:01:30").key, attempt=1, receipt="r")
    with suppress(Died):
        stage.execute([received], dies)
    stage.now += 2 * MINUTE
    stage.execute([received])


def cancelled(stage: Stage) -> None:
    cancel.cancel(stage.ports, there(stage, "09:01:30").key, who=Actor("ada"))


ENDS: list[tuple[RunState, Callable[[Stage], object]]] = [
    (RunState.SUCCEEDED, lambda stage: stage.work()),
    (RunState.FAILED, lambda stage: stage.work(lambda _: FAILED)),
    (RunState.TIMED_OUT, lambda stage: stage.work(lambda _: Outcome(RunState.TIMED_OUT))),
    (RunState.SUCCEEDED, lambda stage: answered(stage, SUCCESS)),
    (RunState.FAILED, lambda stage: answered(stage, FAILED)),
    (RunState.LOST, lost),
    (RunState.CANCELLED, cancelled),
]


@pytest.mark.parametrize(("state", "end"), ENDS)
def test_however_a_run_ends_the_next_one_is_the_delay_later(state: RunState, end: Callable[[Stage], object]) -> None:
    stage = delayed(takeovers=0)
    end(stage.at("09:01:40"))
    assert there(stage, "09:01:30").state is state
    then = stage.now + 90 * SECOND
    assert stage.claimed() == ["09:01:30", f"{then:%H:%M:%S}"]
    stage.now = then
    stage.work()
    assert there(stage, f"{then:%H:%M:%S}").state is RunState.SUCCEEDED


def test_a_skipped_run_arms_the_next_one_too() -> None:
    stage = delayed()
    key = trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada")).run.key
    stage.at("09:01:30").execute([Received(run=key, attempt=1, receipt="r")], lambda _: WAITS)
    stage.work()
    first = there(stage, "09:01:30")
    assert (first.state, first.skip_reason, first.blocked_by) == (RunState.SKIPPED, SkipReason.OVERLAP, key.run_id)
    assert stage.claimed()[-1] == "09:03:00"


def test_a_triggered_run_arms_nothing(stage: Stage) -> None:
    stage.at("09:00:10").prove()
    before = timer_of(stage)
    key = trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada")).run.key
    stage.work()
    assert stage.state.runs[key].state is RunState.SUCCEEDED
    assert timer_of(stage) == before


def test_the_delay_counts_from_the_end_of_the_last_attempt() -> None:
    stage = delayed(retry=Retry(2, Backoff(initial=20 * SECOND, jitter=0)))
    stage.at("09:01:30").work(lambda _: FAILED)
    assert stage.claimed() == ["09:01:30"]
    stage.at("09:01:50").work(took(stage, 5 * SECOND))
    assert stage.claimed() == ["09:01:30", "09:03:25"]


def test_a_run_that_is_answered_later_is_the_only_one_until_then() -> None:
    stage = delayed(timeout=timedelta(hours=1))
    stage.at("09:01:30").work(lambda _: WAITS)
    for minute in range(2, 50):
        stage.at(f"09:{minute:02d}").tick()
        stage.work()
    assert stage.claimed() == ["09:01:30"]
    report(stage.ports, Speaker(there(stage, "09:01:30").key, 1, "token-1"), SUCCESS)
    assert stage.claimed() == ["09:01:30", "09:50:30"]


def test_a_new_delay_counts_from_the_end_of_the_active_run(stage: Stage) -> None:
    stage.at("09:01:30").work(lambda _: WAITS)
    stage.at("09:01:40").save(job("@after 10s"))
    assert (timer_of(stage).outstanding, stage.claimed()) == (at("09:01:30"), ["09:01:30"])
    report(stage.ports, Speaker(there(stage, "09:01:30").key, 1, "token-1"), SUCCESS)
    assert stage.claimed() == ["09:01:30", "09:01:50"]


@pytest.mark.parametrize(("after", "then"), [("30s", "09:02:00"), ("10s", "09:01:41"), ("1h", "10:01:30")])
def test_another_delay_moves_a_run_that_has_not_begun(after: str, then: str) -> None:
    stage = delayed()
    stage.at("09:01:30").work()
    stage.at("09:01:40").save(job(f"@after {after}"))
    stage.now = max(stage.now, at(then) - MINUTE)
    stage.tick()
    stage.at(then).work()
    begun = [f"{one.scheduled_for:%H:%M:%S}" for one in in_order(stage) if one.attempt]
    assert begun == ["09:01:30", then]


def test_a_pause_between_two_runs_holds_and_a_resume_continues(stage: Stage) -> None:
    stage.at("09:01:30").work()
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    stage.at("09:03").work()
    assert there(stage, "09:03").skip_reason is SkipReason.PAUSED
    for minute in range(4, 20):
        stage.at(f"09:{minute:02d}").tick()
        stage.work()
    assert stage.claimed() == ["09:01:30", "09:03:00"]
    manage.resume(stage.ports, KEY, who=Actor("ada"))
    begun = timer_of(stage).outstanding
    assert begun is not None
    assert stage.now < begun <= stage.now + 90 * SECOND
    stage.now = begun
    stage.work()
    assert there(stage, f"{begun:%H:%M:%S}").state is RunState.SUCCEEDED


def test_a_pause_and_a_resume_during_a_run_start_no_second_one(stage: Stage) -> None:
    stage.at("09:01:30").work(lambda _: WAITS)
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    manage.resume(stage.at("09:01:40").ports, KEY, who=Actor("ada"))
    stage.at("09:02").tick()
    assert stage.claimed() == ["09:01:30"]
    report(stage.ports, Speaker(there(stage, "09:01:30").key, 1, "token-1"), SUCCESS)
    assert stage.claimed() == ["09:01:30", "09:03:30"]


def test_a_run_that_ends_during_a_pause_gives_the_next_start_after_the_resume(stage: Stage) -> None:
    stage.at("09:01:30").work(lambda _: WAITS)
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    stage.at("09:01:45")
    report(stage.ports, Speaker(there(stage, "09:01:30").key, 1, "token-1"), SUCCESS)
    assert (stage.claimed(), timer_of(stage).next_at) == (["09:01:30"], None)
    manage.resume(stage.at("09:02").ports, KEY, who=Actor("ada"))
    assert stage.claimed() == ["09:01:30", "09:03:15"]


def test_a_job_deleted_and_created_again_counts_from_the_start(stage: Stage) -> None:
    stage.at("09:01:30").work()
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.at("09:02").save(job("@after 90s"))
    for clock in ("09:03", "09:03:30"):
        stage.at(clock).work()
    assert there(stage, "09:03").state is RunState.SKIPPED
    assert there(stage, "09:03:30").state is RunState.SUCCEEDED
    assert stage.claimed() == ["09:01:30", "09:03:00", "09:03:30", "09:05:00"]


def test_the_watchdog_finds_an_end_that_was_not_followed_up(stage: Stage) -> None:
    stage.timers.refuses("arm", lambda *_: stage.now < at("09:02"))
    [handled] = stage.at("09:01:30").work()
    assert (handled.deletable, there(stage, "09:01:30").state) == (False, RunState.SUCCEEDED)
    stage.at("09:09").tick()
    stage.work()
    assert stage.claimed() == ["09:01:30"], "ten minutes are not over, nor are they within the look-ahead"
    stage.at("09:10").tick()
    stage.at("09:11").work()
    assert stage.claimed() == ["09:01:30", "09:03:00"]
    stage.at("09:12").work()
    assert there(stage, "09:03").state is RunState.SUCCEEDED


def test_behind_the_end_of_its_window_nothing_is_armed() -> None:
    stage = delayed("90s", end_at=at("09:03:10"))
    stage.at("09:01:30").work()
    assert stage.claimed() == ["09:01:30", "09:03:00"]
    stage.at("09:03").work()
    assert stage.claimed() == ["09:01:30", "09:03:00"]
    assert timer_of(stage).next_at is None


def test_before_its_window_it_begins_where_that_does() -> None:
    stage = delayed("90s", start_at=at("09:10"))
    assert timer_of(stage).next_at == at("09:10")


def test_two_ends_of_one_run_arm_it_once(stage: Stage) -> None:
    message = stage.receive()
    stage.at("09:01:30").execute(message)
    stage.at("09:01:35").execute(message)
    assert stage.claimed() == ["09:01:30", "09:03:00"]


def scene(stage: Stage) -> None:
    live(stage, "09:16")


@pytest.mark.thorough
def test_after_any_failed_call_runs_continue_one_by_one_and_none_is_forgotten() -> None:
    for trouble, stage in whatever_fails(lambda: delayed("70s", "09:00"), scene):
        runs = in_order(stage)
        assert runs[-1].scheduled_for > at("09:11"), f"{trouble}: no run since {runs[-1].scheduled_for}"
        for earlier, later in pairwise(runs):
            assert earlier.finished_at is not None, trouble
            gap = later.scheduled_for - earlier.finished_at
            assert timedelta(0) < gap - 70 * SECOND + SECOND <= SECOND, f"{trouble}: {gap}"
        attempts_never_repeat(stage)


def test_the_first_run_has_one_key_however_often_it_is_claimed(stage: Stage) -> None:
    stage.dispatch(timer_of(stage))
    assert list(stage.state.runs) == [RunKey.scheduled(KEY, at("09:01:30"))]


def test_a_run_placed_by_an_edit_before_the_last_end_was_known_keeps_the_delay() -> None:
    stage = delayed("60s", "09:00")
    stage.at("09:01")
    stage.work()
    assert there(stage, "09:01").state is RunState.SUCCEEDED
    early = replace(there(stage, "09:02"), key=RunKey.scheduled(KEY, at("09:01:20")), state=RunState.QUEUED)
    stage.state.runs[early.key] = early
    stage.at("09:01:20").execute([Received(early.key, 1, "r")])
    assert there(stage, "09:01:20").state is RunState.QUEUED
    stage.state.messages[:] = [message for message in stage.state.messages if message.run == early.key]
    assert [message.not_before for message in stage.state.messages] == [at("09:02")]
    stage.at("09:02")
    stage.work()
    assert there(stage, "09:01:20").state is RunState.SUCCEEDED
