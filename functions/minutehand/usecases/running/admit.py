"""Admission: whether a run may start beside the others of its job and namespace, and the permits that its start takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.concurrency import RUNS_A_MINUTE, Full, Limit, free_slot, limits_of, slots_in_order
from minutehand.domain.deadlines import misses_its_start
from minutehand.domain.definition import Definition
from minutehand.domain.missed_start import WaitedFor
from minutehand.domain.overlap_lock import (
    Free,
    Permit,
    Queue,
    at_the_lock,
    delayed_until,
    is_replaced_by,
    lock_of,
    overlap_of,
    replacing,
    waited_behind,
)
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Skip
from minutehand.domain.run_key import RunKey
from minutehand.domain.run_successors import kept_longer
from minutehand.usecases.completion.cancel import cancel_active
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace

_MOST_READ = 100


class Granted(NamedTuple):
    """The run may start, if its start takes these permits. `place` is the minute in which it has a place, if it needed one."""

    permits: Sequence[Permit]
    place: datetime | None = None


def admit(
    run: Run,
    definition: Definition,
    namespace: Namespace | None,
    ports: Ports,
    now: datetime,
    *,
    place: datetime | None = None,
) -> Granted | Skip | Queue | Full:
    """Decide whether a run may start. A run that must wait for others of its job is added to the lock's list of waiting runs, and
    the record of a run that waits is kept longer.

    Args:
        place: the minute in which an earlier try got the run a place.

    Raises:
        Unavailable: when a store does not answer.
    """
    if run.share is not None:
        return Granted(())  # its parent holds the permits
    admission = _admission(run, definition, namespace, ports, now, place=place or run.place)
    if isinstance(admission, Queue | Full):
        keep_longer(run, definition, ports, now)
    return admission


def keep_longer(run: Run, definition: Definition, ports: Ports, now: datetime) -> None:
    """Keep the record of a run that waits longer, if its retention may end during the wait.

    Raises:
        Unavailable: when the store does not answer.
    """
    longer = kept_longer(run, definition.job, now)
    if longer != run:
        ports.runs.move(run, longer)


def _admission(
    run: Run,
    definition: Definition,
    namespace: Namespace | None,
    ports: Ports,
    now: datetime,
    *,
    place: datetime | None,
) -> Granted | Skip | Queue | Full:
    overlap = overlap_of(run, definition.job)
    lock = Granted(()) if overlap is Overlap.ALLOW else _lock(run, overlap, definition, ports, now)
    if not isinstance(lock, Granted):
        return lock
    permits = list(lock.permits)
    for limit in limits_of(definition.job, namespace):
        slot = find_slot(limit, run, ports, now)
        if slot is None:
            _keep_turn(run, overlap, lock, ports)
            return Full(limit)
        permits.append(slot)
    most = None if namespace is None else namespace.quota.runs_per_minute
    if namespace is None or most is None or run.attempt:
        return Granted(permits)
    from minutehand.usecases import pacing  # noqa: PLC0415 - most namespaces have no quota

    found = pacing.place_for(place, namespace.name, most, ports, now)
    if found.minute is not None and found.minute <= now:
        return Granted(permits, found.minute)
    _keep_turn(run, overlap, lock, ports)
    return Full(Limit(namespace.name, most, RUNS_A_MINUTE, quota=True), found)


def _keep_turn(run: Run, overlap: Overlap, lock: Granted, ports: Ports) -> None:
    """List a run that found its job's lock free, but must wait for something else, if runs queue or replace, so that later ones do not
    overtake."""
    for permit in lock.permits:
        if overlap is not Overlap.SKIP and not run.attempt and run.key.run_id not in permit.waiting:
            ports.permits.wait(permit.key, run.key.run_id)


def _lock(run: Run, overlap: Overlap, definition: Definition, ports: Ports, now: datetime) -> Granted | Skip | Queue:
    """The job's overlap lock if the run may take it; otherwise whether the run is skipped or waits."""
    key = lock_of(run.key.job)
    lock = ports.permits.get([key])[key]
    known = _named_by(lock, run, ports)
    start_within = definition.job.start_within
    verdict = at_the_lock(run, overlap, lock, known, now=now, start_within=start_within)
    last = known.get(lock.holder) if lock.holder else None
    if isinstance(verdict, Free) and last is not None:
        if overlap is Overlap.REPLACE and is_replaced_by(last, run):
            _cancel_for(run, last, ports)
        rests = _rests_until(run, last, definition)
        return Granted((lock,)) if rests is None or rests <= now else Queue(last.key, rests)
    if isinstance(verdict, Queue) and run.key.run_id not in lock.waiting:
        ports.permits.wait(key, run.key.run_id)
        # Decide again: the holder may have ended before this run was listed, and then found no run to wake.
        known = _named_by(lock, run, ports)
        verdict = at_the_lock(run, overlap, lock, known, now=now, start_within=start_within)
    if isinstance(verdict, Queue):
        _make_way(run, verdict, ports)
    return verdict if isinstance(verdict, Skip | Queue) else Granted((lock,))


