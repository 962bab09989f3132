"""Store of runs, in the Runs table."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from minutehand.adapters import cursors
from minutehand.adapters.dynamodb.calls.statements import execute, insertion
from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs import entry_codec, run_codec, timer_codec
from minutehand.adapters.dynamodb.codecs.values import number, text
from minutehand.adapters.dynamodb.old_runs import delete_runs, oldest_items
from minutehand.adapters.dynamodb.permits import taking
from minutehand.adapters.dynamodb.run_writes import RunUpdate, triggering
from minutehand.adapters.dynamodb.runs_by_time import runs_within
from minutehand.adapters.dynamodb.timer_moves import update_action
from minutehand.adapters.stored_runs import as_stored
from minutehand.domain.errors import Unavailable, Unread, ignored
from minutehand.domain.instants import SECOND, floor, to_compact
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import MOST_LOOKED_AT, Claim, Move, Page, Payload

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import ReadItem
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.overlap_lock import Permit
    from minutehand.domain.run_entry import Entry
    from minutehand.domain.timer import Deadline

_OUTCOMES = {None: Claim.CLAIMED, "DuplicateItem": Claim.EXISTS}


class DynamoRuns:
    """DynamoDB implementation of the port `Runs`.

    Args:
        table: name of the Runs table.
        jobs_table: name of the Jobs table, which holds deadlines and idempotency keys.
        shards: number of shards of the index `due` for new timers.
    """

    def __init__(
        self,
        client: DynamoDBClient,
        table: str,
        *,
        jobs_table: str,
        shards: int = 8,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)
        self._jobs_table = Table(client=client, name=jobs_table, sleep=sleep)
        self._shards = shards

    def claim(self, runs: Sequence[Run]) -> Sequence[Claim]:
        """Create each run that does not exist yet. If a run is given twice, the second claim finds that it exists."""
        unique: dict[RunKey, Run] = {}  # a batch may not contain an item twice
        for run in runs:
            unique.setdefault(run.key, run)
        codes = execute(self._table, [insertion(self._table, run_codec.encode(run)) for run in unique.values()])
        outcomes = {key: _OUTCOMES.get(code, Claim.FAILED) for key, code in zip(unique, codes, strict=True)}
        answers = []
        for run in runs:
            answers.append(outcomes[run.key])
            if outcomes[run.key] is Claim.CLAIMED:
                outcomes[run.key] = Claim.EXISTS
        return answers

    def enter(self, entries: Sequence[Entry]) -> Sequence[bool]:
        codes = execute(self._table, [insertion(self._table, entry_codec.encode(entry)) for entry in entries])
        return [code in _OUTCOMES for code in codes]

    def get(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """Runs by key, read consistently.

        Raises:
            Unavailable: also if a run was written by a later version and cannot be read; it must not seem not to exist.
        """
        return self._read(keys, consistent=True)

    def look(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """Runs by key, read without consistency, at half the price; they may be stale.

        Raises:
            Unavailable: as `get` does.
        """
        return self._read(keys, consistent=False)

    def _read(self, keys: Sequence[RunKey], *, consistent: bool) -> Mapping[RunKey, Run]:
        stored = [run_codec.key(key) for key in dict.fromkeys(keys)]
        found = [self._decode(item) for item in self._table.get_many(stored, consistent=consistent)]
        return {run.key: run for run in found}

    def _decode(self, item: ReadItem) -> Run:
        return self._table.decoded(item, run_codec.decode)

    def move(self, before: Run, after: Run) -> Run:
        """Move a run to its next state, if it is still as `before` was read. Fields that `after` does not change are neither compared nor
        written.

        Raises:
            IllegalMove: for a transition that does not exist.
            Unavailable: also if the run has expired.
        """
        wanted = RunUpdate.of(before, after)
        if not wanted.changed:
            return self._one(before.key)
        found = self._table.update_if(**wanted.request())
        return wanted.after if found is None else self._after_refusal(wanted, found)

    def _after_refusal(self, wanted: RunUpdate, found: ReadItem) -> Run:
        """The run as it is after a refused update, from the item that the update found; `found` is empty if it found none."""
        if not found:
            return self._one(wanted.before.key)
        return wanted.after if wanted.is_made(found) else self._decode(found)

    def start(self, before: Run, after: Run, permits: Sequence[Permit]) -> Run | None:
        takes = [taking(self._jobs_table.name, permit, after) for permit in permits]
        return self._move_with(RunUpdate.of(before, after), takes)

    def move_reminding(self, before: Run, after: Run, deadline: Deadline, audit: AuditRecord | None = None) -> Run:
        others = [self._put_deadline(deadline), *self._recording(audit)]
        found = self._move_with(RunUpdate.of(before, after), others)
        return found if found is not None else self._one(before.key)

    def move_audited(self, before: Run, after: Run, audit: AuditRecord) -> Run:
        found = self._move_with(RunUpdate.of(before, after), self._recording(audit))
        return found if found is not None else self._one(before.key)

    def _recording(self, audit: AuditRecord | None) -> Sequence[TransactWriteItemTypeDef]:
        if audit is None:
            return ()
        from minutehand.adapters.dynamodb.codecs.audit_codec import recording  # noqa: PLC0415 - nobody asks for what workers do

        return recording(self._jobs_table.name, audit)

    def _put_deadline(self, deadline: Deadline) -> TransactWriteItemTypeDef:
        item = timer_codec.encode_deadline(deadline, shards=self._shards)
        return {"Put": {"TableName": self._jobs_table.name, "Item": item}}

    def _move_with(self, wanted: RunUpdate, others: Sequence[TransactWriteItemTypeDef]) -> Run | None:
        """Update a run together with other actions. Return the run as it is now; None if only the condition of another action failed."""
        update: Any = {"TableName": self._table.name, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        refused = self._table.write_all([{"Update": update | wanted.request()}, *others])
        if refused is None:
            return wanted.after
        found = refused[0]
        return None if found is None else self._after_refusal(wanted, found)

    def _one(self, key: RunKey) -> Run:
        """The run with this key. It is read with BatchGetItem, so that updating runs needs no permission for GetItem."""
        run = self.get([key]).get(key)
        if run is None:
            raise Unavailable(f"run {key.run_id} of {key.job} does not exist any more; read it again")
        return run

    def claim_counted(self, run: Run, move: Move, deadline: Deadline) -> bool:
        free = "attribute_not_exists(job)"
        earlier = "(revision < :revision AND #attempt = :none AND #state IN (:queued, :skipped))"
        states = {f":{state.value}": text(state.value) for state in (RunState.QUEUED, RunState.SKIPPED)}
        put: TransactWriteItemTypeDef = {
            "Put": {
                "TableName": self._table.name,
                "Item": run_codec.encode(run),
                "ConditionExpression": f"{free} OR {earlier}",
                "ExpressionAttributeNames": {"#state": "state", "#attempt": "attempt"},
                "ExpressionAttributeValues": {":revision": number(run.revision), ":none": number(0), **states},
            }
        }
        actions = [put, update_action(self._jobs_table.name, move), self._put_deadline(deadline)]
        return self._table.write_all(actions) is None

    def trigger(
        self,
        run: Run,
        idempotency_key: str,
        deadline: Deadline,
        payload: Payload | None = None,
        since: int = 0,
        *,
        audit: AuditRecord | None = None,
    ) -> Run:
        """Create a triggered run, unless its idempotency key has one. The key is kept for 24 hours, or as long as its run if that is
        shorter."""
        put_deadline = self._put_deadline(deadline)
        tables = self._table.name, self._jobs_table.name
        actions = triggering(*tables, run, idempotency_key, put_deadline, payload=payload, since=since)
        refused = self._table.write_all([*actions, *self._recording(audit)])
        if refused is None:
            return as_stored(run)
        record = refused[1]
        return self._one(run.key if record is None else RunKey(job=run.key.job, run_id=record["run_id"]["S"]))

    def payload(self, key: RunKey) -> Payload | None:
        """The payload that was given to a run itself, or None. Uses BatchGetItem, as `get` does."""
        items = self._table.get_many([run_codec.key_of_payload(key)])
        return next((self._table.decoded(item, run_codec.decode_payload) for item in items), None)

    def page(
        self,
        job: JobKey,
        limit: int,
        cursor: str | None,
        states: Collection[RunState] = (),
        within: tuple[datetime, datetime] | None = None,
    ) -> Page[Run]:
        owner = cursors.owner_of_runs(job, within)
        request: dict[str, Any] = {"Limit": limit + 1}  # one more, to know whether there is a next page
        condition, values = "job = :job", {":job": text(str(job))}
        if within is not None:
            condition += " AND run_id BETWEEN :first AND :last"
            values |= {":first": text(to_compact(within[0])), ":last": text(run_codec.last_before(within[1]))}
        if cursor is not None:
            last_id = cursors.decode(cursor, listing="runs", of=owner)
            if within is not None and not values[":first"]["S"] <= last_id <= values[":last"]["S"]:
                return Page(
                    items=(), next=None
                )  # somebody altered it, and a query refuses a start outside of its bounds
            request["ExclusiveStartKey"] = run_codec.key(RunKey(job=job, run_id=last_id))
        if states:
            wanted = {f":{state.value}": text(state.value) for state in states}
            request |= {
                "Limit": MOST_LOOKED_AT,
                "FilterExpression": f"#state IN ({', '.join(sorted(wanted))})",
                "ExpressionAttributeNames": {"#state": "state"},
            }
            values |= wanted
        items, last = self._table.query_once(
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ConsistentRead=True,
            ScanIndexForward=False,
            **request,
        )
        found = tuple(self._decode(item) for item in items[:limit])
        ends = found[-1].key.run_id if len(items) > limit else last["run_id"]["S"] if last is not None else None
        return Page(items=found, next=cursors.encode(listing="runs", of=owner, last=ends) if ends else None)

    def between(self, job: JobKey, after: datetime, until: datetime, *, limit: int | None = None) -> Sequence[Run]:
        """Runs of a job after one instant and until another, triggered runs included."""
        if after >= until:
            return ()
        pages = self._table.query(
            KeyConditionExpression="job = :job AND run_id BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":job": text(str(job)),
                ":first": text(to_compact(floor(after) + SECOND)),
                ":last": text(f"{to_compact(until)}\x7f"),  # sorts after every suffix
            },
            ConsistentRead=True,
            **({} if limit is None else {"Limit": limit}),
        )
        return [self._decode(item) for item in islice((item for page in pages for item in page), limit)]

    def within(
        self, namespace: str, start: datetime, end: datetime, unreadable: Unread = ignored
    ) -> Iterator[Sequence[RunKey]]:
        return runs_within(self._table, namespace, start, end, unreadable)

    def oldest(self, job: JobKey, *, beyond: int, limit: int) -> Sequence[Run]:
        return [self._decode(item) for item in oldest_items(self._table, job, beyond=beyond, limit=limit)]

    def forget(self, runs: Sequence[Run]) -> None:
        delete_runs(self._table, runs)
