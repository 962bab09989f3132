"""The store of bearer tokens, for the functions that ask for or store one."""

from __future__ import annotations

from functools import cache

from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.entrypoints import clients


@cache
def tokens() -> DynamoTokens:
    """The tokens in the jobs table."""
    return DynamoTokens(clients.dynamodb(), clients.settings().jobs_table)
