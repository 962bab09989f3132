"""Redrive: have workers look again at what seems to be stuck, or run again what was lost, because a person asks for it.

Like the sweep, it decides nothing: it sends messages, and a worker that meets one does what the run's record asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from minutehand.domain.errors import Conflict, NotFound, Unavailable
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job import Definition, JobKey, Overlap
from minutehand.domain.overlap_lock import overlap_of_replay
from minutehand.domain.run import ACTIVE, Run, RunKey, RunState
from minutehand.usecases.definitions.manage import get
from minutehand.usecases.dispatching.send import reminder, resend
from minutehand.usecases.operations.trigger import deleted_before, identity_of, made_and_sent
from minutehand.usecases.ports.bundle import Ports


class Redriven(NamedTuple):
    """The runs of one page that were sent again or, of lost ones, those that are under way in their place; `next` asks for what follows."""

    runs: Sequence[Run]
    next: str | None


def redrive(ports: Ports, job: JobKey, *, limit: int, cursor: str | None) -> Redriven:
    """Send a message again for each of a job's active runs, on one page of them, that should have begun or ended by now.

    Raises:
        Invalid: for a cursor that no page gave.
    """
    page = ports.runs.page(job, limit, cursor, ACTIVE)
    now = ports.clock()
    return Redriven([run for run in page.items if run.wakes_at <= now and resend(run, now, ports)], page.next)


def redrive_one(ports: Ports, key: RunKey) -> Run:
    """Send a message again for one run: it is started, taken over or ended, or what follows from its end is made up for.

    Raises:
        NotFound: when there is no such run.
        Conflict: when it is not to begin or to end yet.
        Unavailable: when no message could be sent.
    """
    run, now = _existing(ports, key), ports.clock()
    if not run.state.finished and run.wakes_at > now:
        at = to_text(floor(run.wakes_at))
        raise Conflict(
            f"run {key.run_id} of {key.job} is {run.state.value} and not overdue: it is looked at by itself at {at}"
        )
    sent = all(ports.outbox.send([reminder(run, now)])) if run.state.finished else resend(run, now, ports)
    if not sent:
        raise Unavailable(f"no message could be sent for run {key.run_id} of {key.job}; try again")
    return run


def redrive_lost(ports: Ports, job: JobKey, *, limit: int, cursor: str | None) -> Redriven:
    """Make a run in the place of each of a job's lost ones, on one page of them. Each gets one, however often that is asked for; those
    that have ended since are not answered again.

    Left out are those of a job that was deleted before this one had its name, and those that had a payload of their own which is gone.

    Raises:
        NotFound: when the job is gone.
        Invalid: for a cursor that no page gave.
    """
    definition = get(ports, job)
    page = ports.runs.page(job, limit, cursor, (RunState.LOST,))
    lost = [run for run in page.items if not _of_another_job(run, definition)]
    there = ports.runs.get([_in_place_of(run) for run in lost]) if lost else {}
    new = [there.get(_in_place_of(run)) or _made_anew(run, definition, ports) for run in lost]
    return Redriven([run for run in new if run is not None and not run.state.finished], page.next)


def redrive_lost_one(ports: Ports, key: RunKey) -> Run:
    """Make a run in the place of a lost one; where there is one already, it is that, as it stands.

    Raises:
        NotFound: when there is no such run, or its job is gone.
        Conflict: when it was not lost, or is of a job that was deleted, or the payload that it had is gone.
    """
    definition, run = get(ports, key.job), _existing(ports, key)
    if run.state is not RunState.LOST:
        raise Conflict(f"run {key.run_id} of {key.job} was not lost: it is {run.state.value}")
    if _of_another_job(run, definition):
        raise Conflict(f"run {key.run_id} is of a job {key.job} that was deleted: the one that is there now is another")
    place = _in_place_of(run)
    new = ports.runs.get([place]).get(place) or _made_anew(run, definition, ports)
    if new is None:
        gone = f"the payload of run {key.run_id} of {key.job} is gone, its retention being over"
        raise Conflict(f"{gone}; trigger the job with the payload that is wanted")
    return new


def _of_another_job(run: Run, definition: Definition) -> bool:
    """Whether a run is of a job that was deleted before this one was made under its name: by the revisions as long as the deletion is
    remembered, then by the clocks."""
    return run.revision < deleted_before(definition) or run.claimed_at < definition.created_at


def _in_place_of(lost: Run) -> RunKey:
    """The one run that a lost one gets in its place, at the same instant."""
    return RunKey.triggered(lost.key.job, lost.scheduled_for, identity_of(_asked(lost)))


def _asked(lost: Run) -> str:
    return f"redrive {lost.key.run_id}"


def _made_anew(lost: Run, definition: Definition, ports: Ports) -> Run | None:
    """A run that is told what the lost one was told, and starts now. It is kept for as long as that, so that there never is a second. None
    where the payload is gone: the job's is another one."""
    payload = ports.runs.payload(lost.key) if lost.own_payload else None
    if lost.own_payload and payload is None:
        return None
    job, now = definition.job, ports.clock()
    run = Run(
        key=_in_place_of(lost),
        target=job.target.type,
        revision=definition.revision,
        claimed_at=now,
        expires_at=max(floor(now) + job.retention, lost.expires_at),
        start_delay=max(floor(now) - lost.scheduled_for, timedelta(0)),
        own_payload=lost.own_payload,
        overlap=overlap_of_replay(job, beside=lost.overlap is Overlap.ALLOW),
        parents=lost.parents,
    )
    return made_and_sent(ports, run, idempotency_key=_asked(lost), payload=payload, since=deleted_before(definition))


def _existing(ports: Ports, key: RunKey) -> Run:
    run = ports.runs.get([key]).get(key)
    if run is None:
        raise NotFound(f"there is no run {key.run_id} of job {key.job}, or its retention is over")
    return run
