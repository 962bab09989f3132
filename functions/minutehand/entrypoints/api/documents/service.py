"""The documents about the service itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration import Field


@dataclass(frozen=True, kw_only=True, slots=True)
class HealthDocument:
    """That the API answers."""

    status: Annotated[str, Field("`ok`.")]
    version: Annotated[str, Field("The version of the service.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShardsDocument:
    """How many shards hold the timers, and how far the timers have followed a change of that number."""

    shards: Annotated[int, Field("The number of shards that timers are spread over.")]
    read: Annotated[int, Field("How many shards a tick reads.")]
    state: Annotated[
        str,
        Field(
            "`awaited`: no tick reads the new number yet. `moving`: `left` shards are still to be searched. `emptying`: timers"
            " have moved, and the old shards are watched for late writes. `settled`: done.",
            choices=("awaited", "moving", "emptying", "settled"),
        ),
    ]
    left: Annotated[int, Field("Shards still to be searched.")]
    empty_since: Annotated[datetime | None, Field("Since when the old shards have been found empty.")]
