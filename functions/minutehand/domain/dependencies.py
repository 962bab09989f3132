"""Dependencies: which runs of a job's parents start a run of that job, the child, and for which window of time. Pure.

Only the nominal instant of a parent's run decides which window of the child it belongs to. The child has at most one run per
window. Without a `join_window`, and if one parent's run is enough, it also has one for each parent's run that was requested.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, Join, On
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.schedule import WallClock, wall_clock

MOST_CHILDREN = 100
"""Most jobs that may depend on one job: all of them are read whenever one of its runs ends."""
LONGEST_WINDOW = timedelta(days=31)
_DAY = timedelta(days=1)
_FOR_ONE = "of-"
"""Begins the identity of a child's run that one parent's run started for itself alone."""

_FAILED = frozenset((RunState.FAILED, RunState.TIMED_OUT, RunState.LOST))
_ENDED_AS: Mapping[On, frozenset[RunState]] = {
    On.SUCCESS: frozenset((RunState.SUCCEEDED,)),
    On.FAILURE: _FAILED,
    On.END: _FAILED | {RunState.SUCCEEDED, RunState.CANCELLED},
    On.SKIPPED: frozenset((RunState.SKIPPED,)),
}


def parents_of(definition: Definition | None) -> set[JobKey]:
    """The jobs that a job depends on; none for a deleted job."""
    if definition is None or definition.deleted:
        return set()
    return {entry.job for entry in definition.job.depends_on}


class Window(NamedTuple):
    """A span from `start` until before `end`, in UTC: parents' runs with nominal instants in it belong together."""

    start: datetime
    end: datetime


def window_problem(window: timedelta | None) -> str | None:
    """Why windows cannot have this length, in words; None when they can."""
    if window is None:
        return None
    if window > LONGEST_WINDOW:
        return "is longer than 31d"
    fits = window > timedelta(0) and (window % _DAY == timedelta(0) or _DAY % window == timedelta(0))
    return None if fits else "neither divides a day nor is whole days"


def window_of(job: Job, instant: datetime) -> Window:
    """The window of a job that a nominal instant belongs to: one second for a job without a `join_window`.

    Windows follow the clocks of the job's time zone: days begin at midnight, and spans of several days on a Monday. A window of
    more than an hour lasts from when clocks first show its start until they first show its end, so a day has 23 or 25 hours when
    clocks change. A window of up to an hour is never longer than its length: an hour that clocks show twice has its own windows
    each time.
    """
    length = job.join_window
    if length is None:
        return Window(instant, instant + SECOND)
    clock = wall_clock(job.timezone)
    local = clock.local(instant)
    since = _since_window_start(local, length)
    if length <= timedelta(hours=1):
        return _short(clock, instant, since, length)
    begins = local - since
    if clock.instant(begins + length) <= instant:
        begins += length  # clocks were put back across the window's end, and show its last times again
    return Window(clock.instant(begins), clock.instant(begins + length))


def _short(clock: WallClock, instant: datetime, since: timedelta, length: timedelta) -> Window:
    """A window of up to an hour. If clocks changed between its nominal start and `instant`, it begins at that change."""
    begins, ends = instant - since, instant - since + length
    if clock.local(instant) - clock.local(begins) == since:
        return Window(begins, ends)
    before, after = begins, floor(instant)
    while after - before > SECOND:
        middle = before + (after - before) // SECOND // 2 * SECOND
        changed = clock.local(instant) - clock.local(middle) == instant - middle
        before, after = (before, middle) if changed else (middle, after)
    return Window(after, ends)


