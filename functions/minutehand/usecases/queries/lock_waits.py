"""Lock waits: for which run of its job another run waits, where the job's runs must not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import is_active, lock_of, overlap_of, turn
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports

MOST_READ = 100
"""Maximum waiting runs that are read for one answer; further ones count as waiting."""


class LockWait(NamedTuple):
    """A run's wait for its job's overlap lock.

    Attributes:
        behind: the active run that holds the lock; or, if the holder has ended, the waiting run whose turn it is.
        since: when the newest attempt of `behind` began; None before its first.
        before: how many other waiting runs come before this one.
        overlap: the policy that makes it wait.
    """

    behind: RunKey
    since: datetime | None
    before: int
    overlap: Overlap


def lock_waits(
    ports: Ports, job: JobKey, runs: Sequence[Run], definition: Definition | None = None
) -> Mapping[RunKey, LockWait | None]:
    """For each of these runs of a job that is due to start: the run for which it waits at the job's overlap lock; None if it does
    not wait there, but for a worker.

    Reads nothing unless a run is due; then the lock, and if one of the due runs waits for it, its holder and up to `MOST_READ` of
    the runs that wait. If a store does not answer, the answer is empty: a run can be shown without its wait.

    Args:
        definition: the job's definition; it is read if it is needed and not given.
    """
    now = ports.clock()
    due = [run for run in runs if _is_due(run, now) and not _may_overlap(run, definition)]
    if not due:
        return {}
    try:
        lock = ports.permits.get([lock_of(job)])[lock_of(job)]
        found: dict[RunKey, LockWait | None] = {run.key: None for run in due}
        listed = [run for run in due if run.key.run_id in lock.waiting]
        if not listed:
            return found
        definition = definition or ports.definitions.get([job]).get(job)
        if definition is None:
            return {}
        waiting = sorted((RunKey(job, name) for name in lock.waiting), key=turn)
        known = ports.runs.get([*waiting[:MOST_READ], *([lock.holder] if lock.holder else [])])
    except Unavailable:
        return {}
    holder = known.get(lock.holder) if lock.holder else None
    active = holder if is_active(holder, now) else None
    queued = [key for key in waiting[:MOST_READ] if key in known and known[key].state is RunState.QUEUED]
    queued += waiting[MOST_READ:]
    for run in listed:
        found[run.key] = _wait(run, active, queued, overlap_of(run, definition.job))
    return found


def _is_due(run: Run, now: datetime) -> bool:
    return run.state in (RunState.QUEUED, RunState.RETRYING) and run.due_at <= now


def _may_overlap(run: Run, definition: Definition | None) -> bool:
    return (run.overlap if definition is None else overlap_of(run, definition.job)) is Overlap.ALLOW


def _wait(run: Run, holder: Run | None, queued: Sequence[RunKey], overlap: Overlap) -> LockWait | None:
    """The wait of a run that the lock lists; None if it is this run's turn."""
    # A retry goes before all that have not begun, and with `replace` the newest run does.
    first_come = run.attempt == 0 and overlap is not Overlap.REPLACE
    before = [key for key in queued if turn(key) < turn(run.key)] if first_come else []
    if holder is not None and holder.key != run.key:
        return LockWait(holder.key, holder.started_at, len(before), overlap)
    if not before:
        return None
    return LockWait(before[0], None, len(before) - 1, overlap)
