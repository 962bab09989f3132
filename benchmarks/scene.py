"""Jobs to measure with, stored as the adapters store them, and the real use cases over the real adapters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from minutehand.adapters.dynamodb.backfills import DynamoBackfills
from minutehand.adapters.dynamodb.calendars import DynamoCalendars
from minutehand.adapters.dynamodb.calls.metering import DynamoMeter
from minutehand.adapters.dynamodb.codecs import definition_codec, timer_codec
from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.adapters.dynamodb.namespaces import DynamoNamespaces
from minutehand.adapters.dynamodb.outputs import DynamoOutputs
from minutehand.adapters.dynamodb.permits import DynamoPermits
from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.adapters.s3 import S3Texts
from minutehand.adapters.sqs import SqsOutbox
from minutehand.domain.job import Definition, Job, JobKey, Revision
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

T = TypeVar("T")

SHARDS = 8
LOOK_AHEAD = timedelta(seconds=120)
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)


class Clock:
    """A time that stands still until it is set."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time."""
        return self.now


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A stack without its functions: two tables and a queue, and what use cases are given over them."""

    jobs_table: str
    runs_table: str
    queue: str
    clock: Clock
    ports: Ports
    meter: Callable[[], DynamoMeter]


def scene(
    dynamodb: DynamoDBClient,
    sqs: SQSClient,
    *,
    jobs_table: str,
    runs_table: str,
    queue: str,
    texts: S3Texts | None = None,
) -> Scene:
    """The real adapters over these clients, at nine o'clock; `texts` is where long answers go, where there are any."""
    clock = Clock(NINE)
    ports = Ports(
        timers=DynamoTimers(dynamodb, jobs_table, shards=SHARDS),
        definitions=DynamoDefinitions(dynamodb, jobs_table, shards=SHARDS),
        runs=DynamoRuns(dynamodb, runs_table, jobs_table=jobs_table, shards=SHARDS),
        outputs=DynamoOutputs(dynamodb, runs_table, texts or S3Texts(_no_s3, "")),
        calendars=DynamoCalendars(dynamodb, jobs_table),
        permits=DynamoPermits(dynamodb, jobs_table),
        backfills=DynamoBackfills(dynamodb, jobs_table),
        namespaces=DynamoNamespaces(dynamodb, jobs_table),
        outbox=SqsOutbox(sqs, {"http": queue}, clock=clock),
        clock=clock,
        look_ahead=LOOK_AHEAD,
    )
    meter = cache(lambda: DynamoMeter(dynamodb))
    return Scene(jobs_table=jobs_table, runs_table=runs_table, queue=queue, clock=clock, ports=ports, meter=meter)


def _no_s3() -> S3Client:
    raise RuntimeError("nothing that is measured here is too long for a table")


def job(name: str, schedule: str, *, method: str = "POST", **fields: Any) -> Job:
    """A job like many: a request with a header and a small payload; `fields` are what else it says."""
    plain = Job(
        key=JobKey(namespace="benchmark", name=name),
        schedule=schedule,
        timezone="Europe/Berlin",
        description="closes the books of the minute",
        owner="accounting",
        target=HttpTarget(method=method, url="https://example.com/close", headers=(("X-Team", "accounting"),)),
        payload={"ledger": "main", "dry_run": False},
    )
    return replace(plain, **fields)


def store(client: DynamoDBClient, table: str, jobs: Sequence[Job]) -> None:
    """Jobs as a tick a minute before nine left them: advanced past its own look-ahead."""
    items = [item for one in jobs for item in _items(one)]
    for part in parts(items, 25):
        client.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": item}} for item in part]})


def timer(one: Job) -> Timer:
    """A job's timer, as a tick a minute before nine left it."""
    schedule = Schedule.parse(one.schedule, one.timezone, one.dialect)
    return Timer(
        job=one.key,
        revision=1,
        next_at=schedule.next(NINE - MINUTE + LOOK_AHEAD),
        rule=schedule.encode(),
        target=one.target.type,
        misfire_grace=one.misfire_grace,
        catch_up=one.catch_up,
        catchup_window=one.catchup_window,
        retention=one.retention,
    )


def _items(one: Job) -> tuple[Any, Any]:
    own = timer(one)
    since = NINE - timedelta(days=1)
    definition = Definition(
        job=one,
        revision=1,
        created_at=since,
        updated_at=since,
        updated_by="benchmark",
        revisions=(Revision(number=1, effective_from=since, rule=own.rule),),
    )
    return definition_codec.encode(definition), timer_codec.encode(own, shards=SHARDS)


def parts(whole: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The whole in parts of at most `size`."""
    for start in range(0, len(whole), size):
        yield whole[start : start + size]
