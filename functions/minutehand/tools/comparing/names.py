"""Which job is meant by a name in another scheduler's log. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

IMPORTED_NAME = "imported/name"
"""The label in which an imported job keeps the name of its entry."""
IGNORED = "-"
"""In place of a job: the name is to be ignored."""


class Known(NamedTuple):
    """A job by which a log may name runs.

    Attributes:
        job: `namespace/name`.
        imported: the name of the entry that it was imported from; empty if it was not.
        command: the command of the crontab line that it was imported from, in the same way.
    """

    job: str
    imported: str = ""
    command: str = ""


class Unknown(NamedTuple):
    """No job, or more than one, is meant."""

    why: str


class Names:
    """The names of jobs, and those that the user mapped to jobs."""

    def __init__(self, jobs: Iterable[Known], mapped: Mapping[str, str], namespace: str) -> None:
        """Args:
        mapped: names, or patterns with `*` and `?`, each with its job or `IGNORED`.
        namespace: of jobs that are named without one.
        """
        self._mapped = {
            name: job if job == IGNORED or "/" in job else f"{namespace}/{job}" for name, job in mapped.items()
        }
        self._namespace = namespace
        self._jobs: set[str] = set()
        self._others: dict[str, set[str]] = defaultdict(set)
        for each in jobs:
            self._jobs.add(each.job)
            for other in (each.imported, each.command):
                if other:
                    self._others[other].add(each.job)

    @property
    def mapped_jobs(self) -> set[str]:
        """The jobs to which names are mapped."""
        return {job for job in self._mapped.values() if job != IGNORED}

    def job_of(self, name: str) -> str | Unknown | None:
        """The job that a name means; None if it is to be ignored."""
        pattern = (
            name if name in self._mapped else next((each for each in self._mapped if fnmatchcase(name, each)), None)
        )
        if pattern is not None:
            job = self._mapped[pattern]
            return None if job == IGNORED else job
        if name in self._jobs:
            return name
        if f"{self._namespace}/{name}" in self._jobs:
            return f"{self._namespace}/{name}"
        found = self._others.get(name) or self._others.get(name.rpartition("/")[2]) or set()
        if len(found) == 1:
            return next(iter(found))
        if found:
            return Unknown(f"it may be {', '.join(sorted(found)[:5])}")
        return Unknown("no job has this name, label or command")
