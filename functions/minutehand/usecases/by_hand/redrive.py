"""Redrive: have workers look again at what seems to be stuck, or run again what was lost, because a person asks for it.

Like the sweep, it decides nothing: it sends messages, and a worker that meets one does what the run's record asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minutehand.domain.errors import Conflict, NotFound, Unavailable
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job import JobKey, Overlap
from minutehand.domain.run import ACTIVE, Run, RunKey, RunState
from minutehand.usecases.by_hand.trigger import trigger
from minutehand.usecases.dispatching.resending import reminder, sent_again
from minutehand.usecases.ports.world import World


class Redriven(NamedTuple):
    """The runs of one page that were sent again or, of lost ones, those that were made in their place; `next` asks for what follows."""

    runs: Sequence[Run]
    next: str | None


def redrive(world: World, job: JobKey, *, limit: int, cursor: str | None) -> Redriven:
    """Send a message again for each of a job's active runs, on one page of them, that should have begun or ended by now.

    Raises:
        Invalid: for a cursor that no page gave.
    """
    page = world.runs.page(job, limit, cursor, ACTIVE)
    now = world.clock()
    return Redriven([run for run in page.items if run.wakes_at <= now and sent_again(run, now, world)], page.next)


def redrive_one(world: World, key: RunKey) -> Run:
    """Send a message again for one run: it is started, taken over or ended, or what follows from its end is made up for.

    Raises:
        NotFound: when there is no such run.
        Conflict: when it is not to begin or to end yet.
        Unavailable: when no message could be sent.
    """
    run, now = _existing(world, key), world.clock()
    if not run.state.finished and run.wakes_at > now:
        at = to_text(floor(run.wakes_at))
        raise Conflict(
            f"run {key.run_id} of {key.job} is {run.state.value} and not overdue: it is looked at by itself at {at}"
        )
    sent = all(world.outbox.send([reminder(run, now)])) if run.state.finished else sent_again(run, now, world)
    if not sent:
        raise Unavailable(f"no message could be sent for run {key.run_id} of {key.job}; try again")
    return run


def redrive_lost(world: World, job: JobKey, *, limit: int, cursor: str | None) -> Redriven:
    """Trigger a run in the place of each of a job's lost ones, on one page of them. Asked again within 24 hours, it is the same run.
    Those are left out that had a payload of their own which is gone.

    Raises:
        NotFound: when the job is gone.
        Invalid: for a cursor that no page gave.
    """
    page = world.runs.page(job, limit, cursor, (RunState.LOST,))
    return Redriven([new for run in page.items if (new := _in_place_of(run, world))], page.next)


def redrive_lost_one(world: World, key: RunKey) -> Run:
    """Trigger a run in the place of a lost one.

    Raises:
        NotFound: when there is no such run, or its job is gone.
        Conflict: when it was not lost, or the payload that it had is gone.
    """
    run = _existing(world, key)
    if run.state is not RunState.LOST:
        raise Conflict(f"run {key.run_id} of {key.job} was not lost: it is {run.state.value}")
    new = _in_place_of(run, world)
    if new is None:
        gone = f"the payload of run {key.run_id} of {key.job} is gone, its retention being over"
        raise Conflict(f"{gone}; trigger the job with the payload that is wanted")
    return new


def _in_place_of(lost: Run, world: World) -> Run | None:
    """A run with the payload that it had, or its parents' results, and beside others where it was to run beside others. None
    where its payload is gone: the job's is another one."""
    payload = world.runs.payload(lost.key) if lost.own_payload else None
    if lost.own_payload and payload is None:
        return None
    return trigger(
        world,
        lost.key.job,
        idempotency_key=f"redrive {lost.key.run_id}",
        payload=payload,
        ignore_overlap=lost.overlap is Overlap.ALLOW,
        parents=lost.parents,
    ).run


def _existing(world: World, key: RunKey) -> Run:
    run = world.runs.get([key]).get(key)
    if run is None:
        raise NotFound(f"there is no run {key.run_id} of job {key.job}, or its retention is over")
    return run
