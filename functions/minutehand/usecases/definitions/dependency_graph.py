"""Lineage: what a job may depend on. Checked when it is saved, and held by the transaction that saves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType
from typing import NamedTuple

from minutehand.domain.dependencies import MOST_CHILDREN, parents_of, window_problem
from minutehand.domain.durations import format_duration
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.job import MOST_PARENTS, Definition, Job, JobKey
from minutehand.usecases.ports.bundle import Ports

MOST_ANCESTORS = 1_000
"""Jobs that may stand above one that has both parents and children: all are read when it is given another parent."""
_NOBODY: Set[JobKey] = frozenset()


class Lineage(NamedTuple):
    """The revisions, as read, of the parents that a job is given, and the version of all dependencies if that had to be known;
    see `Change`."""

    parents: Mapping[JobKey, int] = MappingProxyType({})
    graph: int | None = None


def lineage_for(
    before: Definition | None, after: Definition, ports: Ports, *, expected: Set[JobKey] = _NOBODY
) -> Lineage:
    """What the saving of a definition needs to know of the jobs above it.

    A job that nothing depends on closes no circle, and a save is refused when its children are not as read; so only one that has
    children is searched for, among the jobs above its new parents.

    Args:
        expected: jobs that are taken to be there, though they may not be yet.

    Raises:
        Invalid: for parents that are not there, too many or twice, for a circle, and for a window that no day is divided by.
    """
    if after.deleted:
        return Lineage()
    problems = list(_problems(after.job))
    if problems:
        raise Invalid(*problems)
    added = sorted(parents_of(after) - parents_of(before))
    if not added:
        return Lineage()
    graph = ports.definitions.graph() if after.children else None
    found = ports.definitions.get(added)
    problems = [p for key in added for p in _problems_with(key, found.get(key), after.job, expected)]
    if problems:
        raise Invalid(*problems)
    if graph is not None:
        _refuse_circle(after, found, ports)
    return Lineage({key: found[key].revision for key in added if key in found}, graph)


def _problems(job: Job) -> Iterator[FieldProblem]:
    """What is wrong with a job's dependencies, whatever the jobs are that it names."""
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
        many = f"has {len(job.depends_on)} entries; {MOST_PARENTS} are the most"
        yield FieldProblem("depends_on", many, "put a job between, that joins some of them")
    if job.join_window is not None and (problem := window_problem(job.join_window)):
        said = f"{format_duration(job.join_window)} {problem}"
        yield FieldProblem(
            "join_window", said, "write 15m, 1h, 6h, 1d or 7d, so that windows begin at the same time each day"
        )


def _problems_with(parent: JobKey, found: Definition | None, job: Job, expected: Set[JobKey]) -> Iterator[FieldProblem]:
    if parent in expected and (found is None or found.deleted):
        return
    path = _path(job, parent)
    if found is None or found.deleted:
        was = f"the job {parent} was deleted" if found else f"there is no job {parent}"
        yield FieldProblem(path, was, "save it first, or leave it out: minutehand list shows those there are")
    elif len(found.children - {job.key}) >= MOST_CHILDREN:
        yield FieldProblem(
            path, f"{MOST_CHILDREN} jobs depend on {parent} already", "let it depend on one of them instead"
        )


def _path(job: Job, parent: JobKey) -> str:
    number = next(n for n, entry in enumerate(job.depends_on) if entry.job == parent)
    return f"depends_on[{number}].job"


def _refuse_circle(after: Definition, parents: Mapping[JobKey, Definition], ports: Ports) -> None:
    """Look for the job among those above its parents, level by level.

    Raises:
        Invalid: with the circle, each job before the one that it starts; or when there are too many to look at.
    """
    child_of: dict[JobKey, JobKey] = dict.fromkeys(parents, after.job.key)
    level = parents
    while level:
        above: dict[JobKey, JobKey] = {}
        for key, definition in level.items():
            above |= {parent: key for parent in parents_of(definition) if parent not in child_of}
        child_of |= above
        if after.job.key in above:
            raise Invalid(_circle(after.job, child_of))
        if len(child_of) > MOST_ANCESTORS:
            many = f"more than {MOST_ANCESTORS:,} jobs stand above it"
            raise Invalid(FieldProblem("depends_on", many, "cut the chain in two"))
        level = ports.definitions.get(sorted(above)) if above else {}


def _circle(job: Job, child_of: Mapping[JobKey, JobKey]) -> FieldProblem:
    circle = [job.key]
    while (child := child_of[circle[-1]]) != job.key:
        circle.append(child)
    parent = circle[-1]
    told = " -> ".join(map(str, [*circle, job.key]))
    return FieldProblem(
        _path(job, parent), f"{parent} runs after {job.key} already: {told}", "leave one of these dependencies out"
    )
