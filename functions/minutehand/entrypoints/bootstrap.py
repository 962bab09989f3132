"""Composition root: builds the ports of the use cases (stores, queue, clock) from the settings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.backfills import DynamoBackfills
from minutehand.adapters.dynamodb.calendars import DynamoCalendars
from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.adapters.dynamodb.namespaces import DynamoNamespaces
from minutehand.adapters.dynamodb.outputs import DynamoOutputs
from minutehand.adapters.dynamodb.permits import DynamoPermits
from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.dynamodb.sweeps import DynamoSweeps
from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.adapters.s3 import S3Texts
from minutehand.adapters.sqs import SqsInbox, SqsOutbox
from minutehand.entrypoints.clients import dynamodb, s3, settings, sqs
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from collections.abc import Callable

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from minutehand.adapters.dynamodb.calls.metering import DynamoMeter

_METER_LOCK = Lock()


def clock() -> datetime:
    """The current time: aware, UTC, whole milliseconds."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def time_left(context: LambdaContext) -> Callable[[], timedelta]:
    """A function that returns the time left of this invocation."""
    return lambda: timedelta(milliseconds=context.get_remaining_time_in_millis())


@cache
def ports(shards_to_read: int = 0) -> Ports:
    """The ports of the use cases, implemented with DynamoDB and SQS.

    Args:
        shards_to_read: the number of shards that a tick reads, which limits the size of its pages; other callers leave it out.
    """
    given = settings()
    jobs, runs, shards = given.jobs_table, given.runs_table, given.due_shards
    return Ports(
        timers=DynamoTimers(dynamodb(), jobs, shards=shards, page_size=given.page_size(shards_to_read)),
        definitions=DynamoDefinitions(dynamodb(), jobs, shards=shards),
        runs=DynamoRuns(dynamodb(), runs, jobs_table=jobs, shards=shards),
        outputs=DynamoOutputs(dynamodb(), runs, S3Texts(s3, given.output_bucket)),
        calendars=DynamoCalendars(dynamodb(), jobs),
        permits=DynamoPermits(dynamodb(), jobs),
        backfills=DynamoBackfills(dynamodb(), jobs, shards=shards),
        namespaces=DynamoNamespaces(dynamodb(), jobs),
        sweeps=DynamoSweeps(dynamodb(), jobs),
        outbox=SqsOutbox(sqs(), queue_of, clock=clock),
        clock=clock,
        look_ahead=given.look_ahead,
    )


def queue_of(target: str) -> str | None:
    """The URL of the queue for a type of target: that of the worker which calls such targets. None if this function sends nothing there."""
    urls = settings().queue_urls
    if target in urls:  # a worker of the same name calls it
        return urls[target]
    from minutehand.targets import TYPES  # noqa: PLC0415 - 5 ms, and the tick needs no target's fields

    return urls.get(TYPES[target].worker) if target in TYPES else None


def meter() -> DynamoMeter:
    """The meter of this process's DynamoDB client. The first thread that needs it creates it: two would count each call twice."""
    with _METER_LOCK:
        return _meter()


@cache
def _meter() -> DynamoMeter:
    from minutehand.adapters.dynamodb.calls.metering import DynamoMeter  # noqa: PLC0415 - takes 2 ms, and few jobs set record_units

    return DynamoMeter(dynamodb())


@cache
def inbox() -> SqsInbox:
    """The SQS queue whose messages this worker receives."""
    given = settings()
    return SqsInbox(sqs(), given.queue_urls[given.worker])
