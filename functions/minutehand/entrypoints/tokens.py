"""Store of bearer tokens."""

from __future__ import annotations

from functools import cache

from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.entrypoints import clients


@cache
def tokens() -> DynamoTokens:
    """The tokens in the Jobs table."""
    return DynamoTokens(clients.dynamodb(), clients.settings().jobs_table)
