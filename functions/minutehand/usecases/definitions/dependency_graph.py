"""Dependency graph: which jobs a job may depend on. Checked when it is saved, and enforced by the transaction that saves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from minutehand.domain.definition import Definition
from minutehand.domain.dependencies import MOST_CHILDREN, parents_of, window_problem
from minutehand.domain.durations import format_duration
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.job import MOST_PARENTS, Job
from minutehand.domain.job_key import JobKey
from minutehand.usecases.ports.bundle import Ports

MOST_ANCESTORS = 1_000
"""Ancestors of a job that has children, at most: all are read when it gets another parent."""


def graph_reads_for(
    before: Definition | None, after: Definition, ports: Ports, *, expected: Set[JobKey] = frozenset()
) -> tuple[Mapping[JobKey, int], int | None]:
    """Check a definition's dependencies. Answers what the check has read: the revisions of the job's new parents, and the version of the graph
    where that matters; see `Change`.

    Only a job with children can close a cycle, and a save is refused when its children are not as read. So only such a job is
    searched for among the ancestors of its new parents.

    Args:
        expected: jobs that are assumed to exist, though they may not yet.

    Raises:
        Invalid: for parents that do not exist, are too many or repeated, for a cycle, and for a `join_window` that does not divide a day.
    """
    if after.deleted:
        return {}, None
    problems = list(_problems(after.job))
    if problems:
        raise Invalid(*problems)
    added = sorted(parents_of(after) - parents_of(before))
    if not added:
        return {}, None
    graph = ports.definitions.graph() if after.children else None
    found = ports.definitions.get(added)
    problems = [p for key in added for p in _problems_with(key, found.get(key), after.job, expected)]
    if problems:
        raise Invalid(*problems)
    if graph is not None:
        _refuse_cycle(after, found, ports)
    return {key: found[key].revision for key in added if key in found}, graph


def _problems(job: Job) -> Iterator[FieldProblem]:
    """Problems of a job's dependencies that show without reading its parents."""
    seen = set()
    for number, entry in enumerate(job.depends_on):
        path = f"depends_on[{number}]"
        if entry.job == job.key:
            yield FieldProblem(f"{path}.job", "a job cannot depend on itself", "name another job, or leave it out")
        elif entry in seen:
            twice = f"{entry.job} is named twice with on: {entry.on.value}"
            yield FieldProblem(path, twice, "leave one of them out")
        seen.add(entry)
    if len(job.depends_on) > MOST_PARENTS:
        many = f"has {len(job.depends_on)} entries; {MOST_PARENTS} is the most"
        yield FieldProblem("depends_on", many, "add a job in between that joins some of them")
    if job.join_window is not None and (problem := window_problem(job.join_window)):
        problem = f"{format_duration(job.join_window)} {problem}"
        yield FieldProblem(
            "join_window", problem, "write 15m, 1h, 6h, 1d or 7d, so that windows begin at the same time each day"
        )


def _problems_with(parent: JobKey, found: Definition | None, job: Job, expected: Set[JobKey]) -> Iterator[FieldProblem]:
    if parent in expected and (found is None or found.deleted):
        return
    path = _path(job, parent)
    if found is None or found.deleted:
        was = f"the job {parent} was deleted" if found else f"there is no job {parent}"
        yield FieldProblem(path, was, "save it first, or leave it out: minutehand list shows the jobs")
    elif len(found.children - {job.key}) >= MOST_CHILDREN:
        yield FieldProblem(path, f"{MOST_CHILDREN} jobs depend on {parent} already", "depend on one of them instead")


def _path(job: Job, parent: JobKey) -> str:
    number = next(n for n, entry in enumerate(job.depends_on) if entry.job == parent)
    return f"depends_on[{number}].job"


def _refuse_cycle(after: Definition, parents: Mapping[JobKey, Definition], ports: Ports) -> None:
    """Search the job among the ancestors of its parents, level by level.

    Raises:
        Invalid: with the cycle, each job before the one that it starts; or when there are too many ancestors.
    """
    child_of: dict[JobKey, JobKey] = dict.fromkeys(parents, after.job.key)
    level = parents
    while level:
        above: dict[JobKey, JobKey] = {}
        for key, definition in level.items():
            above |= {parent: key for parent in parents_of(definition) if parent not in child_of}
        child_of |= above
        if after.job.key in above:
            cycle = [after.job.key]
            while (child := child_of[cycle[-1]]) != after.job.key:
                cycle.append(child)
            path = " -> ".join(map(str, [*cycle, after.job.key]))
            message = f"{cycle[-1]} runs after {after.job.key} already: {path}"
            raise Invalid(FieldProblem(_path(after.job, cycle[-1]), message, "leave one of these dependencies out"))
        if len(child_of) > MOST_ANCESTORS:
            many = f"it would have more than {MOST_ANCESTORS:,} ancestors"
            raise Invalid(FieldProblem("depends_on", many, "split the chain in two"))
        level = ports.definitions.get(sorted(above)) if above else {}
