"""What a process knows of the shards of the due index; for the functions that read them or look after them."""

from __future__ import annotations

from functools import cache

from minutehand.adapters.dynamodb.shards import DynamoShards
from minutehand.domain.errors import Unavailable
from minutehand.entrypoints.bootstrap import clock
from minutehand.entrypoints.clients import dynamodb, settings
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.upkeep.shards import ShardsToRead


@cache
def index() -> DynamoShards:
    """The due index."""
    return DynamoShards(dynamodb(), settings().jobs_table)


@cache
def _to_read() -> ShardsToRead:
    return ShardsToRead(index(), settings().due_shards)


def shards_to_read() -> int:
    """How many shards a tick reads: those that timers are spread over, and those that may still hold some. Asked of the table once in a while; not
    before the first call of a handler, since a snapshot of the process may be older than that."""
    try:
        return _to_read().at(clock())
    except Unavailable as trouble:
        logger.warning(f"how many shards hold timers: {trouble}", action="tick")
        return _to_read().known
