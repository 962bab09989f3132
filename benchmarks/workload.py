"""Jobs to measure with, and use cases over the real adapters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from minutehand.adapters.cloud_map import CloudMap
from minutehand.adapters.dynamodb.backfills import DynamoBackfills
from minutehand.adapters.dynamodb.balances import DynamoBalances
from minutehand.adapters.dynamodb.calendars import DynamoCalendars
from minutehand.adapters.dynamodb.calls.metering import DynamoMeter
from minutehand.adapters.dynamodb.codecs import definition_codec, timer_codec
from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.adapters.dynamodb.namespaces import DynamoNamespaces
from minutehand.adapters.dynamodb.outputs import DynamoOutputs
from minutehand.adapters.dynamodb.permits import DynamoPermits
from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.dynamodb.services import DynamoServices
from minutehand.adapters.dynamodb.spreads import DynamoSpreads
from minutehand.adapters.dynamodb.sweeps import DynamoSweeps
from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.adapters.s3 import S3Texts
from minutehand.adapters.sharding import BUCKETS
from minutehand.adapters.sqs import SqsOutbox
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.packing import is_packed
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.dispatching.tick import Parallel, Parts, tick
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.endpoints import Balancing

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

T = TypeVar("T")

SHARDS = 8
PARTS = Parts(range(SHARDS), range(BUCKETS))
LOOK_AHEAD = timedelta(seconds=120)
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
"""The benchmark's clock starts here."""
_AN_HOUR = timedelta(hours=1)


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time."""
        return self.now


@dataclass(frozen=True, kw_only=True)
class Stack:
    """A stack without its functions: two tables, a queue, and the ports of the use cases over them."""

    jobs_table: str
    runs_table: str
    queue: str
    clock: Clock
    ports: Ports
    meter: Callable[[], DynamoMeter]
    balancing: Balancing

    def tick(
        self,
        *,
        sends: int | None = None,
        advances: int | None = None,
        time_left: timedelta = _AN_HOUR,
        parallel: Parallel = map,
    ) -> int:
        """Tick once; the number of messages sent.

        Args:
            sends, advances: the expected numbers of messages and advanced timers; None for any.

        Raises:
            RuntimeError: when something failed or a number is not the expected one: nothing can be measured then.
        """
        done = tick(self.ports, parts=PARTS, time_left=lambda: time_left, parallel=parallel)
        if done.problems or (sends is not None and not done.claimed == done.sent == sends):
            raise RuntimeError(f"the tick failed: {done}")
        if advances not in (None, done.advanced):
            raise RuntimeError(f"the tick advanced {done.advanced} timers instead of {advances}: {done}")
        return done.sent


def connect(
    dynamodb: DynamoDBClient,
    sqs: SQSClient,
    *,
    jobs_table: str,
    runs_table: str,
    queue: str,
    texts: S3Texts | None = None,
) -> Stack:
    """A stack over these clients, at nine o'clock. Long answers need `texts`."""
    clock = Clock(NINE)
    ports = Ports(
        timers=DynamoTimers(dynamodb, jobs_table, shards=SHARDS),
        definitions=DynamoDefinitions(dynamodb, jobs_table, shards=SHARDS),
        runs=DynamoRuns(dynamodb, runs_table, jobs_table=jobs_table, shards=SHARDS),
        outputs=DynamoOutputs(dynamodb, runs_table, texts or S3Texts(_no_s3, "")),
        calendars=DynamoCalendars(dynamodb, jobs_table),
        permits=DynamoPermits(dynamodb, jobs_table),
        backfills=DynamoBackfills(dynamodb, jobs_table),
        spreads=DynamoSpreads(dynamodb, runs_table),
        namespaces=DynamoNamespaces(dynamodb, jobs_table),
        sweeps=DynamoSweeps(dynamodb, jobs_table),
        outbox=SqsOutbox(sqs, {"http": queue}.get, clock=clock),
        clock=clock,
        look_ahead=LOOK_AHEAD,
    )
    meter = cache(lambda: DynamoMeter(dynamodb))
    balances, services = DynamoBalances(dynamodb, jobs_table), DynamoServices(dynamodb, jobs_table)
    return Stack(
        jobs_table=jobs_table,
        runs_table=runs_table,
        queue=queue,
        clock=clock,
        ports=ports,
        meter=meter,
        balancing=Balancing(balances, services, CloudMap(lambda: None), clock),
    )


def _no_s3() -> S3Client:
    raise RuntimeError("this benchmark has no S3")


def job(name: str, schedule: str | tuple[str, ...], *, method: str = "POST", **fields: Any) -> Job:
    """A typical job: a request with a header and a small payload. `fields` override."""
    typical = Job(
        key=JobKey(namespace="benchmark", name=name),
        schedule=schedule,
        timezone="Europe/Berlin",
        description="closes the books of the minute",
        owner="accounting",
        target=HttpTarget(method=method, url="https://example.com/close", headers=(("X-Team", "accounting"),)),
        payload={"ledger": "main", "dry_run": False},
    )
    return replace(typical, **fields)


def jobs(number: int, schedule: str, *, namespaces: int = 1, **fields: Any) -> list[Job]:
    """So many typical jobs, evenly in namespaces."""
    made = [job(f"report-{n:04d}", schedule, **fields) for n in range(number)]
    if namespaces == 1:
        return made
    return [replace(one, key=JobKey(f"team-{n % namespaces}", one.key.name)) for n, one in enumerate(made)]


def store(client: DynamoDBClient, table: str, jobs: Sequence[Job]) -> None:
    """Write jobs as a tick at 08:59 leaves them: timers are advanced past its look-ahead."""
    items = [item for one in jobs for item in _items(one)]
    for chunk in chunks(items, 25):
        client.batch_write_item(RequestItems={table: [{"PutRequest": {"Item": item}} for item in chunk]})


def timer_of(one: Job) -> Timer:
    """A job's timer as a tick at 08:59 leaves it."""
    schedule = Schedule.parse(one.schedule, one.timezone, one.dialect)
    next_at, rule = schedule.next(NINE - MINUTE + LOOK_AHEAD), schedule.encode()
    return Timer(
        job=one.key,
        revision=1,
        next_at=next_at,
        rule=rule,
        target=one.target.type,
        misfire_grace=one.misfire_grace,
        catch_up=one.catch_up,
        catchup_window=one.catchup_window,
        retention=one.retention,
        packed=is_packed(rule, next_at),
    )


def _items(one: Job) -> tuple[Any, Any]:
    timer = timer_of(one)
    since = NINE - timedelta(days=1)
    definition = Definition(
        job=one,
        revision=1,
        created_at=since,
        updated_at=since,
        updated_by="benchmark",
        revisions=(Revision(number=1, effective_from=since, rule=timer.rule),),
    )
    return definition_codec.encode(definition), timer_codec.encode(timer, shards=SHARDS)


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The items in chunks of at most `size`."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
