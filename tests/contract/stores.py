"""The stores under test, and access to them beside their ports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import boto3
from botocore.config import Config

from minutehand.adapters.dynamodb.audits import DynamoAudits
from minutehand.adapters.dynamodb.backfills import DynamoBackfills
from minutehand.adapters.dynamodb.balances import DynamoBalances
from minutehand.adapters.dynamodb.buckets import DynamoBuckets
from minutehand.adapters.dynamodb.calendars import DynamoCalendars
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.adapters.dynamodb.executions import DynamoExecutions
from minutehand.adapters.dynamodb.namespaces import DynamoNamespaces
from minutehand.adapters.dynamodb.nodes import DynamoNodes
from minutehand.adapters.dynamodb.outputs import DynamoOutputs
from minutehand.adapters.dynamodb.permits import DynamoPermits
from minutehand.adapters.dynamodb.run_lists import DynamoRunLists
from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.dynamodb.services import DynamoServices
from minutehand.adapters.dynamodb.shards import DynamoShards
from minutehand.adapters.dynamodb.spreads import DynamoSpreads
from minutehand.adapters.dynamodb.stack_answers import DynamoStackAnswers
from minutehand.adapters.dynamodb.sweeps import DynamoSweeps
from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.adapters.memory import (
    MemoryAudits,
    MemoryBackfills,
    MemoryBalances,
    MemoryBuckets,
    MemoryCalendars,
    MemoryDefinitions,
    MemoryExecutions,
    MemoryNamespaces,
    MemoryNodes,
    MemoryOutputs,
    MemoryPermits,
    MemoryRunLists,
    MemoryRuns,
    MemoryServices,
    MemoryShards,
    MemorySpreads,
    MemoryStackAnswers,
    MemoryState,
    MemorySweeps,
    MemoryTimers,
    MemoryTokens,
)
from minutehand.adapters.s3 import S3Texts
from minutehand.adapters.sharding import bucket_of, shard_of
from minutehand.domain.calendar import CalendarKey
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.timer import BrokenTimer, Deadline, Due
from minutehand.usecases.ports.audits import Audits
from minutehand.usecases.ports.backfills import Backfills
from minutehand.usecases.ports.buckets import Buckets
from minutehand.usecases.ports.endpoints import Balances, Services
from minutehand.usecases.ports.executions import Executions
from minutehand.usecases.ports.nodes import Nodes
from minutehand.usecases.ports.outputs import Outputs
from minutehand.usecases.ports.permits import Permits
from minutehand.usecases.ports.run_lists import RunLists
from minutehand.usecases.ports.settings import Calendars, Namespaces
from minutehand.usecases.ports.shards import Shards
from minutehand.usecases.ports.spreads import Spreads
from minutehand.usecases.ports.stack_answers import StackAnswers
from minutehand.usecases.ports.stores import Definitions, Runs, Timers
from minutehand.usecases.ports.sweeps import Sweeps
from minutehand.usecases.ports.tokens import Tokens

PAGE = 3
"""Timers in a page of the due index: small, so that tests meet several."""

Skipped = list[tuple[str, str, str]]


@dataclass(frozen=True)
class Bucket:
    """A bucket of a running server."""

    client: Any
    name: str


NO_BUCKET = Bucket(None, "")


@dataclass(frozen=True, kw_only=True)
class Stores:
    """One set of stores.

    Attributes:
        damage: makes a job's timer unreadable, but for its `next_at` and its revision.
        stray: copies a job's timer into a bucket, as someone may do by hand.
        skipped: the records of a job's skipped ranges: first, until, policy.
        ticks: whether there is a row for a minute.
        use: says how many jobs name a calendar.
    """

    timers: Timers
    definitions: Definitions
    runs: Runs
    run_lists: RunLists
    outputs: Outputs
    tokens: Tokens
    calendars: Calendars
    permits: Permits
    backfills: Backfills
    spreads: Spreads
    namespaces: Namespaces
    sweeps: Sweeps
    shards: Shards
    buckets: Buckets
    balances: Balances
    executions: Executions
    audits: Audits
    services: Services
    nodes: Nodes
    stack_answers: StackAnswers
    damage: Callable[[JobKey], None]
    stray: Callable[[JobKey, int], None]
    skipped: Callable[[JobKey], Skipped]
    ticks: Callable[[datetime], bool]
    use: Callable[[CalendarKey, int], None]

    def due(self, job: JobKey, until: datetime) -> list[Due]:
        """A job's due timers, from its shard."""
        shard = shard_of(job, 8)
        return [timer for page in self.timers.due(shard, until) for timer in page if _job_of(timer) == job]

    def due_packed(self, job: JobKey, until: datetime) -> list[Due]:
        """A job's due timer, from its bucket."""
        bucket = bucket_of(job)
        return [timer for page in self.timers.due_packed(bucket, until) for timer in page if _job_of(timer) == job]


def _job_of(timer: Due) -> JobKey:
    return timer.run.job if isinstance(timer, Deadline) else timer.job


