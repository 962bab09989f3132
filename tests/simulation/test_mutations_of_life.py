"""The simulation itself is tested: each rule of what happens to a run that is due, broken on purpose, must be noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryTimers
from minutehand.adapters.memory import runs as memory_runs
from minutehand.domain import deadlines, overlap_lock, planning, retry_time, run_decisions, run_successors
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_decisions import Start
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.usecases.completion import follow_up
from minutehand.usecases.dispatching import claim, fixed_delay, send
from minutehand.usecases.running import acknowledge, attempt, deciding, handle
from tests.simulation.mutations import Mutation, Patch, assert_noticed


def an_unconditional_arm(patch: Patch) -> None:
    right = MemoryTimers.arm

    def arm(self: MemoryTimers, job: Any, revision: int, outstanding: datetime, new: datetime | None) -> Timer | None:
        timer = self._state.timers.get(job)
        current = timer.outstanding if isinstance(timer, Timer) and timer.outstanding is not None else outstanding
        return right(self, job, revision, current, new)

    patch.setattr(MemoryTimers, "arm", arm)


def a_delay_that_counts_from_the_start(patch: Patch) -> None:
    right = fixed_delay.next_start
    patch.setattr(
        fixed_delay,
        "next_start",
        lambda rule, ended, after: right(rule, replace(ended, finished_at=ended.started_at), after),
    )


def a_lost_run_that_arms_nothing(patch: Patch) -> None:
    right = fixed_delay.arm_next

    def arm_next(run: Run, *known: Any) -> None:
        if run.state is not RunState.LOST:
            right(run, *known)

    patch.setattr(fixed_delay, "arm_next", arm_next)


def a_dead_attempt_without_an_end(patch: Patch) -> None:
    right = run_successors._newest_attempt
    patch.setattr(
        run_successors,
        "_newest_attempt",
        lambda run: tuple(each._replace(finished_at=run.finished_at) for each in right(run)),
    )


def a_retry_that_does_not_wait(patch: Patch) -> None:
    patch.setattr(
        run_decisions, "decide_retrying", lambda run, _definition, _now: Start(run.attempt + 1, takeover=False)
    )


def a_retry_without_a_message(patch: Patch) -> None:
    right = follow_up.follow_up
    patch.setattr(acknowledge, "follow_up", lambda run, *known: run.state is RunState.RETRYING or right(run, *known))


def a_start_that_does_not_ask_who_holds_the_lock(patch: Patch) -> None:
    patch.setattr(memory_runs, "is_as_read", lambda _state, _permit: True)


def a_permit_that_is_free_before_its_holder_is_done(patch: Patch) -> None:
    patch.setattr(overlap_lock, "CLOCKS_DIFFER", timedelta(seconds=-20))


def a_wait_that_nothing_leads_back_to(patch: Patch) -> None:
    right = handle.send

    def send(ready: Sequence[Run], *known: Any) -> Sequence[bool]:
        if all(run.state is RunState.WAITING for run in ready):
            return [True] * len(ready)
        return right(ready, *known)

    patch.setattr(handle, "send", send)
    patch.setattr(attempt, "send", send)


def a_cancel_that_is_forgotten(patch: Patch) -> None:
    right = run_decisions.decide

    def decide(run: Run | None, *known: Any, **now: Any) -> Any:
        return right(replace(run, cancelled_by="") if run else None, *known, **now)

    patch.setattr(deciding, "decide", decide)


def a_run_without_an_end_in_time(patch: Patch) -> None:
    patch.setattr(run_decisions, "run_timeout_reached", lambda _run, _definition, _now: None)
    for module in (attempt, retry_time):
        patch.setattr(module, "ends_by", lambda _run, _job: None)
    patch.setattr(deadlines, "_ends_by", lambda _begun, _job: None)


def a_job_made_again_that_runs_what_the_deleted_one_was_asked(patch: Patch) -> None:
    patch.setattr(
        run_decisions, "deleting_revision", lambda _run, definition: definition.revision if definition.deleted else None
    )


def a_run_that_begins_however_late(patch: Patch) -> None:
    patch.setattr(run_decisions, "skip_by_start_within", lambda *_known: None)


def a_wait_that_outlasts_the_last_start(patch: Patch) -> None:
    patch.setattr(handle, "next_check", lambda _run, _definition, until: until)


def a_run_that_is_too_late_too_early(patch: Patch) -> None:
    right = run_decisions.skip_by_start_within
    patch.setattr(
        run_decisions,
        "skip_by_start_within",
        lambda run, definition, now: right(run, definition, now + timedelta(seconds=5)),
    )


def a_missed_start_that_forgets_the_lock(patch: Patch) -> None:
    patch.setattr(handle, "naming_blocker", lambda skip, *_known: skip)


def a_missed_start_that_forgets_the_slot(patch: Patch) -> None:
    right = run_decisions.MissedStart
    patch.setattr(run_decisions, "MissedStart", lambda within, _waited_for: right(within))


def a_retry_whose_wait_is_rounded_up(patch: Patch) -> None:
    right = send.message_for
    patch.setattr(send, "message_for", lambda *known, **how: right(*known, **how)._replace(retries=False))


def a_missed_run_that_begins_after_those_due_since(patch: Patch) -> None:
    patch.setattr(
        claim,
        "_before_the_next",
        lambda planned, late, now: {RunKey.scheduled(planned.timer.job, late): now + timedelta(seconds=30)},
    )


def a_pace_that_holds_up_what_is_on_time(patch: Patch) -> None:
    patch.setattr(planning, "_paced", lambda whole, _first, now, _until: planning._in_order(whole, now))


def a_pace_that_forgets_missed_occurrences(patch: Patch) -> None:
    right = planning._paced

    def forgetful(whole: Any, *known: Any) -> Any:
        planned = right(whole, *known)
        return planned._replace(next_at=planned.ahead.until, ahead=None) if planned.ahead else planned

    patch.setattr(planning, "_paced", forgetful)


MUTATIONS: list[Mutation] = [
    an_unconditional_arm,
    a_delay_that_counts_from_the_start,
    a_lost_run_that_arms_nothing,
    a_dead_attempt_without_an_end,
    a_retry_that_does_not_wait,
    a_retry_without_a_message,
    a_start_that_does_not_ask_who_holds_the_lock,
    a_permit_that_is_free_before_its_holder_is_done,
    a_wait_that_nothing_leads_back_to,
    a_cancel_that_is_forgotten,
    a_run_without_an_end_in_time,
    a_job_made_again_that_runs_what_the_deleted_one_was_asked,
    a_run_that_begins_however_late,
    a_wait_that_outlasts_the_last_start,
    a_run_that_is_too_late_too_early,
    a_missed_start_that_forgets_the_lock,
    a_missed_start_that_forgets_the_slot,
    a_retry_whose_wait_is_rounded_up,
    a_missed_run_that_begins_after_those_due_since,
    a_pace_that_holds_up_what_is_on_time,
    a_pace_that_forgets_missed_occurrences,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch)
