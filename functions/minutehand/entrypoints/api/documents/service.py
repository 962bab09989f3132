"""The documents about a deployment itself: its health and its shards."""

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
