"""Shards of the due index, for the functions that read or move timers."""

from __future__ import annotations

from functools import cache

from minutehand.adapters.dynamodb.shards import DynamoShards
from minutehand.domain.errors import Unavailable
from minutehand.entrypoints.clients import clock, dynamodb, settings
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.upkeep.shards import ShardsToRead


@cache
def index() -> DynamoShards:
    """The due index, with the number of its shards."""
    return DynamoShards(dynamodb(), settings().jobs_table)


@cache
def _to_read() -> ShardsToRead:
    return ShardsToRead(index(), settings().due_shards)


def shards_to_read() -> int:
    """Number of shards that a tick reads: those now in use, and former ones that may still hold timers.

    The number is read from the table once in a while. It is not read before the first
    invocation, because a snapshot of the process may be old.
    """
    try:
        return _to_read().at(clock())
    except Unavailable as error:
        logger.warning(f"the number of shards could not be read: {error}", action="tick")
        return _to_read().known
