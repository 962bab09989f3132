"""Dependents: the runs that the end of a parent's run starts. Part of following up: doing it again changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from minutehand.domain.dependencies import Window, child_key, child_run, joined, satisfied, window_of
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Definition, JobKey, Join
from minutehand.domain.run import Run, RunState
from minutehand.usecases.completion.trim import SETTLED
from minutehand.usecases.dispatching.send import send
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim

K = TypeVar("K")
V = TypeVar("V")


def start_children(run: Run, definition: Definition, ports: Ports) -> bool:
    """Start a run of each job that depends on this one and has all that it waits for, now that this run has ended.

    Whoever ends a run records that first and reads the other parents' runs, consistently, afterwards: so of several that end at
    once, at least the last sees them all; the conditional create leaves one run to each window.

    Args:
        definition: of the run's job.

    Returns:
        Whether each of these runs exists and has a message, or is past needing one. Until then the message of the parent's run has
        to stay.
    """
    if not definition.children or not run.state.finished:
        return True
    children, all_read = _each(ports.definitions.get, sorted(definition.children))
    now = ports.clock()
    concerned = {
        child_key(child, window): (child, window)
        for child in children.values()
        if _concerns(run, child, now)
        for window in [window_of(child.job, run.scheduled_for)]
    }
    there, all_found = _each(ports.runs.get, list(concerned)) if concerned else ({}, True)
    complete = all_read and all_found
    new: list[Run] = []
    for key, (child, window) in concerned.items():
        if key in there:
            continue
        try:
            started = _started_by(run, child, window, ports, now)
        except Unavailable:
            complete = False
        else:
            new += [started] if started else []
    return _sent(run, new, [*there.values()], ports) and complete


def _concerns(run: Run, child: Definition, now: datetime) -> bool:
    """Whether a run's end is one that the child waits for. What ended before the child was made is none, whoever meets its message; nor is
    what ended so long ago that a run which it started may have been forgotten since."""
    waits_for_it = any(satisfied(entry, run) for entry in child.job.depends_on)
    if not waits_for_it or child.deleted:
        return False
    known_for = child.job.retention if child.job.retention_count is None else SETTLED
    return run.finished_at is None or max(child.created_at, now - known_for) <= run.finished_at


def _started_by(run: Run, child: Definition, window: Window, ports: Ports, now: datetime) -> Run | None:
    """The child's run of this window, if all that it waits for is there."""
    job = child.job
    if job.join is Join.ANY or len(job.depends_on) == 1:
        return child_run(child, window, [run], now)
    others = {entry.job for entry in job.depends_on} - {run.key.job}
    if len(others) + 1 < len(job.depends_on):  # this parent is to end in several ways
        others.add(run.key.job)
    runs: dict[JobKey, Sequence[Run]] = {run.key.job: [run]}
    for parent in sorted(others):
        runs[parent] = ports.runs.between(parent, window.start - SECOND, window.end - SECOND)
    parents = joined(job, window, runs, ended=run)
    return child_run(child, window, parents, now) if parents else None


def _sent(run: Run, new: Sequence[Run], there: Sequence[Run], ports: Ports) -> bool:
    """Create what is new, and send that. Whether all of it is under way.

    What was there and is still queued is sent again if this run is among its parents: whoever created it may have died before the
    message was sent, and is sure to be one of them. Others need not, or a run that waits for long would have a message from each.
    """
    outcomes = ports.runs.claim(new) if new else []
    ready = [one for one, outcome in zip(new, outcomes, strict=True) if outcome is Claim.CLAIMED]
    others = [one.key for one, outcome in zip(new, outcomes, strict=True) if outcome is Claim.EXISTS]
    found, all_found = _each(ports.runs.get, others) if others else ({}, True)
    for one in (*there, *found.values()):
        if one.state is RunState.QUEUED and run.key in one.parents:
            ready.append(one)
    sent = send(ready, ports, ports.clock()) if ready else []
    return all(sent) and all_found and Claim.FAILED not in outcomes


def _each(read: Callable[[Sequence[K]], Mapping[K, V]], keys: Sequence[K]) -> tuple[Mapping[K, V], bool]:
    """What can be read, one by one when one call for all fails: a bad one must not keep the others. And whether all could."""
    try:
        return read(keys), True
    except Unavailable:
        if len(keys) == 1:
            return {}, False
    parts = [_each(read, [key]) for key in keys]
    return {key: value for part, _ in parts for key, value in part.items()}, all(whole for _, whole in parts)
