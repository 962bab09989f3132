"""Dependents: which runs of its parents start a run of a job, and which window it belongs to. Pure.

A parent's run belongs to a window of each job that depends on it, by its nominal instant alone; how it came about does not matter. A
window gets one run at the most.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import Definition, Dependency, Job, JobKey, Join, On
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.schedule import WallClock, wall_clock

MOST_CHILDREN = 100
"""Jobs that may depend on one job: all are looked at whenever one of its runs ends."""
LONGEST_WINDOW = timedelta(days=31)
_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)

_FAILED = frozenset((RunState.FAILED, RunState.TIMED_OUT, RunState.LOST))
_ENDED_AS: Mapping[On, frozenset[RunState]] = {
    On.SUCCESS: frozenset((RunState.SUCCEEDED,)),
    On.FAILURE: _FAILED,
    On.END: _FAILED | {RunState.SUCCEEDED, RunState.CANCELLED},
    On.SKIPPED: frozenset((RunState.SKIPPED,)),
}


def parents_of(definition: Definition | None) -> set[JobKey]:
    """The jobs that a job depends on; a deleted one depends on none."""
    if definition is None or definition.deleted:
        return set()
    return {entry.job for entry in definition.job.depends_on}


class Window(NamedTuple):
    """A stretch of nominal time, from `start` up to `end`, which is not in it."""

    start: datetime
    end: datetime


def window_problem(window: timedelta | None) -> str | None:
    """Why windows cannot be of this length, in words; None when they can."""
    if window is None:
        return None
    if window > LONGEST_WINDOW:
        return "is longer than 31d"
    fits = window > timedelta(0) and (window % _DAY == timedelta(0) or _DAY % window == timedelta(0))
    return None if fits else "neither divides a day nor is whole days"


def window_of(job: Job, instant: datetime) -> Window:
    """The window of a job that a nominal instant belongs to: the instant alone, for a job without a `join_window`.

    Windows are cut on the clocks of the job's time zone, days at midnight and several days from a Monday on. One of more than an hour
    lasts from when the clocks first show its beginning until they first show its end, so that a day has 23 or 25 hours when they are
    changed. One of up to an hour is never longer than it says: the hour that the clocks show twice has windows of its own each time.
    """
    length = job.join_window
    if length is None:
        return Window(instant, instant + SECOND)
    clock = wall_clock(job.timezone)
    local = clock.local(instant)
    since = _since_grid(local, length)
    if length <= _HOUR:
        return _short(clock, instant, since, length)
    begins = local - since
    if (
        clock.instant(begins + length) <= instant
    ):  # the clocks were put back over the end, and show what was before it again
        begins += length
    return Window(clock.instant(begins), clock.instant(begins + length))


def _short(clock: WallClock, instant: datetime, since: timedelta, length: timedelta) -> Window:
    """A window of up to an hour; it begins where the clocks were changed, if the time that they then showed begins none."""
    begins, ends = instant - since, instant - since + length
    if clock.local(instant) - clock.local(begins) == since:
        return Window(begins, ends)
    before, after = begins, floor(instant)
    while after - before > SECOND:
        middle = before + (after - before) // SECOND // 2 * SECOND
        changed = clock.local(instant) - clock.local(middle) == instant - middle
        before, after = (before, middle) if changed else (middle, after)
    return Window(after, ends)


def _since_grid(local: datetime, length: timedelta) -> timedelta:
    """How long before a wall time the clocks showed the last beginning of a window."""
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if length < _DAY:
        return (local - midnight) % length
    days = (local.toordinal() - 1) % (length // _DAY)  # day 1 was a Monday
    return local - midnight + days * _DAY


def satisfied(entry: Dependency, run: Run) -> bool:
    """Whether a run is one of this parent's and has ended as asked."""
    return run.key.job == entry.job and run.state in _ENDED_AS[entry.on]


def joined(job: Job, window: Window, runs: Mapping[JobKey, Sequence[Run]], *, ended: Run) -> tuple[Run, ...] | None:
    """The parents' runs of a window that start a run of the job, in the order of its parents: the one that has just ended, and of each
    other the newest that counts.

    None when they are too few. `runs` may hold others than the window's.
    """
    found: dict[RunKey, Run] = {}
    for entry in job.depends_on:
        counting = [run for run in runs.get(entry.job, ()) if satisfied(entry, run) and _within(job, window, run)]
        if counting:
            chosen = max(counting, key=lambda run: (run.key == ended.key, run.key.run_id))
            found[chosen.key] = chosen
        elif job.join is Join.ALL:
            return None
    return tuple(found.values()) or None


def _within(job: Job, window: Window, run: Run) -> bool:
    return window_of(job, run.scheduled_for).start == window.start


def child_key(child: Definition, window: Window) -> RunKey:
    """The key of the one run of a window. A job that was deleted and made again is another one, and has a run of its own."""
    job = child.job
    length = 0 if job.join_window is None else job.join_window // SECOND
    which = f"{job.key} {length} {child.made_anew}" if child.made_anew else f"{job.key} {length}"
    return RunKey.child(job.key, window.start, hashlib.sha256(which.encode()).hexdigest()[:16])


def keys_around(child: Definition, instant: datetime) -> Sequence[RunKey]:
    """The keys of the run of the window that an instant belongs to, and of the run of the window before it, which may begin as late;
    none for a job without a `join_window`, whose runs bear the instants themselves. Of an instant before a job was made again, those
    of the first job of its name."""
    job = child.job
    if job.join_window is None:
        return ()
    its = child if child.created_at <= instant else replace(child, made_anew=0)
    window = window_of(job, instant)
    return child_key(its, window), child_key(its, window_of(job, window.start - SECOND))


def child_run(child: Definition, window: Window, parents: Sequence[Run], now: datetime) -> Run:
    """The run that these parents' runs start. It is late only from now on, when the last of them has ended."""
    key = child_key(child, window)
    return Run(
        key=key,
        target=child.job.target.type,
        revision=child.revision,
        claimed_at=now,
        expires_at=floor(now) + child.job.retention,
        start_delay=max(floor(now) - key.scheduled_for, timedelta(0)),
        parents=tuple(run.key for run in parents),
    )
