"""The state of a deployment: when it last ticked and swept, what is overdue, and how much its queues hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from minutehand.domain.errors import MinutehandError

if TYPE_CHECKING:
    from minutehand.usecases.ports.bundle import Ports
    from minutehand.usecases.ports.queues import Depth, Queues
    from minutehand.usecases.ports.stores import Renewal

T = TypeVar("T")

OVERDUE = timedelta(minutes=1)
"""A timer is overdue when it should have been dispatched so long ago: at least one tick has missed it, since ticks dispatch ahead."""


class Trouble(NamedTuple):
    """A part of the state that could not be read, and why."""

    part: str
    problem: str


class Overdue(NamedTuple):
    """Overdue timers: of jobs, of retries and deadlines, of backfills.

    Attributes:
        timers: how many were found.
        oldest: when the oldest of them was due; None if there are none.
        more: whether there may be more, since a shard or a bucket has more than was read.
    """

    timers: int
    oldest: datetime | None
    more: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """The state of a deployment. What could not be read is None, and named in `troubles`.

    Attributes:
        last_tick: the minute of the last tick; None also if there was none in the last eight days.
        swept_until: sweeps have looked at the runs scheduled before this instant; None also before the first sweep.
        renewal: the progress of moving timers to the time zone data of the sweep; None also before the first one.
    """

    now: datetime
    last_tick: datetime | None
    swept_until: datetime | None
    renewal: Renewal | None
    overdue: Overdue | None
    queues: Sequence[Depth]
    troubles: Sequence[Trouble]


@dataclass(slots=True)
class _Parts:
    """Reads parts, and collects the troubles."""

    troubles: list[Trouble] = field(default_factory=list)

    def read(self, part: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except MinutehandError as error:
            self.troubles.append(Trouble(part, str(error)))
            return None


def diagnose(ports: Ports, queues: Queues, *, shards: int, buckets: int) -> Diagnosis:
    """Read the state of a deployment: the first page of overdue timers of each shard and each bucket, and a few items. No part that
    cannot be read stops the others.

    Args:
        shards: how many shards ticks read.
        buckets: how many buckets there are.
    """
    now, parts = ports.clock(), _Parts()
    ticks = parts.read("ticks", lambda: ports.timers.ticks_around(now))
    progress = parts.read("sweeps", ports.sweeps.progress)
    renewal = parts.read("time zones", ports.timers.renewal)
    overdue = parts.read("timers", lambda: _overdue(ports, now - OVERDUE, shards, buckets))
    depths = [parts.read(f"queue {name}", lambda name=name: queues.depth(name)) for name in queues.names()]  # type: ignore[misc]  # the name of this turn
    return Diagnosis(
        now=now,
        last_tick=ticks and ticks.last,
        swept_until=progress and progress.until,
        renewal=renewal,
        overdue=overdue,
        queues=[depth for depth in depths if depth is not None],
        troubles=parts.troubles,
    )


def _overdue(ports: Ports, until: datetime, shards: int, buckets: int) -> Overdue:
    """The overdue timers of the first pages. A bucket without overdue timers is read to its end, as ticks do each minute."""
    found: list[datetime] = []
    more = False
    shared = (ports.timers.due(shard, until) for shard in range(shards))
    packed = (ports.timers.due_packed(bucket, until) for bucket in range(buckets))
    for pages in map(iter, chain(shared, packed)):
        page = next(filter(None, pages), ())
        found += (timer.next_at for timer in page if timer.next_at is not None)
        more |= next(pages, None) is not None
    return Overdue(len(found), min(found, default=None), more)
