"""Entries: each is one stored item that names runs of a namespace and minute which were claimed together.

An entry lists its runs by time, as the index `by_time` lists a run that was claimed alone, for a write unit in all instead of one
for each run.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple, Protocol, TypeVar

from minutehand.domain.instants import SECOND, ceiling, to_compact, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey

MOST_BYTES = 800
"""Most bytes of an entry's names, so that its item stays below 1 KB with the longest name of a namespace. Any job's runs of one minute
take less than half."""
MINUTE = len("20261120T0900")
"""Characters of a run id from its year to its minute."""


class Nameable(Protocol):
    """A run, or what is known of it before its claim."""

    @property
    def key(self) -> RunKey:
        """The run's identity."""

    @property
    def expires_at(self) -> datetime:
        """When the run may be deleted."""


N = TypeVar("N", bound=Nameable)


class Entry(NamedTuple):
    """Names of runs that were claimed together. It is stored once and never changed.

    Attributes:
        minute: the beginning of the runs' ids, `20261120T0900`.
        names: the names of the jobs, each with the seconds of its runs unless that is the full minute: `backup report@0,20,40`.
        expires_at: when the last of the runs expires.
    """

    namespace: str
    minute: str
    names: str
    expires_at: datetime

    @property
    def id(self) -> str:
        """The number of runs, and a digest of the whole content: entries with the same id are equal."""
        content = " ".join((self.namespace, self.minute, to_text(self.expires_at), self.names))
        return f"{self.size}-{hashlib.sha256(content.encode()).hexdigest()[:20]}"

    @property
    def size(self) -> int:
        """The number of runs that it names."""
        return 1 + self.names.count(" ") + self.names.count(",")

    @property
    def runs(self) -> Iterator[RunKey]:
        """The runs that it names, by job and instant.

        Raises:
            ValueError: when the names cannot be read.
        """
        for text in self.names.split(" "):
            name, at, seconds = text.partition("@")
            for second in seconds.split(",") if at else ("0",):
                if not (name and second.isdecimal() and int(second) < 60):
                    raise ValueError(
                        f"{text!r} is neither the name of a job nor a name with seconds, as in report@0,20,40"
                    )
                yield RunKey(JobKey(self.namespace, name), f"{self.minute}{int(second):02d}Z")


def minutes(start: datetime, end: datetime) -> tuple[str, str]:
    """The first and the last `minute` of entries that may name a run scheduled in [start, end)."""
    return to_compact(start)[:MINUTE], to_compact(end - SECOND)[:MINUTE]


def share_of(entry: str) -> float:
    """A run's share of the entry with this id: one divided by the number of runs that it names."""
    return 1 / int(entry.partition("-")[0])


def entries_of(runs: Iterable[N]) -> Iterator[tuple[Entry, Sequence[N]]]:
    """Entries for the runs of schedules that are to be claimed together, and the runs that each names. A run without another one of
    its namespace and minute gets none."""
    groups: defaultdict[tuple[str, str], list[N]] = defaultdict(list)
    for run in {run.key: run for run in runs}.values():
        groups[run.key.job.namespace, run.key.run_id[:MINUTE]].append(run)
    for (namespace, minute), members in groups.items():
        for names, named in _parts(sorted(members, key=lambda run: run.key)) if len(members) > 1 else ():
            if len(named) > 1:
                yield Entry(namespace, minute, names, ceiling(max(run.expires_at for run in named))), named


def _parts(runs: Sequence[N]) -> Iterator[tuple[str, Sequence[N]]]:
    """Divide runs, sorted by key, into parts whose names fit into an entry."""
    texts: list[str] = []
    named: list[N] = []
    size = 0
    for job, found in groupby(runs, key=lambda run: run.key.job):
        of_job = list(found)
        text = _written(job.name, of_job)
        if texts and size + len(text) > MOST_BYTES:
            yield " ".join(texts), named
            texts, named, size = [], [], 0
        texts.append(text)
        named += of_job
        size += len(text) + 1
    yield " ".join(texts), named


def _written(name: str, runs: Sequence[Nameable]) -> str:
    seconds = [run.key.run_id[MINUTE : MINUTE + 2] for run in runs]
    return name if seconds == ["00"] else f"{name}@{','.join(str(int(second)) for second in seconds)}"