def in_memory() -> Stores:
    """Stores in memory, empty."""
    state = MemoryState()

    def damage(job: JobKey) -> None:
        timer = state.timers[job]
        assert timer.next_at is not None
        state.timers[job] = BrokenTimer(
            job=job, revision=timer.revision, next_at=timer.next_at, problem="no target", packed=timer.packed
        )

    def stray(job: JobKey, bucket: int) -> None:
        state.strays[bucket, job] = replace(state.timers[job], packed=True)

    def skipped(job: JobKey) -> Skipped:
        return [(s.first.isoformat(), s.until.isoformat(), str(s.policy)) for s in state.skipped if s.job == job]

    def use(calendar: CalendarKey, users: int) -> None:
        state.calendars[calendar] = state.calendars[calendar]._replace(users=users)

    return Stores(
        timers=MemoryTimers(state, page_size=PAGE),
        definitions=MemoryDefinitions(state, page_size=PAGE),
        runs=MemoryRuns(state, page_size=PAGE),
        run_lists=MemoryRunLists(state),
        outputs=MemoryOutputs(state),
        tokens=MemoryTokens(state),
        calendars=MemoryCalendars(state),
        permits=MemoryPermits(state),
        backfills=MemoryBackfills(state),
        spreads=MemorySpreads(state),
        namespaces=MemoryNamespaces(state),
        sweeps=MemorySweeps(state, page_size=PAGE),
        shards=MemoryShards(state, page_size=PAGE),
        buckets=MemoryBuckets(state, page_size=PAGE),
        balances=MemoryBalances(state),
        executions=MemoryExecutions(state),
        audits=MemoryAudits(state),
        services=MemoryServices(state),
        nodes=MemoryNodes(state),
        stack_answers=MemoryStackAnswers(state),
        damage=damage,
        stray=stray,
        skipped=skipped,
        ticks=lambda minute: minute in state.ticks,
        use=use,
    )


def stored(stores: Stores, run: Run) -> Run:
    """The current state of a run."""
    return stores.runs.get([run.key])[run.key]


def dynamodb_client(url: str) -> Any:
    """A client of a server on this machine."""
    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 2}, max_pool_connections=20),
    )


def s3_client(url: str) -> Any:
    """A client of a server on this machine, made as the functions make theirs."""
    return boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 2}, signature_version="s3v4"),
    )


def in_dynamodb(client: Any, jobs_table: str, runs_table: str, bucket: Bucket = NO_BUCKET) -> Stores:
    """Stores in a server's tables and a bucket, which long texts need."""

    def damage(job: JobKey) -> None:
        found = client.get_item(TableName=jobs_table, Key=keys.timer(job))
        key = keys.timer(job, packed="Item" not in found)
        client.update_item(TableName=jobs_table, Key=key, UpdateExpression="REMOVE target")

    def stray(job: JobKey, bucket: int) -> None:
        places = [keys.timer(job), keys.timer(job, packed=True)]
        found = [client.get_item(TableName=jobs_table, Key=place).get("Item") for place in places]
        item = next(item for item in found if item)
        item.pop("due_shard", None)
        client.put_item(TableName=jobs_table, Item=item | keys.key(keys.bucket(bucket), str(job)))

    def skipped(job: JobKey) -> Skipped:
        answer = client.query(
            TableName=jobs_table,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :sk)",
            ExpressionAttributeValues={":pk": {"S": f"JOB#{job}"}, ":sk": {"S": "SKIPPED#"}},
        )
        return [
            (
                item["first"]["S"].replace("Z", "+00:00"),
                item["until"]["S"].replace("Z", "+00:00"),
                item["policy"]["S"],
            )
            for item in answer["Items"]
        ]

    def ticks(minute: datetime) -> bool:
        key = {"pk": {"S": f"TICKS#{minute:%Y-%m-%d}"}, "sk": {"S": f"{minute:%H:%M}"}}
        return "Item" in client.get_item(TableName=jobs_table, Key=key)

    def use(calendar: CalendarKey, users: int) -> None:
        client.update_item(
            TableName=jobs_table,
            Key=keys.calendar(calendar),
            UpdateExpression="SET used_by = :users",
            ExpressionAttributeValues={":users": {"N": str(users)}},
        )

    return Stores(
        timers=DynamoTimers(client, jobs_table, page_size=PAGE),
        definitions=DynamoDefinitions(client, jobs_table),
        runs=DynamoRuns(client, runs_table, jobs_table=jobs_table),
        run_lists=DynamoRunLists(client, runs_table),
        outputs=DynamoOutputs(client, runs_table, S3Texts(lambda: bucket.client, bucket.name)),
        tokens=DynamoTokens(client, jobs_table),
        calendars=DynamoCalendars(client, jobs_table),
        permits=DynamoPermits(client, jobs_table),
        backfills=DynamoBackfills(client, jobs_table),
        spreads=DynamoSpreads(client, runs_table),
        namespaces=DynamoNamespaces(client, jobs_table),
        sweeps=DynamoSweeps(client, jobs_table),
        shards=DynamoShards(client, jobs_table, page_size=PAGE),
        buckets=DynamoBuckets(client, jobs_table, page_size=PAGE),
        balances=DynamoBalances(client, jobs_table),
        executions=DynamoExecutions(client, runs_table),
        audits=DynamoAudits(client, jobs_table),
        services=DynamoServices(client, jobs_table),
        nodes=DynamoNodes(client, jobs_table),
        stack_answers=DynamoStackAnswers(client, jobs_table),
        damage=damage,
        stray=stray,
        skipped=skipped,
        ticks=ticks,
        use=use,
    )
