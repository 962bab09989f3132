"""Cancellation of backfills."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.backfill import BackfillState
from minutehand.domain.errors import Conflict
from minutehand.domain.run import RunState
from minutehand.usecases.operations import backfill
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.operations.backfills.replaying import ID, asked, stored, watch, work_off
from tests.unit.usecases.stage import Stage


def test_a_cancel_starts_no_more_runs_and_ends_those_that_wait(stage: Stage) -> None:
    asked(stage, concurrency=3)
    [one, *_] = stage.receive()
    begun = next(run for key, run in stage.state.runs.items() if key == one.run)
    stage.state.runs[one.run] = running = replace(begun, state=RunState.RUNNING, attempt=1, lease_until=at("11:05"))
    cancelled = backfill.cancel(stage.ports, KEY, ID, who=Actor("eve"))
    assert (cancelled.state, cancelled.cancelled_by) == (BackfillState.CANCELLED, "eve")
    assert cancelled.counts == {RunState.CANCELLED: 2}
    assert [cancelled.run(instant) for instant in cancelled.active] == [one.run], "what has begun goes on"
    assert {run.cancelled_by for run in stage.state.runs.values()} == {"", "eve"}
    stage.state.runs[one.run] = replace(running, state=RunState.SUCCEEDED)
    watch(stage)
    assert stored(stage).counts == {RunState.CANCELLED: 2, RunState.SUCCEEDED: 1}
    assert (stored(stage).finished_at, stored(stage).next_at) == (stage.now, None)


def test_a_repeated_cancel_changes_nothing_and_a_done_backfill_cannot_be_cancelled(stage: Stage) -> None:
    asked(stage)
    first = backfill.cancel(stage.ports, KEY, ID, who=Actor("eve"))
    assert backfill.cancel(stage.ports, KEY, ID, who=Actor("bob")) == first
    asked(stage, identity="other")
    work_off(stage)
    with pytest.raises(Conflict, match="backfill other of shop/report is done"):
        backfill.cancel(stage.ports, KEY, "other", who=Actor("eve"))


def test_a_cancel_that_dies_in_the_middle_is_finished_by_the_watchdog(stage: Stage) -> None:
    asked(stage, concurrency=2)
    stage.runs.fails("move_reminding")
    assert backfill.cancel(stage.ports, KEY, ID, who=Actor("eve")).state is BackfillState.CANCELLED
    watch(stage)
    assert stored(stage).counts == {RunState.CANCELLED: 2}
    assert stored(stage).next_at is None


def test_the_end_of_a_cancelled_run_is_followed_up_without_its_message(stage: Stage) -> None:
    stage.picky.refuses = lambda _: True
    asked(stage)
    backfill.cancel(stage.ports, KEY, ID, who=Actor("eve"))
    [run] = stage.state.runs
    assert (stage.state.runs[run].state, stage.state.messages) == (RunState.CANCELLED, [])
    stage.picky.refuses = lambda _: False
    stage.tick()
    assert [message.run for message in stage.state.messages] == [run]


def test_instants_taken_but_not_claimed_at_a_cancel_are_dropped(stage: Stage) -> None:
    stage.runs.fails("claim")
    asked(stage)
    assert stage.state.runs == {}
    backfill.cancel(stage.ports, KEY, ID, who=Actor("eve"))
    assert len(stored(stage).active) == 1, "whoever took it may be about to claim it"
    watch(stage)
    assert (stored(stage).active, stored(stage).counts, stage.state.runs) == ((), {}, {})
    assert stored(stage).finished_at is not None


def test_a_step_concurrent_with_a_cancel_starts_nothing(stage: Stage) -> None:
    asked(stage)
    stage.backfills.before("save", lambda: backfill.cancel(stage.ports, KEY, ID, who=Actor("eve")))
    stage.execute(stage.receive())
    assert len(stage.state.runs) == 1