def _since_window_start(local: datetime, length: timedelta) -> timedelta:
    """How long before a wall time its window starts, as clocks show both."""
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if length < _DAY:
        return (local - midnight) % length
    days = (local.toordinal() - 1) % (length // _DAY)  # ordinal 1, 1 January of year 1, is a Monday
    return local - midnight + days * _DAY


def satisfied(entry: Dependency, run: Run) -> bool:
    """Whether a run belongs to the parent that a dependency names, and has ended as the dependency's `on` requires.

    A run that ended in shadow counts as a success, so that the runs which it would start are planned too. They are shadows as well.
    """
    ended_as = RunState.SUCCEEDED if run.ended_in_shadow else run.state
    return run.key.job == entry.job and ended_as in _ENDED_AS[entry.on]


def one_is_enough(job: Job) -> bool:
    """Whether the end of any one parent's run starts the job, rather than the ends of all of them."""
    return job.join is Join.ANY or len(job.depends_on) == 1


def starts_its_own_run(job: Job, parent: Run) -> bool:
    """Whether a parent's run starts a run of the job for itself alone, not for its window: several requests of one second are not
    the same occurrence, and each may have its own payload."""
    return job.join_window is None and one_is_enough(job) and _requested(parent)


def _requested(run: Run) -> bool:
    """Whether a run goes back to a trigger, directly or through parents. One that replaces a lost run does not:
    it has that run's instant, and so starts later."""
    return (run.key.triggered_by_hand and not run.start_delay) or f"~child-{_FOR_ONE}" in run.key.run_id


def joined(job: Job, window: Window, runs: Mapping[JobKey, Sequence[Run]], *, ended: Run) -> tuple[Run, ...] | None:
    """The parents' runs that start the child's run of a window, in the order of the parents; None when too few parents have a run
    that ended as required. Of the parent of `ended` this is `ended`; of each other parent, its newest run that satisfies the
    dependency. `runs` may also hold runs of other windows.
    """
    found: dict[RunKey, Run] = {}
    for entry in job.depends_on:
        counting = [
            run
            for run in runs.get(entry.job, ())
            if satisfied(entry, run) and window_of(job, run.scheduled_for).start == window.start
        ]
        if counting:
            chosen = max(counting, key=lambda run: (run.key == ended.key, run.key.run_id))
            found[chosen.key] = chosen
        elif job.join is Join.ALL:
            return None
    return tuple(found.values()) or None


def child_key(child: Definition, window: Window, parent: RunKey | None = None) -> RunKey:
    """The key of the child's run for a window, or for one parent's run. A job that was deleted and created again has other keys."""
    job = child.job
    length = 0 if job.join_window is None else job.join_window // SECOND
    which = f"{job.key} {length} {child.made_anew}" if child.made_anew else f"{job.key} {length}"
    if parent is not None:
        which = f"{which} {parent.job} {parent.run_id}"
    identity = hashlib.sha256(which.encode()).hexdigest()[:16]
    return RunKey.child(job.key, window.start, identity if parent is None else f"{_FOR_ONE}{identity}")


def keys_around(child: Definition, instant: datetime) -> Sequence[RunKey]:
    """Keys of the child's runs for two windows: the one that contains an instant, and the one before. The run of a window may start
    after the window has ended.

    Empty for a job without a `join_window`, whose runs are scheduled for their parents' instants. For an instant before the job was
    created again, the keys are those of the first job of its name.
    """
    job = child.job
    if job.join_window is None:
        return ()
    its = child if child.created_at <= instant else replace(child, made_anew=0)
    window = window_of(job, instant)
    return child_key(its, window), child_key(its, window_of(job, window.start - SECOND))


def child_run(child: Definition, key: RunKey, parents: Sequence[Run], now: datetime) -> Run:
    """The child's run that these parents' runs start. Its lateness counts from `now`, when the last parent's run has ended."""
    return Run(
        key=key,
        target=child.job.target.type,
        revision=child.revision,
        claimed_at=now,
        expires_at=floor(now) + child.job.retention,
        start_delay=max(floor(now) - key.scheduled_for, timedelta(0)),
        parents=tuple(run.key for run in parents),
        shadow=any(run.ended_in_shadow for run in parents),
    )