def _rests_until(run: Run, last: Run, definition: Definition) -> datetime | None:
    """The end of the fixed delay after `last`, the lock's last holder; None where none applies. The delay may not be over: an edit may
    have placed the run as the last one began, before that one's end."""
    if not definition.job.fixed_delay:
        return None
    from minutehand.usecases.dispatching.fixed_delay import delay_of  # noqa: PLC0415 - loads the schedule library, 11 ms

    return delayed_until(run, last, delay_of(definition))


def naming_blocker(skip: Skip, run: Run, definition: Definition, ports: Ports, now: datetime) -> Skip:
    """A skip for `start_within`, with the run of the job for which this one waited at the overlap lock, if it did; other skips as
    they are. Only the lock shows that, so this reads it, with its holder, if runs of the job must not overlap.

    Raises:
        Unavailable: when a store does not answer.
    """
    missed = skip.missed
    if missed is None or missed.waited_for is WaitedFor.CLAIM or overlap_of(run, definition.job) is Overlap.ALLOW:
        return skip
    key = lock_of(run.key.job)
    lock = ports.permits.get([key])[key]
    holder = ports.runs.get([lock.holder]).get(lock.holder) if lock.holder else None
    behind = waited_behind(run, lock, holder, now)
    if behind is None and holder is not None:
        rests = _rests_until(run, holder, definition)
        behind = holder.key if rests is not None and misses_its_start(run, missed.within, rests) else None
    if behind is None:
        return skip
    return skip._replace(blocked_by=behind.run_id, missed=missed._replace(waited_for=WaitedFor.LOCK))


def find_slot(limit: Limit, run: Run, ports: Ports, now: datetime) -> Permit | None:
    """A slot that the run may take; None when all are taken."""
    for keys in slots_in_order(limit, run.key):
        slots = list(ports.permits.get(keys).values())
        holders = {slot.holder for slot in slots if slot.holder is not None}
        # Read the holders after the slots, so that each run is seen as it was when it took its slot, or later.
        known = ports.runs.get(sorted(holders)) if holders else {}
        slot = free_slot(slots, known, run.key, now)
        if slot is not None:
            return slot
    return None


def _named_by(lock: Permit, run: Run, ports: Ports) -> Mapping[RunKey, Run]:
    """The runs that the lock lists: its holder, and those that wait; of over 100 that wait, the oldest 50 and the newest 50."""
    half = _MOST_READ // 2
    waiting = lock.waiting if len(lock.waiting) <= _MOST_READ else (*lock.waiting[:half], *lock.waiting[-half:])
    named = [RunKey(run.key.job, name) for name in waiting]
    wanted = [*named, lock.holder] if lock.holder else named
    return ports.runs.get(wanted) if wanted else {}


def _make_way(run: Run, queue: Queue, ports: Ports) -> None:
    """Cancel the run that this one waits for, or send that run a message, as the decision `Queue` says."""
    behind = ports.runs.get([queue.behind]).get(queue.behind)
    if behind is None:
        return
    if queue.cancels:
        _cancel_for(run, behind, ports)
    if queue.wakes:
        ports.outbox.send([message_for(behind)])


def _cancel_for(run: Run, other: Run, ports: Ports) -> None:
    """Cancel another run of the job, because `run` replaces it."""
    if not other.cancelled_by:
        cancel_active(ports, other, by=replacing(run.key))
