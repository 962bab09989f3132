"""A great many timers that are not due, put into DynamoDB Local's own file at once.

By its API a million of them would take a quarter of an hour. Its file is SQLite's, and the rows are as it writes them itself; that this is so still is seen
each time by a row that it has just written, and by what it answers afterwards.
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

from benchmarks.scene import NINE, SHARDS, job, timer
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.sizes import item_size
from minutehand.adapters.sharding import shard_of
from minutehand.domain.job import JobKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_FILE = "shared-local-instance.db"
_KNOWN = ("hashKey", "rangeKey", "indexKey_0", "indexKey_1")
_HASHES = ("hashValue", "rangeValue", "hashRangeValue")
"""Of what function is not told. They order what is at the same instant, so that any will do."""
_FIRST = NINE + timedelta(hours=2)
_MINUTES = 20 * 60
_STRIDE = 7_919
"""A prime, so that jobs that follow each other are far apart in time."""

Item = dict[str, Any]


class UnlikeError(Exception):
    """DynamoDB Local keeps its items otherwise than is known here."""


def others(jobs: int) -> Iterator[Item]:
    """The timers of so many jobs that are due once a day, each at a minute between eleven o'clock and seven of the next day."""
    known: dict[int, Item] = {}
    for number in range(jobs):
        minute = number * _STRIDE % _MINUTES
        if minute not in known:
            next_at = _FIRST + timedelta(minutes=minute)
            daily = job("other", f"{next_at.minute} {next_at.hour} * * *", timezone="UTC")
            known[minute] = timer_codec.encode(timer(daily), shards=SHARDS)
        key = JobKey(namespace="benchmark", name=f"other-{number:07d}")
        yield {**known[minute], **keys.timer(key), "due_shard": {"S": str(shard_of(key, SHARDS))}}


def fill(folder: Path, table: str, jobs: int) -> None:
    """Put the timers of `jobs` jobs into a table's file, which no server reads now; the server itself wrote the first one there.

    Raises:
        UnlikeError: when that one is not as it would be written here.
    """
    items = others(jobs)
    with closing(sqlite3.connect(folder / _FILE)) as file:
        file.execute("PRAGMA synchronous = OFF")
        file.execute("PRAGMA journal_mode = OFF")
        file.execute("PRAGMA cache_size = -400000")  # KiB
        _compare(file, table, next(items))
        columns = (*_KNOWN, "ObjectJSON", "itemSize", *_HASHES)
        insert = f'INSERT INTO "{table}" ({", ".join(columns)}) VALUES ({", ".join("?" * len(columns))})'  # noqa: S608 - words of our own
        file.executemany(insert, (_row(item) for item in items))
        file.commit()


def check(client: DynamoDBClient, table: str, jobs: int) -> None:
    """See that the server finds what was put into its file, by its key and by the index.

    Raises:
        UnlikeError: when it does not.
    """
    *_, some = others(min(jobs, 1_000))
    found = client.get_item(TableName=table, Key={name: some[name] for name in ("pk", "sk")}).get("Item")
    at_once = client.query(
        TableName=table,
        IndexName="due",
        KeyConditionExpression="due_shard = :shard AND next_at = :at",
        ExpressionAttributeValues={":shard": some["due_shard"], ":at": some["next_at"]},
    )["Items"]
    if found != some or some not in at_once:
        raise UnlikeError(f"DynamoDB Local finds {found} instead of {some}, and {len(at_once)} at its instant")


def _compare(file: sqlite3.Connection, table: str, item: Item) -> None:
    known = _row(item)
    query = f'SELECT {", ".join(_KNOWN)}, ObjectJSON FROM "{table}" WHERE hashKey = ?'  # noqa: S608 - words of our own
    written = file.execute(query, known[:1]).fetchone()
    if written is None or written[:-1] != known[: len(_KNOWN)] or json.loads(written[-1]) != item:
        raise UnlikeError(f"DynamoDB Local wrote {written} into its file, where {known} was expected")


def _row(item: Item) -> tuple[Any, ...]:
    pk, sk, shard, next_at = (item[name]["S"].encode() for name in ("pk", "sk", "due_shard", "next_at"))
    told = json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode()
    hashes = (sha1(text, usedforsecurity=False).digest() for text in (pk, sk, pk + sk))
    return pk, sk, shard, next_at, told, _size(item["schedule"]["S"]), *hashes


@cache
def _size(schedule: str) -> int:
    """Bytes of a timer of the crowd, whose names are all as long."""
    return item_size(next(others(1)) | {"schedule": {"S": schedule}})
