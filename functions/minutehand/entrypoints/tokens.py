"""The store of the API's bearer tokens, for the functions that check tokens or add one."""

from __future__ import annotations

from functools import cache

from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.entrypoints import clients


@cache
def tokens() -> DynamoTokens:
    """The store of bearer tokens, which are in the Jobs table as hashes."""
    return DynamoTokens(clients.dynamodb(), clients.settings().jobs_table)


@cache
def briefly() -> DynamoTokens:
    """The same store, for a write that a request can do without: it waits a second for an answer."""
    return DynamoTokens(clients.dynamodb_at_once(), clients.settings().jobs_table)
