"""DynamoDB's typed values, made and read by hand: this is the hot path, and boto3's serializer is ten times slower."""

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
"""The attribute of both tables by which DynamoDB forgets items: seconds since 1970."""

MILLISECOND = timedelta(milliseconds=1)


def text(value: str) -> Value:
    """A string."""
    return {"S": value}


def number(value: int) -> Value:
    """A whole number."""
    return {"N": str(value)}


def instant(value: datetime) -> Value:
    """An instant as text, to the millisecond."""
    return {"S": to_text(value)}


def whole(value: datetime) -> Value:
    """An instant as text, rounded up to the second: `2026-11-20T09:00:00Z`, which sorts as it should."""
    return {"S": to_text(ceiling(value))}


def seconds(value: timedelta) -> Value:
    """A duration in whole seconds."""
    return {"N": str(value // SECOND)}


def milliseconds(value: timedelta) -> Value:
    """A duration in whole milliseconds."""
    return {"N": str(value // MILLISECOND)}


def epoch(value: datetime) -> Value:
    """An instant in seconds since 1970, rounded up, as `expires_at` wants it."""
    return {"N": str(int(ceiling(value).timestamp()))}


def read_text(item: ReadItem, name: str) -> str:
    """The string `name`; KeyError when there is none."""
    return item[name]["S"]


def read_number(item: ReadItem, name: str) -> int:
    """The whole number `name`; KeyError when there is none."""
    return int(item[name]["N"])


def read_instant(item: ReadItem, name: str) -> datetime:
    """The instant `name`; KeyError when there is none, ValueError when it is not one."""
    return from_text(item[name]["S"])


def read_seconds(item: ReadItem, name: str) -> timedelta:
    """The duration `name`, which is in seconds."""
    return timedelta(seconds=int(item[name]["N"]))


def read_epoch(item: ReadItem, name: str) -> datetime:
    """The instant `name`, which is in seconds since 1970."""
    return datetime.fromtimestamp(int(item[name]["N"]), UTC)
