"""Store of the buckets of packed timers, for their upkeep. See `ports` for what every store promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.ports.stores import Page


class Placed(NamedTuple):
    """A job's own timer and its place, as read.

    Attributes:
        bucket: number of the bucket in which it is packed; None for a timer that is not packed.
        misplaced: whether that is the bucket of other jobs.
        stored: the timer as its store keeps it.
    """

    timer: Timer | BrokenTimer
    bucket: int | None
    misplaced: bool
    stored: Any


class Buckets(Protocol):
    """The buckets, one by one, and for the jobs in them the timers that are not packed."""

    def page(self, bucket: int, cursor: str | None) -> Page[Placed]:
        """One page of all timers in a bucket by name, due or not: the first, or the one after a cursor. May be stale."""

    def position(self, bucket: int) -> str | None:
        """The cursor of the page with which the upkeep of a bucket goes on; None for the first page."""

    def set_position(self, bucket: int, cursor: str | None) -> None:
        """Store the cursor of the page with which the upkeep of a bucket goes on."""

    def indexed(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Placed]:
        """The timers of jobs that are not packed; jobs without such a timer are left out. May be stale."""

    def unpack(self, packed: Placed, indexed: Placed | None) -> bool:
        """In one transaction, remove a timer from its bucket, and leave the one `in_effect` of both as the job's timer that is not packed.
        False, with nothing written, when one that it removes or replaces has another `next_at` or revision than was read; `indexed` is
        None if there was none."""
