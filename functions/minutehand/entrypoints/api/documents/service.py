"""The documents about a deployment itself: its health, its state and its shards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration.field import Field


@dataclass(frozen=True, kw_only=True, slots=True)
class HealthDocument:
    """That the API answers, and its version."""

    status: Annotated[str, Field("`ok`.")]
    version: Annotated[str, Field("The version of the service.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShardsDocument:
    """The number of shards that hold the timers, and the progress of a change of that number."""

    shards: Annotated[int, Field("The number of shards that timers are spread over.")]
    read: Annotated[int, Field("Number of shards that a tick reads.")]
    state: Annotated[
        str,
        Field(
            "`awaited`: no tick reads the new number of shards yet. `moving`: `left` shards are still to be searched for timers"
            " to move. `emptying`: timers have moved, and the old shards are watched for late writes. `settled`: done.",
            choices=("awaited", "moving", "emptying", "settled"),
        ),
    ]
    left: Annotated[int, Field("Number of shards still to be searched for timers to move.")]
    empty_since: Annotated[
        datetime | None,
        Field(
            "Since when every search of the removed shards has found no timer; they are read no more once that lasts."
        ),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class OverdueDocument:
    """Timers that should have been dispatched a minute ago or earlier: of jobs, retries, deadlines and backfills."""

    timers: Annotated[int, Field("How many were found.")]
    more: Annotated[bool, Field("Whether there may be more: a shard or a bucket has more than a request reads.")]
    oldest: Annotated[datetime | None, Field("When the oldest of them was due.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueDocument:
    """How many messages a queue holds, approximately."""

    name: Annotated[
        str, Field("The worker's name, followed by `_slow` for its slow lane or `_dead_letter` for its dead letters.")
    ]
    waiting: Annotated[int, Field("Messages that a worker can receive now.")]
    delayed: Annotated[int, Field("Messages that were sent ahead of their instant.")]
    in_flight: Annotated[int, Field("Messages that a worker has received, or that are hidden until a later instant.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class TroubleDocument:
    """A part that could not be read, and why."""

    part: Annotated[str, Field("The part, such as `queue http`.")]
    problem: Annotated[str, Field("Why it could not be read.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class DiagnosisDocument:
    """The state of the deployment, for `minutehand doctor`."""

    now: Annotated[datetime, Field("The service's clock.")]
    version: Annotated[str, Field("The version of the service.")]
    tzdata: Annotated[str, Field("The release of the IANA time zone database that the service uses, such as `2026f`.")]
    zone_rules: Annotated[str, Field("A digest of the rules of all time zones: equal digests compute equal instants.")]
    renewed_for: Annotated[
        str | None, Field("The release of the time zone database for which the sweep moves, or has moved, all timers.")
    ]
    renewed: Annotated[bool, Field("Whether it has moved all of them.")]
    last_tick: Annotated[
        datetime | None, Field("The minute of the last tick; null without one in the last eight days.")
    ]
    swept_until: Annotated[datetime | None, Field("Sweeps have looked at the runs scheduled before this instant.")]
    shards: Annotated[
        str | None, Field("The state of the shards, as in their own document; null if it cannot be read.")
    ]
    overdue: Annotated[OverdueDocument | None, Field("Overdue timers; null if they cannot be read.")]
    queues: Annotated[tuple[QueueDocument, ...], Field("The queues of the workers, by name.")]
    troubles: Annotated[tuple[TroubleDocument, ...], Field("Parts that could not be read.")]
