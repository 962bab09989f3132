"""Starting: the permits that a run must hold, and the write that starts an attempt and takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.concurrency import Full, Limit, free_slot, limits_of, looks_of
from minutehand.domain.deadlines import answer_due, call_limit, ended_as
from minutehand.domain.instants import floor
from minutehand.domain.job import Definition, Job, Overlap
from minutehand.domain.overlap_lock import (
    Free,
    Permit,
    Queue,
    at_the_lock,
    is_replaced_by,
    lock_of,
    overlap_of,
    rests_until,
)
from minutehand.domain.run import Attempt, Run, RunKey, RunState
from minutehand.domain.run_decisions import LEASE_MARGIN, Skip, Start
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace

MOST_ATTEMPTS = 20
"""Earlier attempts that a run tells of: the newest ones."""
_MOST_KNOWN = 100


class Granted(NamedTuple):
    """The run may start, if it takes these."""

    permits: Sequence[Permit]


class Mark(NamedTuple):
    """Who starts an attempt, and when: the attempt's own mark, and where the worker's log lines are."""

    nonce: str
    worker: str
    at: datetime


def admitted(
    run: Run, definition: Definition, namespace: Namespace | None, ports: Ports, now: datetime
) -> Granted | Skip | Queue | Full:
    """Whether a run may start beside the others of its job and its namespace. One that is to wait for others of its job has been put
    among those that do, and its record is kept for as long as that takes.

    Raises:
        Unavailable: when a store does not answer.
    """
    said = _admitted(run, definition, namespace, ports, now)
    if isinstance(said, Queue | Full) and (longer := _kept(run, definition.job, now)) != run:
        ports.runs.move(run, longer)
    return said


def _admitted(
    run: Run, definition: Definition, namespace: Namespace | None, ports: Ports, now: datetime
) -> Granted | Skip | Queue | Full:
    overlap = overlap_of(run, definition.job)
    said = Granted(()) if overlap is Overlap.ALLOW else _past_the_lock(run, overlap, definition, ports, now)
    if not isinstance(said, Granted):
        return said
    permits = list(said.permits)
    for limit in limits_of(definition.job, namespace):
        slot = _slot(limit, run, ports, now)
        if slot is None:
            _keep_place(run, overlap, said.permits, ports)
            return Full()
        permits.append(slot)
    return Granted(permits)


def _past_the_lock(
    run: Run, overlap: Overlap, definition: Definition, ports: Ports, now: datetime
) -> Granted | Skip | Queue:
    key = lock_of(run.key.job)
    lock = ports.permits.get([key])[key]
    known = _known(run, lock, ports)
    said = at_the_lock(run, overlap, lock, known, now=now)
    last = known.get(lock.holder) if lock.holder else None
    if isinstance(said, Free) and last is not None:
        if overlap is Overlap.REPLACE and is_replaced_by(last, run):
            _end(last, run, ports)
        rests = rests_until(run, last, _delay_of(definition))
        # An edit that looked at the last run in the moment in which it began has placed this one without knowing its end.
        return Granted((lock,)) if rests is None or rests <= now else Queue(last.key, rests)
    if isinstance(said, Queue) and run.key.run_id not in lock.waiting:
        ports.permits.wait(key, run.key.run_id)
        # Whoever ended before that has looked for somebody who waits, and found nobody.
        said = at_the_lock(run, overlap, lock, _known(run, lock, ports), now=now)
    if isinstance(said, Queue):
        _make_way(run, said, ports)
    return said if isinstance(said, Skip | Queue) else Granted((lock,))


def _delay_of(definition: Definition) -> timedelta | None:
    if not definition.job.fixed_delay:
        return None
    from minutehand.usecases.dispatching.fixed_delay import delay_of  # noqa: PLC0415 - most jobs have none

    return delay_of(definition)


def _slot(limit: Limit, run: Run, ports: Ports, now: datetime) -> Permit | None:
    """A slot that the run may take; None when all are taken."""
    for keys in looks_of(limit, run.key):
        slots = list(ports.permits.get(keys).values())
        holders = {slot.holder for slot in slots if slot.holder is not None}
        # Read later than the slots: what took one of them is seen as it started, or later.
        known = ports.runs.get(sorted(holders)) if holders else {}
        slot = free_slot(slots, known, run.key, now)
        if slot is not None:
            return slot
    return None


def _keep_place(run: Run, overlap: Overlap, permits: Sequence[Permit], ports: Ports) -> None:
    """A run that finds the lock free and no slot is before those of its job that come later, where these are to queue, or to replace it."""
    for lock in permits:
        if overlap is not Overlap.SKIP and not run.attempt and run.key.run_id not in lock.waiting:
            ports.permits.wait(lock.key, run.key.run_id)


def _known(run: Run, lock: Permit, ports: Ports) -> Mapping[RunKey, Run]:
    """The runs that the lock of a run's job names, of those that wait the oldest and the newest."""
    half = _MOST_KNOWN // 2
    waiting = lock.waiting if len(lock.waiting) <= _MOST_KNOWN else (*lock.waiting[:half], *lock.waiting[-half:])
    named = [RunKey(run.key.job, name) for name in waiting]
    wanted = [*named, lock.holder] if lock.holder else named
    return ports.runs.get(wanted) if wanted else {}


def _make_way(run: Run, said: Queue, ports: Ports) -> None:
    behind = ports.runs.get([said.behind]).get(said.behind)
    if behind is None:
        return
    if said.cancels:
        _end(behind, run, ports)
    if said.wakes:
        ports.outbox.send([message_for(behind)])


def _end(other: Run, run: Run, ports: Ports) -> None:
    """Have another run end for this one."""
    if other.cancelled_by:
        return
    from minutehand.usecases.completion.cancel import ask_to_end  # noqa: PLC0415 - few jobs replace their runs

    ask_to_end(ports, other, by=f"run {run.key.run_id}")


def _kept(run: Run, job: Job, now: datetime) -> Run:
    """The run, whose record is to outlive what it has before it."""
    return run if run.expires_at - now > job.retention / 2 else replace(run, expires_at=floor(now) + job.retention)


def started(run: Run, decision: Start, job: Job, mark: Mark) -> Run:
    """The run with its next attempt under way; the one before, where there was one, is among those that are told of."""
    now = mark.at
    begun = replace(run, started_at=now, lateness=now - run.starts_at if run.lateness is None else run.lateness)
    limit = min(call_limit(job), max(answer_due(begun, job) - now, timedelta(0)))
    return replace(
        run,
        state=RunState.RUNNING,
        attempt=decision.attempt,
        takeovers=run.takeovers + decision.takeover,
        nonce=mark.nonce,
        worker=mark.worker,
        expires_at=_kept(run, job, now).expires_at,
        lease_until=now + limit + LEASE_MARGIN,
        deadline_at=None,
        retry_at=None,
        started_at=now,
        finished_at=None,
        result=None,
        error=None,
        detailed=False,
        progress=None,
        attempts=(*run.attempts, *_over(run))[-MOST_ATTEMPTS:],
        lateness=begun.lateness,
    )


def _over(run: Run) -> Sequence[Attempt]:
    if run.started_at is None:
        return ()
    state = run.state if run.state is RunState.RUNNING else ended_as(run)
    return [Attempt(run.attempt, run.worker, run.nonce, run.started_at, run.finished_at, state, run.error)]
