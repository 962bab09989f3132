"""Overlap: holders of the lock and waiting runs that die, are retried, cancelled or skipped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Unavailable
from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.policies import Backoff, Overlap, Retry
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.completion import cancel
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.crashes import Died
from tests.unit.usecases.running.overlap.later import (
    CANCELLED,
    FAILED,
    QUEUED,
    QUEUES,
    RUNNING,
    SKIPPED,
    SUCCEEDED,
    WAITING,
    Later,
    held_by_nine,
)
from tests.unit.usecases.stage import Stage


def dead_at_nine(overlap: Overlap) -> Later:
    """The worker of the 09:00 run is dead; its lease ends at 09:01:15."""
    stage = Later(overlap, timeout=MINUTE)
    stage.tick()

    def dies(_call: Call) -> Outcome:
        raise Died

    with suppress(Died):
        stage.at("09:00")
        first = stage.there("09:00").key
        stage.execute([Received(run=first, attempt=1, receipt="r")], dies)
    assert stage.there("09:00").lease_until == at("09:01:15")
    return stage


def test_a_dead_holder_blocks_others_until_its_lease_expires() -> None:
    stage = dead_at_nine(Overlap.SKIP)
    stage.pass_to("09:01")
    stage.pass_to("09:02")
    assert stage.states("09:01", "09:02") == [SKIPPED, WAITING]


def held_up_until(stage: Stage, clock: str) -> Callable[[], None]:
    """A store that does not answer until then, and does not make the write."""

    def silent() -> None:
        stage.at(clock)
        raise Unavailable("no answer")

    return silent


def test_a_holder_that_could_not_record_its_wait_in_time_does_not_wait_beside_the_next() -> None:
    stage = Later(Overlap.SKIP, timeout=MINUTE, takeovers=0)
    stage.tick()
    stage.at("09:00")
    stage.runs.before("move", held_up_until(stage, "09:01:15"))
    first = stage.there("09:00").key
    [handled] = stage.execute([Received(run=first, attempt=1, receipt="r")], stage.takes_on)
    assert (handled.deletable, stage.states("09:00")) == (False, [RUNNING])
    assert handled.problem.startswith("the target of attempt 1 answers later, but the attempt's lease ended before")
    stage.pass_to("09:02")
    assert stage.states("09:00", "09:01") == [RunState.LOST, WAITING]


def test_a_holder_that_records_its_wait_at_the_last_moment_waits() -> None:
    stage = Later(Overlap.SKIP, timeout=MINUTE)
    stage.tick()
    stage.at("09:00")
    stage.runs.before("move", held_up_until(stage, "09:01:14"))
    stage.execute([Received(run=stage.there("09:00").key, attempt=1, receipt="r")], stage.takes_on)
    assert stage.states("09:00") == [WAITING]


@pytest.mark.parametrize("overlap", QUEUES)
def test_a_run_that_waits_for_a_dead_holder_looks_again_when_the_lease_expires(overlap: Overlap) -> None:
    stage = dead_at_nine(overlap)
    stage.pass_to("09:01")
    assert stage.state.hidden[-1][1] == 15 * SECOND
    stage.at("09:01:17").look("09:01")
    assert stage.there("09:01").state is QUEUED, "by another clock the dead one may still be alive"
    stage.at("09:01:18").look("09:01")
    assert stage.there("09:01").state is WAITING


@pytest.mark.parametrize("overlap", [Overlap.SKIP, *QUEUES])
def test_a_take_over_waits_for_the_present_holder_and_is_never_skipped(overlap: Overlap) -> None:
    stage = dead_at_nine(overlap)
    stage.at("09:01:18").look("09:01")
    assert stage.there("09:01").state is WAITING
    stage.look("09:00")
    first = stage.there("09:00")
    assert (first.state, first.attempt) == (RUNNING, 1), "its next attempt has not begun"
    stage.end("09:01")
    assert stage.there("09:01").state.finished
    stage.look("09:00")
    assert (stage.there("09:00").state, stage.there("09:00").attempt) == (WAITING, 2)


def test_a_dead_run_that_was_replaced_is_not_taken_over() -> None:
    stage = dead_at_nine(Overlap.REPLACE)
    stage.at("09:01:18").look("09:01")
    assert stage.there("09:01").state is WAITING
    stage.look("09:00")
    assert stage.there("09:00").state is CANCELLED
    assert (stage.there("09:00").attempt, stage.there("09:00").cancelled_by) == (
        1,
        f"run {stage.there('09:01').key.run_id}",
    )
    stage.end("09:01")
    assert stage.states("09:00", "09:01") == [CANCELLED, SUCCEEDED]


def test_a_retrying_run_keeps_the_lock() -> None:
    retry = Retry(2, Backoff(initial=90 * SECOND, jitter=0))
    stage = held_by_nine(Overlap.SKIP, retry=retry)
    stage.at("09:01:10").end("09:00", FAILED)
    assert (stage.there("09:00").state, stage.there("09:00").retry_at) == (RunState.RETRYING, at("09:02:40"))
    stage.pass_to("09:02")
    assert stage.there("09:02").blocked_by == stage.there("09:00").key.run_id
    stage.at("09:02:40").work(stage.takes_on)
    assert (stage.there("09:00").state, stage.there("09:00").attempt) == (WAITING, 2)
    assert stage.lock == Permit(lock_of(KEY), stage.there("09:00").key, 2)


@pytest.mark.parametrize("overlap", QUEUES)
def test_a_waiting_run_that_is_cancelled_gives_its_place_to_the_next(overlap: Overlap) -> None:
    stage = held_by_nine(overlap)
    cancel.cancel(stage.ports, stage.there("09:01").key, who=Actor("ada"))
    assert (stage.there("09:01").state, stage.there("09:01").attempt) == (CANCELLED, 0)
    stage.pass_to("09:02")
    assert stage.there("09:02").state is QUEUED
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert stage.states("09:00", "09:01", "09:02") == [SUCCEEDED, CANCELLED, WAITING]
    assert stage.lock.waiting == ()


@pytest.mark.parametrize("overlap", QUEUES)
@pytest.mark.parametrize("stopped", ["paused", "deleted"])
def test_a_waiting_run_of_a_stopped_job_is_skipped_with_the_reason(overlap: Overlap, stopped: str) -> None:
    stage = held_by_nine(overlap)
    (manage.pause if stopped == "paused" else manage.delete)(stage.ports, KEY, who=Actor("ada"))
    stage.end("09:00")
    stage.work(stage.takes_on)
    assert (stage.there("09:01").state, stage.there("09:01").skip_reason) == (SKIPPED, SkipReason(stopped))
