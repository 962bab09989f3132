"""Definitions in the Jobs table, with their timers and their namespaces' lists."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.backoff import PATIENT_TRIES, TRIES
from minutehand.adapters.dynamodb.calls.decoded import DecodedOnce
from minutehand.adapters.dynamodb.calls.statements import change, execute
from minutehand.adapters.dynamodb.calls.table import CONDITION_FAILED, TimerStore
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import instant, number, read_number, read_text, text
from minutehand.adapters.dynamodb.namespaces import decode_settings, item_page, items_after, listed_page
from minutehand.domain.errors import Unavailable
from minutehand.domain.timer import BrokenTimer, Timer, in_effect
from minutehand.usecases.ports.stores import Governing, Overview, Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.definition import Definition
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.revision_history import PastRevision, StoredRevision
    from minutehand.usecases.ports.job_change import Change

PAST_AT_ONCE = 50
"""Revisions of a history that are read in one query; few, since most questions are about the newest."""


class DynamoDefinitions(TimerStore):
    """DynamoDB implementation of the port `Definitions`."""

    def __init__(
        self, client: DynamoDBClient, table: str, *, shards: int = 8, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        super().__init__(client, table, shards=shards, sleep=sleep)
        self._known = DecodedOnce(self._decoded)
        """The definitions that last decided about runs or were shown."""
        self._known_timers = DecodedOnce(timer_codec.decode_own)

    def get(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        """Definitions of jobs by key, deleted ones included.

        Raises:
            Unavailable: also if a definition was written by a later version and cannot be read; its job must not seem not to exist.
        """
        stored = [keys.definition(job) for job in dict.fromkeys(jobs)]
        found = (self._table.decoded(item, _decode) for item in self._table.get_many(stored))
        return {definition.job.key: definition for definition in found}

    def governing(self, jobs: Sequence[JobKey]) -> Governing:
        """Definitions of jobs with the settings of their namespaces, in one consistent read. Raises as `get` does."""
        unique = dict.fromkeys(jobs)
        namespaces = dict.fromkeys(job.namespace for job in unique)
        stored = [*map(keys.definition, unique), *map(keys.settings, namespaces)]
        found = list(self._table.get_many(stored))
        definitions = [self._known.of(item) for item in found if item["sk"]["S"] != keys.SETTINGS]
        settings = [self._table.decoded(item, decode_settings) for item in found if item["sk"]["S"] == keys.SETTINGS]
        return Governing(
            {definition.job.key: definition for definition in definitions},
            {namespace.name: namespace for namespace in settings},
        )

    def overview(self, job: JobKey) -> Overview:
        places = [keys.definition(job), keys.settings(job.namespace), keys.timer(job), keys.timer(job, packed=True)]
        definition, namespace, timers = None, None, list[Timer | BrokenTimer]()
        for item in self._table.get_many(places):
            place = {"pk": item["pk"], "sk": item["sk"]}
            if place == places[0]:
                definition = self._known.of(item)
            elif place == places[1]:
                namespace = self._table.decoded(item, decode_settings)
            else:
                timers.append(self._known_timers.of(item))
        return Overview(definition, in_effect(timers) if timers else None, namespace)

    def _decoded(self, item: ReadItem) -> Definition:
        return self._table.decoded(item, _decode)

    def save(self, change: Change) -> bool:
        from minutehand.adapters.dynamodb.save_transaction import saving  # noqa: PLC0415 - 3 ms with its codecs, and only the API saves

        if change.before is None:
            # The namespace's entry is written outside the transaction, or saves of other jobs in the namespace would conflict.
            self._table.put_new(keys.namespace(change.after.job.key.namespace), key="pk")
        # All new jobs of a namespace with a quota write its number of jobs, in transactions that refuse each other.
        tries = TRIES if change.most_jobs is None else PATIENT_TRIES
        return self._table.write_all(saving(self._table.name, change, shards=self._shards), tries=tries) is None

    def set_lane(self, job: JobKey, revision: int, slow_until: datetime | None) -> None:
        """Store when the job may leave the slow lane, in its definition and its timer.

        Raises:
            Unavailable: when either was not written, for another reason than its revision.
        """
        read = {"revision": number(revision)}
        timers = self._table.get_many([keys.timer(job), keys.timer(job, packed=True)])
        until: Item = {} if slow_until is None else {"slow_until": instant(slow_until)}
        mark: Item = {} if slow_until is None else {"slow": {"BOOL": True}}
        statements = [change(self._table, until, {**keys.definition(job), **read}, () if until else ("slow_until",))]
        for timer in timers:
            place = {"pk": timer["pk"], "sk": timer["sk"]}
            statements.append(change(self._table, mark, {**place, **read}, () if mark else ("slow",)))
        outcomes = execute(self._table, statements)
        if failed := [outcome for outcome in outcomes if outcome not in (None, CONDITION_FAILED)]:
            raise Unavailable(f"the lane of job {job} in table {self._table.name} could not be set: {failed[0]}")

    def graph(self) -> int:
        item = self._table.get(keys.graph())
        return 0 if item is None else read_number(item, "version")

    def history(self, job: JobKey) -> Iterator[Sequence[PastRevision]]:
        from minutehand.adapters.dynamodb.codecs import definition_codec  # noqa: PLC0415 - 2 ms, and no tick reads a history

        pages = self._table.query(
            KeyConditionExpression="pk = :pk AND begins_with(sk, :revision)",
            ExpressionAttributeValues={":pk": keys.definition(job)["pk"], ":revision": text(keys.REVISION)},
            ConsistentRead=True,
            ScanIndexForward=False,
            Limit=PAST_AT_ONCE,
        )
        for page in pages:
            yield [self._table.decoded(item, definition_codec.decode_past) for item in page]

    def revision(self, job: JobKey, number: int) -> StoredRevision | None:
        from minutehand.adapters.dynamodb.codecs import definition_codec  # noqa: PLC0415 - 2 ms, and no tick reads a history

        items = self._table.get_many([keys.past(job, number)])
        return next((self._table.decoded(item, definition_codec.decode_revision) for item in items), None)

    def revisions(self, job: JobKey, limit: int, cursor: str | None) -> Page[PastRevision]:
        from minutehand.adapters.dynamodb.codecs import definition_codec  # noqa: PLC0415 - 2 ms, and no tick reads a history

        return item_page(
            self._table,
            definition_codec.decode_past,
            listing="revisions",
            of=str(job),
            partition=f"{keys.JOB}{job}",
            prefix=keys.REVISION,
            limit=limit,
            cursor=cursor,
            descending=True,
        )

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Definition]:
        """One page of a namespace's jobs, without deleted ones; each with its last revision only."""
        return listed_page(
            self._table, _decode, listing="jobs", prefix=keys.JOB, namespace=namespace, limit=limit, cursor=cursor
        )

    def listed(self, namespace: str, after: str, limit: int) -> tuple[Sequence[Definition], bool]:
        items, more = items_after(self._table, f"{keys.NAMESPACE}{namespace}", keys.JOB, after, limit)
        return [self._table.decoded(item, _decode) for item in items], more

    def entries(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        stored = [keys.listed(job) for job in dict.fromkeys(jobs)]
        found = (self._table.decoded(item, _decode) for item in self._table.get_many(stored, consistent=False))
        return {definition.job.key: definition for definition in found}

    def namespaces(self) -> Sequence[str]:
        """The names of all namespaces, sorted; one of the last second may be missing."""
        pages = self._table.query(
            KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": keys.namespace("")["pk"]}
        )
        return [read_text(item, "sk") for page in pages for item in page]


def _decode(item: ReadItem) -> Definition:
    from minutehand.adapters.dynamodb.codecs import definition_codec  # noqa: PLC0415 - 2 ms, and no tick reads a definition

    return definition_codec.decode(item)
