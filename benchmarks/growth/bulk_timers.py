"""A million timers that are not due, written into DynamoDB Local's own file.

Its API would take a quarter of an hour. The file is SQLite's. Two checks protect against a changed format: a row that the
server has just written must equal ours, and the server must find what was inserted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from functools import cache
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.workload import NINE, SHARDS, job, timer_of
from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.sharding import shard_of
from minutehand.domain.job_key import JobKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_FILE = "shared-local-instance.db"
_KNOWN = ("hashKey", "rangeKey", "indexKey_0", "indexKey_1")
_HASHES = ("hashValue", "rangeValue", "hashRangeValue")
"""Their function is not published. They only order rows of the same instant, so any hash will do."""
_FIRST = NINE + timedelta(hours=2)
_MINUTES = 20 * 60
_STRIDE = 7_919
"""A prime, so that consecutive jobs are far apart in time."""

Item = dict[str, Any]


class FileFormatError(Exception):
    """DynamoDB Local's file has another format than this module knows."""


def timers(jobs: int) -> Iterator[Item]:
    """Timers of so many daily jobs, due between 11:00 and 07:00."""
    known: dict[int, Item] = {}
    for number in range(jobs):
        minute = number * _STRIDE % _MINUTES
        if minute not in known:
            next_at = _FIRST + timedelta(minutes=minute)
            daily = job("other", f"{next_at.minute} {next_at.hour} * * *", timezone="UTC")
            known[minute] = timer_codec.encode(timer_of(daily), shards=SHARDS)
        key = JobKey(namespace="benchmark", name=f"other-{number:07d}")
        yield {**known[minute], **keys.timer(key), "due_shard": {"S": str(shard_of(key, SHARDS))}}


def fill(folder: Path, table: str, jobs: int) -> None:
    """Insert the timers of so many jobs into a table of the file. The server must be stopped, and must have written the first one itself.

    Raises:
        FileFormatError: when its row differs from ours.
    """
    items = timers(jobs)
    with closing(sqlite3.connect(folder / _FILE)) as file:
        file.execute("PRAGMA synchronous = OFF")
        file.execute("PRAGMA journal_mode = OFF")
        file.execute("PRAGMA cache_size = -400000")  # KiB
        _compare(file, table, next(items))
        columns = (*_KNOWN, "ObjectJSON", "itemSize", *_HASHES)
        insert = f'INSERT INTO "{table}" ({", ".join(columns)}) VALUES ({", ".join("?" * len(columns))})'  # noqa: S608 - fixed names
        file.executemany(insert, (_row(item) for item in items))
        file.commit()


def check(client: DynamoDBClient, table: str, jobs: int) -> None:
    """Check that the server finds an inserted timer by its key and by the index.

    Raises:
        FileFormatError: when it does not.
    """
    *_, item = timers(min(jobs, 1_000))
    found = client.get_item(TableName=table, Key={name: item[name] for name in ("pk", "sk")}).get("Item")
    at_once = client.query(
        TableName=table,
        IndexName="due",
        KeyConditionExpression="due_shard = :shard AND next_at = :at",
        ExpressionAttributeValues={":shard": item["due_shard"], ":at": item["next_at"]},
    )["Items"]
    if found != item or item not in at_once:
        raise FileFormatError(
            f"DynamoDB Local finds {found} instead of {item}, and {len(at_once)} timers at its instant"
        )


def _compare(file: sqlite3.Connection, table: str, item: Item) -> None:
    known = _row(item)
    query = f'SELECT {", ".join(_KNOWN)}, ObjectJSON FROM "{table}" WHERE hashKey = ?'  # noqa: S608 - fixed names
    written = file.execute(query, known[:1]).fetchone()
    if written is None or written[:-1] != known[: len(_KNOWN)] or json.loads(written[-1]) != item:
        raise FileFormatError(f"DynamoDB Local wrote {written}, expected {known}")


def _row(item: Item) -> tuple[Any, ...]:
    pk, sk, shard, next_at = (item[name]["S"].encode() for name in ("pk", "sk", "due_shard", "next_at"))
    text = json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode()
    hashes = (sha1(key, usedforsecurity=False).digest() for key in (pk, sk, pk + sk))
    return pk, sk, shard, next_at, text, _size(item["rule"]["S"]), *hashes


@cache
def _size(rule: str) -> int:
    """Bytes of a timer; all names have the same length."""
    return item_size(next(timers(1)) | {"rule": {"S": rule}})
