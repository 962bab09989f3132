"""Check which jobs a saved job may depend on. The transaction that saves it fails if what was checked has changed."""

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
"""Most ancestors (parents, their parents and so on) of a job with children. All are read when the job gets another parent."""


def graph_reads_for(
    before: Definition | None, after: Definition, ports: Ports, *, expected: Set[JobKey] = frozenset()
) -> tuple[Mapping[JobKey, int], int | None]:
    """Check a definition's dependencies. Returns what was read, so that the save can compare it: the revisions of the job's new
    parents and, for a job with children, the version of the dependency graph (see `Change`).

    Only a job with children can close a cycle. So only for such a job are the ancestors of its new parents searched for the job
    itself. A save is refused when the job's children have changed since they were read.

    Args:
        expected: jobs that count as existing, although they may not be saved yet.

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
    """Problems of a job's dependencies that can be found without reading its parents."""
    seen = set()
    for number, entry in enumerate(job.depends_on):
        path = f"depends_on[{number}]"
        if entry.job == job.key:
            yield FieldProblem(f"{path}.job", "a job cannot depend on itself", "name another job, or leave it out")
        elif entry in seen:
            twice = f"{entry.job} is named twice with on: {entry.on.value}"
            yield FieldProblem(path, twice, "leave one of the two entries out")
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
    """Search for the job among its own ancestors, level by level: its parents, their parents, and so on.

    Raises:
        Invalid: when it is found, with the cycle as a list in which each job starts the next; or when there are too many ancestors. Of
            the cycle, only jobs in the namespaces of the job and its parents are named: who saves the job may read these.
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
            readable = {after.job.key.namespace, *(parent.namespace for parent in parents)}
            named = [str(key) if key.namespace in readable else "…" for key in [*cycle, after.job.key]]
            path = " -> ".join(named)
            message = f"{cycle[-1]} runs after {after.job.key} already: {path}"
            raise Invalid(FieldProblem(_path(after.job, cycle[-1]), message, "leave one of these dependencies out"))
        if len(child_of) > MOST_ANCESTORS:
            many = f"the job would have more than {MOST_ANCESTORS:,} ancestors (parents, their parents and so on)"
            raise Invalid(FieldProblem("depends_on", many, "split the chain in two"))
        level = ports.definitions.get(sorted(above)) if above else {}
