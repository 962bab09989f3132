"""Each policy of a job, and each bound on time and order, broken on purpose, must be noticed within a few histories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.domain import overlap_lock, planning, retry_time, run_decisions, run_successors
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.overlap_lock import Free
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Miss, Wait
from minutehand.domain.timer import Timer
from minutehand.usecases.definitions import saved_timer
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.running import deciding, execute, handle
from minutehand.usecases.upkeep import sweep
from tests.simulation.mutations import Mutation, Patch, assert_noticed


def no_take_over(patch: Patch) -> None:
    _takeovers(patch, lambda _: 0)


def one_take_over_too_many(patch: Patch) -> None:
    _takeovers(patch, lambda most: most + 1)


def _takeovers(patch: Patch, changed: Callable[[int], int]) -> None:
    right = run_decisions.decide_running

    def decide(run: Run, definition: Definition | None, now: datetime) -> Any:
        if definition is not None:
            job = replace(definition.job, takeovers=changed(definition.job.takeovers))
            definition = replace(definition, job=job)
        return right(run, definition, now)

    patch.setattr(run_decisions, "decide_running", decide)


def no_retry(patch: Patch) -> None:
    patch.setattr(run_successors, "retry_at", lambda *_, **_now: None)


def one_retry_too_many(patch: Patch) -> None:
    right = run_successors.retry_at

    def retry_at(run: Run, job: Job, **now: Any) -> datetime | None:
        retry = job.retry._replace(max_attempts=job.retry.max_attempts + 1)
        return right(run, replace(job, retry=retry), **now)

    patch.setattr(run_successors, "retry_at", retry_at)


def a_backoff_that_does_not_grow(patch: Patch) -> None:
    right = retry_time._wait
    patch.setattr(retry_time, "_wait", lambda run, backoff, _tries, asked: right(run, backoff, 1, asked))


def a_retry_after_that_is_ignored(patch: Patch) -> None:
    right = retry_time._wait
    patch.setattr(retry_time, "_wait", lambda run, backoff, tries, _asked: right(run, backoff, tries, timedelta(0)))


def an_answer_that_is_not_waited_for(patch: Patch) -> None:
    right = run_decisions._decide_waiting
    patch.setattr(
        run_decisions, "_decide_waiting", lambda run, known, now: right(run, known, now + timedelta(seconds=20))
    )


def an_end_that_a_heartbeat_cannot_stop(patch: Patch) -> None:
    right = run_successors.decided

    def decided(run: Run, decision: Any, *known: Any) -> Run:
        after = right(run, decision, *known)
        return replace(after, lease_until=run.lease_until) if isinstance(decision, Miss) else after

    patch.setattr(handle, "decided", decided)


def a_misfire_grace_without_end(patch: Patch) -> None:
    _planned_as(patch, lambda timer: replace(timer, misfire_grace=timedelta(days=7)))


def a_misfire_grace_of_a_second(patch: Patch) -> None:
    _planned_as(patch, lambda timer: replace(timer, misfire_grace=timedelta(seconds=1)))


def a_catch_up_of_all_that_skips(patch: Patch) -> None:
    _catch_up(patch, CatchUp.ALL, CatchUp.SKIP)


def a_catch_up_that_skips_nothing(patch: Patch) -> None:
    _catch_up(patch, CatchUp.SKIP, CatchUp.ALL)


def a_catch_up_of_the_latest_that_runs_all(patch: Patch) -> None:
    _catch_up(patch, CatchUp.LATEST, CatchUp.ALL)


def a_catch_up_of_the_latest_that_skips(patch: Patch) -> None:
    _catch_up(patch, CatchUp.LATEST, CatchUp.SKIP)


def a_catch_up_without_a_window(patch: Patch) -> None:
    _planned_as(patch, lambda timer: replace(timer, catchup_window=timedelta(days=1)))


def _catch_up(patch: Patch, given: CatchUp, played: CatchUp) -> None:
    _planned_as(patch, lambda timer: replace(timer, catch_up=played) if timer.catch_up is given else timer)


def _planned_as(patch: Patch, changed: Callable[[Timer], Timer]) -> None:
    right = planning._first_to_run
    patch.setattr(planning, "_first_to_run", lambda schedule, timer, *when: right(schedule, changed(timer), *when))


def a_lock_that_is_held_too_long(patch: Patch) -> None:
    right = overlap_lock.is_under_way
    later = timedelta(seconds=45)
    patch.setattr(overlap_lock, "is_under_way", lambda run, now: right(run, now - later))


def a_start_that_is_early(patch: Patch) -> None:
    right = run_decisions.decide

    def decide(run: Run | None, *known: Any, now: datetime) -> Any:
        decision = right(run, *known, now=now)
        early = isinstance(decision, Wait) and run is not None and not run.attempt
        return right(run, *known, now=now + timedelta(seconds=3)) if early else decision

    patch.setattr(deciding, "decide", decide)


def a_message_that_is_early_and_does_not_wait(patch: Patch) -> None:
    patch.setattr(execute, "wait_until", lambda *_: None)
    a_start_that_is_early(patch)


def an_edit_that_loses_its_own_second(patch: Patch) -> None:
    def in_effect_at(self: Definition, instant: datetime) -> Revision | None:
        return next((r for r in reversed(self.revisions) if r.effective_from <= instant), None)

    patch.setattr(Definition, "in_effect_at", in_effect_at)


def an_edit_that_loses_the_second_after_it(patch: Patch) -> None:
    start_of = saved_timer._start_of

    def late(*known: Any, now: datetime, **more: Any) -> Any:
        return start_of(*known, now=now + timedelta(seconds=1), **more)

    patch.setattr(saved_timer, "_start_of", late)


def a_queue_in_which_runs_overtake(patch: Patch) -> None:
    right = overlap_lock._queueing

    def queueing(run: Run, lock: Any, holder: Run | None, *more: Any) -> Any:
        return Free() if holder is None else right(run, lock, holder, *more)

    patch.setattr(overlap_lock, "_queueing", queueing)


def a_message_that_is_sent_late(patch: Patch) -> None:
    right = Message.whole_seconds
    patch.setattr(Message, "whole_seconds", lambda self, now: right(self, now) + 5)


def a_jitter_that_is_ignored(patch: Patch) -> None:
    patch.setattr(OccurrenceRule, "jitter_of", lambda *_: timedelta(0))


def a_sweep_that_never_sends(patch: Patch) -> None:
    patch.setattr(sweep, "resend_each", lambda *_: frozenset())


MUTATIONS: list[Mutation] = [
    no_take_over,
    one_take_over_too_many,
    no_retry,
    one_retry_too_many,
    a_backoff_that_does_not_grow,
    a_retry_after_that_is_ignored,
    an_answer_that_is_not_waited_for,
    an_end_that_a_heartbeat_cannot_stop,
    a_misfire_grace_without_end,
    a_misfire_grace_of_a_second,
    a_catch_up_of_all_that_skips,
    a_catch_up_that_skips_nothing,
    a_catch_up_of_the_latest_that_runs_all,
    a_catch_up_of_the_latest_that_skips,
    a_catch_up_without_a_window,
    a_lock_that_is_held_too_long,
    a_start_that_is_early,
    a_message_that_is_early_and_does_not_wait,
    an_edit_that_loses_its_own_second,
    an_edit_that_loses_the_second_after_it,
    a_queue_in_which_runs_overtake,
    a_message_that_is_sent_late,
    a_jitter_that_is_ignored,
    a_sweep_that_never_sends,
]


SELDOM: dict[Mutation, int] = {
    an_end_that_a_heartbeat_cannot_stop: 580,
    a_catch_up_of_the_latest_that_runs_all: 150,
    a_catch_up_without_a_window: 100,
}
"""Where to begin, not long before a history that notices, for what few histories do."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, first=SELDOM.get(mutation, 0), histories=600)
