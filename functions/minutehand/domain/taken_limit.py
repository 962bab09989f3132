"""What a run waits for that may not start yet: a concurrency limit without a free slot, or a pool without a live agent."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration.field import Field, Pairs


class LimitKind(Enum):
    """What keeps a run from starting."""

    JOB = "job"
    """The attempts of one job: its `max_concurrency`."""
    NAMESPACE = "namespace"
    """The attempts of all jobs of a namespace: its `max_concurrency`."""
    NAMED = "named"
    """The attempts of the jobs of a namespace that have the limit's name in their `limits`."""
    POOL = "pool"
    """The commands of a pool of which no agent is live, or not the one, or none with the tags, that the job names."""


class TakenLimit(NamedTuple):
    """A concurrency limit whose slots were all taken when a run tried to start, or a pool without a live agent.

    Attributes:
        most: the number of its slots; of a pool, how many live agents a run on several nodes needs, otherwise 0.
        name: that of a named limit or a pool; otherwise empty.
        quota: whether it is the namespace's quota. Earlier versions take it for the namespace's own, or for a named limit.
        node: the node of the pool that the job names; empty if it names none.
        tags: those that a node of the pool must have.
    """

    kind: Annotated[LimitKind, Field(needs_for={LimitKind.POOL: "pools"})]
    most: int
    name: str = ""
    quota: bool = False
    node: str = ""
    tags: Pairs = ()

    @property
    def has_slots(self) -> bool:
        """Whether it has slots, which other runs hold."""
        return self.kind is not LimitKind.POOL and not self.of_minutes

    @property
    def of_minutes(self) -> bool:
        """Whether it limits how many runs begin in a minute. It has places in minutes, and no slots."""
        return self.quota and self.kind is LimitKind.NAMED

    @property
    def text(self) -> str:
        """The limit in words, and that all of it was in use, when the run asked: `limit db, 3 of 3 in use`. Of a pool, who was not live."""
        match self.kind:
            case LimitKind.POOL if self.node:
                return f"node {self.node} of pool {self.name}, which is not live"
            case LimitKind.POOL if self.most:
                tags = f" with {_tags_text(self.tags)}" if self.tags else ""
                return f"pool {self.name}, which has fewer than {self.most} live agents{tags}"
            case LimitKind.POOL if self.tags:
                return f"pool {self.name}, which has no live agent with {_tags_text(self.tags)}"
            case LimitKind.POOL:
                return f"pool {self.name}, which has no live agent"
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


def _tags_text(tags: Pairs) -> str:
    return ", ".join(f"{name}={value}" for name, value in tags)
