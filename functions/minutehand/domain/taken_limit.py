"""The concurrency limit that a run waits for: why a worker found no free slot."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class LimitKind(Enum):
    """What a concurrency limit limits."""

    JOB = "job"
    """The attempts of one job: its `max_concurrency`."""
    NAMESPACE = "namespace"
    """The attempts of all jobs of a namespace: its `max_concurrency`."""
    NAMED = "named"
    """The attempts of the jobs of a namespace that have the limit's name in their `limits`."""


class TakenLimit(NamedTuple):
    """A concurrency limit whose slots were all taken when a run tried to start.

    Attributes:
        most: the number of its slots.
        name: empty unless it is a named limit.
        quota: whether it is the namespace's quota. Earlier versions take it for the namespace's own, or for a named limit.
    """

    kind: LimitKind
    most: int
    name: str = ""
    quota: bool = False

    @property
    def of_minutes(self) -> bool:
        """Whether it limits how many runs begin in a minute. It has places in minutes, and no slots."""
        return self.quota and self.kind is LimitKind.NAMED

    @property
    def text(self) -> str:
        """The limit in words, and that all of it was in use, when the run asked: `limit db, 3 of 3 in use`."""
        match self.kind:
            case LimitKind.NAMED if self.quota:
                return f"the namespace's quota, which let {self.most:,} {'run' if self.most == 1 else 'runs'} begin in a minute when it asked"
            case LimitKind.NAMESPACE if self.quota:
                limit = "the namespace's quota of concurrency"
            case LimitKind.NAMED:
                limit = f"limit {self.name}"
            case LimitKind.NAMESPACE:
                limit = "the namespace's max_concurrency"
            case LimitKind.JOB:
                limit = "the job's max_concurrency"
        return f"{limit}, {self.most:,} of {self.most:,} in use"
