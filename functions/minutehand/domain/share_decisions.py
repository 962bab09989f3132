"""Shares: what a worker does about a run on one of several nodes. The run on all of them, its parent, has passed every rule of a start,
so none of these applies again. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.domain.instants import floor, to_text
from minutehand.domain.outcome import ErrorType
from minutehand.domain.run import Run, RunError, RunState
from minutehand.domain.run_decisions import (
    Close,
    Decision,
    Done,
    Lose,
    Start,
    Wait,
    decide_running,
    deleting_revision,
    skip_by_start_within,
)
from minutehand.domain.share import Share

if TYPE_CHECKING:
    from minutehand.domain.definition import Definition
    from minutehand.domain.spread import Spread


def child_run(spread: Spread, node: str, parent: Run, definition: Definition | None, now: datetime) -> Run:
    """The run of a node, as it is claimed. It is due at once, and its lateness counts from then."""
    kept = parent.expires_at if definition is None else max(parent.expires_at, floor(now) + definition.job.retention)
    return Run(
        key=spread.child(node),
        target=parent.target,
        revision=parent.revision,
        claimed_at=now,
        expires_at=kept,
        start_delay=max(floor(now) - parent.scheduled_for, parent.start_delay),
        parents=parent.parents,
        own_payload=parent.own_payload,
        share=Share(
            parent=parent.key,
            attempt=spread.attempt,
            pool=spread.pool,
            node=node,
            place=spread.nodes.index(node),
            total=len(spread.nodes),
            ends_at=parent.deadline_at or now,
        ),
    )


def never_begun(run: Run, now: datetime, *, by: str) -> Run:
    """The run of a node, as it is claimed where nothing more is to start."""
    return replace(run, state=RunState.CANCELLED, finished_at=now, cancelled_by=by)


def decide_share(
    run: Run, share: Share, parent: Run | None, definition: Definition | None, *, now: datetime
) -> Decision:
    """Decide about a run on one of several nodes.

    ◆ It starts only while its parent waits for it, in the attempt of which it is a part: when that has ended, another run may hold the
    parent's lock.

    Args:
        parent: as read after the run; needed only for one that is to start.
    """
    if run.state.finished:
        return Done()
    if run.state is RunState.RUNNING:  # no agent has got its order, so another attempt is safe
        return decide_running(run, definition, now)
    if run.state is RunState.WAITING:
        return _decide_waiting(run, now)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if (why := _why_over(run, share, parent, definition, now)) is not None:
        return Close(RunState.CANCELLED, RunError(ErrorType.PARENT_ENDED, why))
    if run.state is RunState.QUEUED and (skip := skip_by_start_within(run, definition, now)) is not None:
        return skip
    if now < run.due_at:
        return Wait(until=run.due_at)
    return Start(attempt=run.attempt + 1, takeover=False)


def _decide_waiting(run: Run, now: datetime) -> Decision:
    if run.lease_until is not None and now < run.lease_until:
        return Wait(until=run.lease_until)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if run.deadline_at is None or now >= run.deadline_at:
        missed = f"no answer by {to_text(run.deadline_at or now)}"
        return Close(RunState.TIMED_OUT, RunError(ErrorType.ANSWER_MISSED, missed))
    silent = f"attempt {run.attempt} sent no heartbeat by {to_text(run.lease_until or now)}"
    return Lose(f"{silent}; no other node may take it over")


def _why_over(run: Run, share: Share, parent: Run | None, definition: Definition | None, now: datetime) -> str | None:
    """Why a run on a node may not start any more; None if it may."""
    whole = f"run {share.parent.run_id}, of which this is a part,"
    if parent is None or parent.state is not RunState.WAITING or parent.attempt != share.attempt:
        return f"{whole} had ended"
    if parent.cancelled_by:
        return f"{whole} was cancelled"
    if definition is None or deleting_revision(run, definition) is not None:
        return "the job was deleted"
    if definition.job.target.type != run.target:
        return f"the job's target is of type {definition.job.target.type} by now, which no node runs"
    if now >= share.ends_at:
        return f"{whole} had until {to_text(share.ends_at)}"
    return None
