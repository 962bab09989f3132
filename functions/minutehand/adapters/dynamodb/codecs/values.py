"""DynamoDB's typed values, written and read by hand: on the hot path, boto3's serializer takes twice the time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.instants import SECOND, ceiling, from_text, to_text

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    Value = AttributeValueTypeDef
    Item = dict[str, AttributeValueTypeDef]
    ReadItem = Mapping[str, AttributeValueTypeDef]

EXPIRES_AT = "expires_at"
"""The time-to-live attribute of both tables, in seconds since 1970."""


class NeedsNewer(ValueError):
    """An item needs features that only a later version knows. This version would ignore a setting if it acted on the item."""


def text(value: str) -> Value:
    """A string as a DynamoDB value."""
    return {"S": value}


def number(value: int) -> Value:
    """A whole number as a DynamoDB value."""
    return {"N": str(value)}


def instant(value: datetime) -> Value:
    """An instant as text, to the millisecond."""
    return {"S": to_text(value)}


def whole(value: datetime) -> Value:
    """An instant as text, rounded up to the second (`2026-11-20T09:00:00Z`), so texts sort in order of time."""
    return {"S": to_text(ceiling(value))}


def seconds(value: timedelta) -> Value:
    """A duration in whole seconds."""
    return {"N": str(value // SECOND)}


def epoch(value: datetime) -> Value:
    """An instant in seconds since 1970, rounded up, for `expires_at`."""
    return {"N": str(int(ceiling(value).timestamp()))}


def read_text(item: ReadItem, name: str) -> str:
    """The string `name`; KeyError if absent."""
    return item[name]["S"]


def read_number(item: ReadItem, name: str) -> int:
    """The whole number `name`; KeyError if absent."""
    return int(item[name]["N"])


def read_instant(item: ReadItem, name: str) -> datetime:
    """The instant `name`; KeyError if absent, ValueError if invalid."""
    return from_text(item[name]["S"])


def read_whole(item: ReadItem, name: str) -> datetime:
    """The instant `name` as `whole` writes it; KeyError if absent, ValueError for any other text. Writes are conditional on that text,
    so an instant in another form could be read, but never moved."""
    instant = read_instant(item, name)
    if whole(instant) != item[name]:
        raise ValueError(f"{name} is {item[name]['S']!r:.60}, not {to_text(ceiling(instant))!r}")
    return instant


def read_epoch(item: ReadItem, name: str) -> datetime:
    """The instant `name`, stored in seconds since 1970; KeyError if absent."""
    return datetime.fromtimestamp(int(item[name]["N"]), UTC)
