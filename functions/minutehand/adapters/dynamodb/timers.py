"""Store of timers, in the Jobs table and its index `due`."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.calls.statements import change, execute
from minutehand.adapters.dynamodb.calls.table import CONDITION_FAILED, Table
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, instant, number, read_text, text, whole
from minutehand.adapters.dynamodb.timer_moves import changed, expected, removed, update_action
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND, floor, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, SkippedRange, Ticks, Timer, in_effect
from minutehand.usecases.ports.stores import SKIPPED_KEPT, TICKS_LOOKED_FOR, Move, Renewal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import BatchStatementRequestTypeDef, TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

_DAY = timedelta(days=1)
_LOOKS = 8
"""How many times as many timers a query of a bucket looks at once few of them are due."""
TICKS_KEPT = timedelta(days=90)
_BEGUN_BEFORE = 3
"""How many skipped ranges that begin before an interval are read to find those that reach into it. Few do, since the ranges of a
job overlap by at most the look-ahead."""


class DynamoTimers:
    """DynamoDB implementation of the port `Timers`.

    Args:
        table: name of the Jobs table.
        shards: number of shards of the index for new timers.
        page_size: timers of a shard read in one query, so that a tick can stop between pages.
        packed_page_size: timers of a bucket in one page; None for as many.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        table: str,
        *,
        shards: int = 8,
        page_size: int = 500,
        packed_page_size: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)
        self._shards = shards
        self._page_size = page_size
        self._packed_page_size = packed_page_size or page_size

    def due(self, shard: int, until: datetime) -> Iterator[Sequence[Due]]:
        pages = self._table.query(
            IndexName="due",
            KeyConditionExpression="due_shard = :shard AND next_at <= :until",
            ExpressionAttributeValues={":shard": text(str(shard)), ":until": text(to_text(floor(until)))},
            Limit=self._page_size,
        )
        for page in pages:
            yield [timer_codec.decode(item) for item in page]

    def due_packed(self, bucket: int, until: datetime) -> Iterator[Sequence[Due]]:
        """Pages of a bucket's due timers. Ticks read a bucket forwards and backwards in turn, so that no timer is always the last.

        A query that finds few is followed by one that looks at `_LOOKS` times as many timers. An empty page follows each query but the
        last, so that a tick can stop.
        """
        size = self._packed_page_size
        request: dict[str, Any] = {
            "KeyConditionExpression": "pk = :bucket",
            "FilterExpression": "next_at <= :until",
            "ExpressionAttributeValues": {":bucket": text(keys.bucket(bucket)), ":until": text(to_text(floor(until)))},
            "ScanIndexForward": until.minute % 2 == 0,
            "Limit": size,
        }
        found: list[Due] = []
        while True:
            items, last = self._table.query_once(**request)
            found += map(timer_codec.decode, items)
            while len(found) > size:
                yield found[:size]
                del found[:size]
            if last is None:
                break
            yield ()
            few = len(items) * _LOOKS < request["Limit"]
            request |= {"ExclusiveStartKey": last, "Limit": size * (_LOOKS if few else 1)}
        if found:
            yield found

    def get(self, job: JobKey) -> Timer | BrokenTimer | None:
        """The timer of a job, or None; read at both of its places, in one call. BatchGetItem needs no permission for GetItem."""
        items = self._table.get_many([keys.timer(job), keys.timer(job, packed=True)])
        found = [timer_codec.decode_own(item) for item in items]
        return in_effect(found) if found else None

    def of_jobs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Timer | BrokenTimer]:
        places = [keys.timer(job, packed=packed) for job in dict.fromkeys(jobs) for packed in (False, True)]
        found: defaultdict[JobKey, list[Timer | BrokenTimer]] = defaultdict(list)
        for timer in map(timer_codec.decode_own, self._table.get_many(places)):
            found[timer.job].append(timer)
        return {job: in_effect(timers) for job, timers in found.items()}

    def advance(self, moves: Sequence[Move]) -> None:
        """Move each timer to its new `next_at`, if it is as it was read.

        Raises:
            Unavailable: if a statement failed; all others were tried.
        """
        failed: list[str] = []
        while moves:
            batch: dict[JobKey, Move] = {}  # a batch may not contain an item twice
            for move in moves:
                batch.setdefault(move.job, move)
            outcomes = execute(self._table, [self._statement(move) for move in batch.values()])
            failed += [outcome for outcome in outcomes if outcome not in (None, CONDITION_FAILED)]
            moves = [move for move in moves if batch[move.job] is not move] if len(batch) < len(moves) else ()
        if failed:
            table = self._table.name
            raise Unavailable(
                f"{len(failed)} of the timers in table {table} could not be advanced: {', '.join(sorted(set(failed)))}"
            )

    def _statement(self, move: Move) -> BatchStatementRequestTypeDef:
        read = {**keys.timer(move.job, packed=move.packed), **expected(move)}
        return change(self._table, changed(move), read, removed(move))

    def skip(self, skipped: SkippedRange, move: Move, recheck: Recheck) -> bool:
        record: Item = {
            **keys.skipped(skipped.job, skipped.first),
            "first": instant(skipped.first),
            "until": instant(skipped.until),
            "policy": text(str(skipped.policy)),
            EXPIRES_AT: epoch(skipped.until + SKIPPED_KEPT),
        }
        table = self._table.name
        actions: list[TransactWriteItemTypeDef] = [
            update_action(table, move),
            {"Put": {"TableName": table, "Item": record}},
            {"Put": {"TableName": table, "Item": timer_codec.encode_recheck(recheck, shards=self._shards)}},
        ]
        return self._table.write_all(actions) is None

    def remind(self, deadline: Deadline) -> None:
        self._table.put(timer_codec.encode_deadline(deadline, shards=self._shards))

    def settle(self, timer: Deadline | Recheck) -> None:
        """Remove a timer that has been dealt with. One that was stored again since, for another instant, stays."""
        self._table.delete_if(
            timer_codec.key_of(timer), condition="next_at = :next_at", values={":next_at": whole(timer.next_at)}
        )

    def arm(self, job: JobKey, revision: int, outstanding: datetime, new: datetime | None) -> Timer | None:
        timer = self.get(job)
        if timer is None:
            return None
        key = keys.timer(job, packed=timer.packed)
        removes = removed(Move(job, revision, outstanding, None, packed=timer.packed))
        found = self._table.update_if(
            Key=key,
            UpdateExpression=f"REMOVE {', '.join(removes)}"
            if new is None
            else "SET outstanding = :new, next_at = :new",
            ConditionExpression="attribute_exists(next_at) AND outstanding = :outstanding AND revision = :revision",
            ExpressionAttributeValues={
                ":outstanding": whole(outstanding),
                ":revision": number(revision),
                **({} if new is None else {":new": whole(new)}),
            },
        )
        wanted = None if new is None else {"outstanding": whole(new), "revision": number(revision)}
        if found is not None and not (wanted and "next_at" in found and wanted.items() <= found.items()):
            return None
        armed = next(map(timer_codec.decode_own, self._table.get_many([key])), None)
        return armed if isinstance(armed, Timer) else None

    def record_tick(self, minute: datetime) -> None:
        """Record that a tick ran in this minute; the record is kept for 90 days."""
        self._table.put({**keys.tick(minute), EXPIRES_AT: epoch(minute + TICKS_KEPT)})

    def ticks_around(self, instant: datetime) -> Ticks:
        here, days = floor(instant), TICKS_LOOKED_FOR // _DAY
        back = (self._tick_of(here - n * _DAY, "<=" if n == 0 else None, forward=False) for n in range(days + 1))
        ahead = (self._tick_of(here + n * _DAY, ">" if n == 0 else None, forward=True) for n in range(days + 1))
        return Ticks(*(next((tick for tick in found if tick), None) for found in (back, ahead)))

    def _tick_of(self, instant: datetime, compared: str | None, *, forward: bool) -> datetime | None:
        """The first (`forward`) or last tick of an instant's UTC day, or of those `compared` (`<=`, `>`) with the instant's
        minute."""
        day, minute = (keys.tick(instant)[name] for name in ("pk", "sk"))
        items, _ = self._table.query_once(
            KeyConditionExpression=f"pk = :day AND sk {compared} :minute" if compared else "pk = :day",
            ExpressionAttributeValues={":day": day} | ({":minute": minute} if compared else {}),
            ScanIndexForward=forward,
            Limit=1,
        )
        return keys.read_tick(items[0]) if items else None

    def skipped(self, job: JobKey, first: datetime, until: datetime, limit: int) -> Sequence[SkippedRange]:
        of_job = keys.skipped(job, first)
        found, _ = self._table.query_once(
            KeyConditionExpression="pk = :pk AND sk BETWEEN :least AND :first",
            ExpressionAttributeValues={":pk": of_job["pk"], ":least": text(keys.SKIPPED), ":first": of_job["sk"]},
            ScanIndexForward=False,
            Limit=_BEGUN_BEFORE + 1,  # one may begin at `first` itself, which the second query returns
            ConsistentRead=True,
        )
        begun = [self._skipped(item) for item in reversed(found)]
        later, _ = self._table.query_once(
            KeyConditionExpression="pk = :pk AND sk BETWEEN :first AND :until",
            ExpressionAttributeValues={
                ":pk": of_job["pk"],
                ":first": of_job["sk"],
                ":until": keys.skipped(job, until - SECOND)["sk"],
            },
            Limit=limit,
            ConsistentRead=True,
        )
        return [
            *(each for each in begun if each.first < first < each.until),
            *(self._skipped(item) for item in later),
        ]

    def _skipped(self, item: ReadItem) -> SkippedRange:
        return self._table.decoded(item, timer_codec.decode_skipped)

    def renewal(self) -> Renewal | None:
        """Progress of the renewal for new time zone data, or None. Uses BatchGetItem, as `get` does."""
        item = next(self._table.get_many([keys.renewal()]), None)
        if item is None:
            return None
        return Renewal(
            version=read_text(item, "version"),
            namespace=read_text(item, "namespace") if "namespace" in item else "",
            cursor=read_text(item, "cursor") if "cursor" in item else None,
            done="done" in item,
        )

    def record_renewal(self, renewal: Renewal) -> None:
        item: Item = {**keys.renewal(), "version": text(renewal.version)}
        if renewal.namespace:
            item["namespace"] = text(renewal.namespace)
        if renewal.cursor is not None:
            item["cursor"] = text(renewal.cursor)
        if renewal.done:
            item["done"] = {"BOOL": True}
        self._table.put(item)
