"""`start_within`: a run that has not begun so long after it could is skipped, whatever it waited for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Backoff, CatchUp, Dependency, On, Overlap, Retry
from minutehand.domain.run import Run, RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, definition, job, run
from tests.unit.usecases.stage import SUCCESS, Stage

TAKEN_ON = Outcome(state=RunState.WAITING)
LATER = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK)
BROKEN = Outcome(RunState.FAILED, error=RunError("Broken", "it broke"))
ALERT = JobKey("shop", "alert")


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def known(stage: Stage, **fields: object) -> None:
    stage.state.definitions[KEY] = replace(definition(), job=job(**{"start_within": 10 * MINUTE} | fields))


def queued(stage: Stage, clock: str = "09:00", **fields: object) -> Received:
    due = run(clock, **fields)
    stage.ports.runs.claim([due])
    return Received(run=due.key, attempt=1, receipt=clock)


def stored(stage: Stage, message: Received) -> Run:
    return stage.state.runs[message.run]


def was_too_late(stage: Stage, message: Received) -> bool:
    now = stored(stage, message)
    return now.state is RunState.SKIPPED and now.skip_reason is SkipReason.START_WITHIN


@pytest.mark.parametrize(("clock", "skipped"), [("09:09:59.999", False), ("09:10", True), ("11:00", True)])
def test_a_run_whose_workers_were_away_for_too_long_is_skipped(stage: Stage, clock: str, skipped: bool) -> None:
    known(stage)
    message = queued(stage)
    [handled] = stage.at(clock).execute([message])
    assert was_too_late(stage, message) is skipped
    assert handled.deletable
    assert len(stage.called) == (not skipped)


def test_without_it_a_run_starts_however_late_it_is(stage: Stage) -> None:
    known(stage, start_within=None)
    message = queued(stage)
    stage.at("23:00").execute([message])
    assert stored(stage, message).state is RunState.SUCCEEDED


def test_a_backlog_does_not_start_all_at_once_when_workers_return(stage: Stage) -> None:
    known(stage)
    messages = [queued(stage, f"09:{minute:02d}") for minute in range(60)]
    stage.at("09:59:30").execute(messages)
    assert [run.scheduled_for.minute for run, _ in stage.called] == list(range(50, 60))


def test_it_counts_from_the_start_that_jitter_gives(stage: Stage) -> None:
    known(stage)
    message = queued(stage, start_delay=30 * MINUTE)
    stage.at("09:39").execute([message])
    assert stored(stage, message).state is RunState.SUCCEEDED
    late = queued(stage, "09:01", start_delay=30 * MINUTE)
    stage.at("09:41").execute([late])
    assert was_too_late(stage, late)


def test_it_counts_from_the_request_of_a_triggered_run(stage: Stage) -> None:
    stage.save(start_within=10 * MINUTE)
    early = trigger(stage.ports, KEY, idempotency_key="a", who=Actor("ada")).run
    stage.at("09:09").work()
    assert stage.state.runs[early.key].state is RunState.SUCCEEDED
    late = trigger(stage.ports, KEY, idempotency_key="b", who=Actor("ada")).run
    stage.at("09:19").work()
    assert stage.state.runs[late.key].skip_reason is SkipReason.START_WITHIN


def test_the_run_of_a_backfill_may_wait_for_ever(stage: Stage) -> None:
    known(stage)
    message = queued(stage, key=RunKey.backfilled(KEY, at("08:00"), "b1"), start_delay=60 * MINUTE)
    stage.at("23:00").execute([message])
    assert stored(stage, message).state is RunState.SUCCEEDED


def test_retries_are_not_bound_by_it(stage: Stage) -> None:
    known(stage, start_within=10 * SECOND, retry=Retry(2, Backoff(initial=10 * MINUTE, jitter=0)))
    message = queued(stage)
    stage.execute([message], lambda _: BROKEN)
    stage.at("09:30").execute([message._replace(attempt=2)])
    assert stored(stage, message).state is RunState.SUCCEEDED


def test_take_overs_are_not_bound_by_it(stage: Stage) -> None:
    known(stage, start_within=10 * SECOND)
    message = queued(stage, state=RunState.RUNNING, attempt=1, started_at=at("09:00"), lease_until=at("09:02"))
    stage.at("09:30").execute([message])
    assert (stored(stage, message).state, stored(stage, message).attempt) == (RunState.SUCCEEDED, 2)


def test_a_pause_or_a_delete_is_named_rather_than_the_lateness_that_it_caused(stage: Stage) -> None:
    known(stage, paused=True)
    message = queued(stage)
    stage.at("11:00").execute([message])
    assert stored(stage, message).skip_reason is SkipReason.PAUSED


@pytest.mark.parametrize(
    "limits", [{"max_concurrency": 1}, {"overlap": Overlap.QUEUE_ALL}, {"overlap": Overlap.QUEUE_ONE}]
)
def test_a_run_that_waits_for_another_ends_when_it_may_not_begin_any_more(
    stage: Stage, limits: dict[str, object]
) -> None:
    known(stage, target=LATER, timeout=60 * MINUTE, **limits)
    first, second = queued(stage, "09:00"), queued(stage, "09:01")
    stage.execute([first], lambda _: TAKEN_ON)
    stage.state.messages.clear()
    stage.at("09:01").execute([second])
    looks = 0
    while not stored(stage, second).state.finished:
        [coming] = stage.state.messages
        stage.now, looks = coming.not_before, looks + 1
        stage.work()
        assert looks < 200
    assert stored(stage, second).finished_at == at("09:11"), "the second at which it may not begin any more"
    assert was_too_late(stage, second)


def test_a_waiting_run_that_may_not_begin_any_more_is_in_nobodys_way(stage: Stage) -> None:
    known(stage, overlap=Overlap.QUEUE_ONE, target=LATER, timeout=60 * MINUTE)
    first, second, third = (queued(stage, clock) for clock in ("09:00", "09:01", "09:12"))
    stage.execute([first], lambda _: TAKEN_ON)
    stage.at("09:01").execute([second])
    stage.state.messages.clear()
    stage.at("09:12").execute([third])
    assert stored(stage, third).state is RunState.QUEUED, "it waits, and is not skipped for one that will not run"


def test_the_next_that_waits_is_woken_past_one_that_may_not_begin_any_more(stage: Stage) -> None:
    known(stage, overlap=Overlap.QUEUE_ALL, target=LATER, timeout=60 * MINUTE)
    first, second, third = (queued(stage, clock) for clock in ("09:00", "09:01", "09:09"))
    stage.execute([first], lambda _: TAKEN_ON)
    stage.at("09:09").execute([second, third])
    stage.state.messages.clear()
    stage.at("09:15")
    report(stage.ports, Speaker(first.run, 1, "token-1"), SUCCESS)
    while stage.state.messages:
        stage.work()
    assert was_too_late(stage, second)
    assert stored(stage, third).attempt == 1


def test_a_fixed_delay_goes_on_after_such_a_skip(stage: Stage) -> None:
    stage.save(job("@after 60s", start_within=5 * MINUTE))
    stage.tick()
    stage.at("09:10").work()
    skipped = stage.run("09:01")
    assert skipped is not None
    assert skipped.skip_reason is SkipReason.START_WITHIN
    stage.at("09:11").work()
    assert [key.scheduled_for for key, _ in stage.called] == [at("09:11")]


def test_such_a_skip_counts_towards_max_runs(stage: Stage) -> None:
    stage.save(start_within=5 * MINUTE, max_runs=2)
    stage.tick()
    stage.at("10:00").work()
    stage.tick()
    stage.work()
    assert {each.skip_reason for each in stage.state.runs.values()} == {SkipReason.START_WITHIN}
    assert len(stage.state.runs) == 2
    assert stage.next_at() is None


def test_such_a_skip_starts_children_that_wait_for_skipped_runs(stage: Stage) -> None:
    stage.save(start_within=5 * MINUTE, max_runs=1)
    stage.save(job("@manual", key=ALERT, depends_on=(Dependency(KEY, On.SKIPPED),)))
    stage.tick()
    stage.at("10:00").work()
    stage.work()
    assert [key.job for key, _ in stage.called] == [ALERT]


def test_a_childs_run_counts_from_the_end_of_its_parents(stage: Stage) -> None:
    stage.save(max_runs=1, timeout=60 * MINUTE, target=LATER)
    stage.save(job("@manual", key=ALERT, depends_on=(Dependency(KEY, On.SUCCESS),), start_within=30 * SECOND))
    stage.tick()
    stage.at("09:01").work(lambda _: TAKEN_ON)
    stage.at("09:50")
    report(stage.ports, Speaker(RunKey.scheduled(KEY, at("09:01")), 1, "token-1"), SUCCESS)
    stage.wait(20)
    stage.work()
    assert (ALERT, 1) in [(key.job, attempt) for key, attempt in stage.called]


def test_a_missed_occurrence_that_may_not_begin_any_more_is_skipped_when_it_is_caught_up_on(stage: Stage) -> None:
    stage.save(catch_up=CatchUp.ALL, start_within=30 * MINUTE, max_catch_up=100)
    stage.at("10:00").tick()
    stage.now += timedelta(minutes=1)
    stage.work()
    assert min(key.scheduled_for for key, _ in stage.called) == at("09:32")


def test_nothing_else_is_written_or_read_for_it(stage: Stage) -> None:
    counts = []
    for start_within in (None, 10 * MINUTE):
        fresh = Stage("09:00")
        known(fresh, start_within=start_within)
        fresh.execute([queued(fresh)])
        counts.append((fresh.runs.calls, fresh.permits.calls, fresh.timers.calls))
    assert counts[0] == counts[1]
