"""Child runs: the runs of dependent jobs that the end of a parent's run starts. Starting them again changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from minutehand.domain.definition import Definition
from minutehand.domain.dependencies import (
    Window,
    child_key,
    child_run,
    joined,
    one_is_enough,
    satisfied,
    starts_its_own_run,
    window_of,
)
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.trim import SETTLED
from minutehand.usecases.dispatching.send import send
from minutehand.usecases.dispatching.watchlists import claim_watched
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim
from minutehand.usecases.retries import read_each


def start_children(run: Run, definition: Definition, ports: Ports) -> bool:
    """Start a run of each job that depends on this one, if enough of that job's parents have runs that ended as it requires.

    A process first writes the end of one parent's run and then reads the other parents' runs, consistently. So when several end at
    once, at least the last process sees that all have ended. The conditional create lets one process alone create the child's run.

    Args:
        definition: the definition of the job whose run has ended.

    Returns:
        Whether every child's run that is due exists, and was sent or has begun. If not, the ended run's message must stay.
    """
    if not definition.children or not run.state.finished:
        return True
    children, unread = read_each(ports.definitions.get, sorted(definition.children))
    now = ports.clock()
    concerned = _concerned(run, children.values(), now)
    existing, unfound = read_each(ports.runs.get, list(concerned)) if concerned else ({}, {})
    complete = not unread and not unfound
    new: list[Run] = []
    for key, (child, window) in concerned.items():
        if key in existing:
            continue
        try:
            parents = _parents(run, child, window, ports)
        except Unavailable:
            complete = False
        else:
            new += [child_run(child, key, parents, now)] if parents else []
    return send_children(run, new, [*existing.values()], ports) and complete


def without_children(ended: Sequence[Run], ports: Ports) -> Collection[RunKey]:
    """Those of these ended runs whose children's runs are due but do not exist: a worker ended the run and died before it started them.

    Raises:
        Unavailable: when a store does not answer.
    """
    now = ports.clock()
    parents = ports.definitions.get(sorted({run.key.job for run in ended}))
    children = ports.definitions.get(sorted({child for parent in parents.values() for child in parent.children}))
    due: list[tuple[RunKey, Run, Definition, Window]] = []
    for run in ended:
        parent = parents.get(run.key.job)
        of_job = [children[child] for child in sorted(parent.children) if child in children] if parent else []
        due += [(key, run, child, window) for key, (child, window) in _concerned(run, of_job, now).items()]
    existing = ports.runs.get([key for key, *_ in due]) if due else {}
    return {run.key for key, run, child, window in due if key not in existing and _parents(run, child, window, ports)}


def _concerned(run: Run, children: Iterable[Definition], now: datetime) -> Mapping[RunKey, tuple[Definition, Window]]:
    """The keys of the children's runs that the end of `run` may start, each with the child's definition and the join window."""
    return {
        child_key(child, window, run.key if starts_its_own_run(child.job, run) else None): (child, window)
        for child in children
        if _concerns(run, child, now)
        for window in [window_of(child.job, run.scheduled_for)]
    }


def _concerns(run: Run, child: Definition, now: datetime) -> bool:
    """Whether the end of `run` may start a run of `child`. An end before the child's creation may not. Neither may one so long ago
    that the child's run may have been started and removed since."""
    waits_for_it = any(satisfied(entry, run) for entry in child.job.depends_on)
    if not waits_for_it or child.deleted:
        return False
    known_for = child.job.retention if child.job.retention_count is None else SETTLED
    return run.finished_at is None or max(child.created_at, now - known_for) <= run.finished_at


def _parents(run: Run, child: Definition, window: Window, ports: Ports) -> Sequence[Run] | None:
    """The parents' runs that start the child's run; None while one is missing or has not ended as required."""
    job = child.job
    if one_is_enough(job):
        return [run]
    others = {entry.job for entry in job.depends_on} - {run.key.job}
    if len(others) + 1 < len(job.depends_on):  # the child names this parent more than once, for several ends
        others.add(run.key.job)
    runs: dict[JobKey, Sequence[Run]] = {run.key.job: [run]}
    for parent in sorted(others):
        runs[parent] = ports.runs.between(parent, window.start - SECOND, window.end - SECOND)
    return joined(job, window, runs, ended=run)


def send_children(run: Run, new: Sequence[Run], existing: Sequence[Run], ports: Ports) -> bool:
    """Create and send the new child runs of `run`. Returns whether none of its child runs lacks a message.

    A child run that exists and is still queued is sent again if `run` is among its `parents`: the process that created it may have
    died before it sent the message. If `run` is not among them, nothing is sent, so that a child run that waits long does not get a
    message from each parent.
    """
    outcomes = claim_watched(new, ports)
    ready = [one for one, outcome in zip(new, outcomes, strict=True) if outcome is Claim.CLAIMED]
    others = [one.key for one, outcome in zip(new, outcomes, strict=True) if outcome is Claim.EXISTS]
    found, unfound = read_each(ports.runs.get, others) if others else ({}, {})
    for one in (*existing, *found.values()):
        if one.state is RunState.QUEUED and run.key in one.parents:
            ready.append(one)
    sent = send(ready, ports, ports.clock()) if ready else []
    return all(sent) and not unfound and Claim.FAILED not in outcomes
