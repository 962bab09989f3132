"""Store of logs: an item for each in the partition of its job's outputs, so that a purge finds it; parts and wholes in the bucket."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs.values import (
    EXPIRES_AT,
    epoch,
    instant,
    number,
    read_instant,
    read_number,
    read_text,
    text,
)
from minutehand.adapters.s3 import log_place_of, parts_place_of
from minutehand.usecases.ports.logs import LogRecord, Stretch

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.adapters.s3 import S3Texts
    from minutehand.domain.run_key import RunKey


class DynamoLogs:
    """DynamoDB implementation of the port `Logs`.

    Args:
        table: the Runs table.
        texts: the bucket.
    """

    def __init__(self, table: Table, texts: S3Texts) -> None:
        self._table = table
        self._texts = texts

    def get(self, run: RunKey, attempt: int) -> LogRecord | None:
        item = self._table.get(_key(run, attempt))
        return None if item is None else self._table.decoded(item, decode_log)

    def note(self, run: RunKey, attempt: int, record: LogRecord, expires_at: datetime) -> None:
        self._table.update(
            Key=_key(run, attempt),
            UpdateExpression=f"SET parts = :parts, parts_at = :parts_at, place = :place, {EXPIRES_AT} = :expires",
            ExpressionAttributeValues={
                ":parts": number(record.parts),
                ":parts_at": text(record.parts_at),
                ":place": text(record.place),
                ":expires": epoch(expires_at),
            },
        )

    def note_follower(self, run: RunKey, attempt: int, now: datetime, expires_at: datetime) -> None:
        self._table.update(
            Key=_key(run, attempt),
            UpdateExpression=f"SET followed_at = :now, {EXPIRES_AT} = :expires",
            ExpressionAttributeValues={":now": instant(now), ":expires": epoch(expires_at)},
        )

    def places(self, run: RunKey, attempt: int, *, whole: timedelta, parts: timedelta) -> LogRecord:
        return LogRecord(parts_at=parts_place_of(run, attempt, parts), place=log_place_of(run, attempt, whole))

    def upload(self, place: str, length: int, lasts: timedelta) -> str:
        return self._texts.upload(place, length, lasts)

    def read(self, place: str, offset: int, most: int) -> Stretch | None:
        found = self._texts.stretch(place, offset, most)
        return None if found is None else Stretch(*found)


def decode_log(item: ReadItem) -> LogRecord:
    """The record in an item of a log."""
    return LogRecord(
        parts=read_number(item, "parts") if "parts" in item else 0,
        parts_at=read_text(item, "parts_at") if "parts_at" in item else "",
        place=read_text(item, "place") if "place" in item else "",
        followed_at=read_instant(item, "followed_at") if "followed_at" in item else None,
    )


def _key(run: RunKey, attempt: int) -> Item:
    """The key of a log's item, behind that of the attempt's output."""
    return {"job": text(f"{run.job}#output"), "run_id": text(f"{run.run_id}#{attempt}#log")}
