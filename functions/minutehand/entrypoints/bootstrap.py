"""The composition root: from settings to the ports that use cases are given. Clients are made once a process."""

from __future__ import annotations

import gc
import os
from datetime import UTC, datetime, timedelta
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import boto3
from botocore.config import Config

from minutehand.adapters.dynamodb.backfills import DynamoBackfills
from minutehand.adapters.dynamodb.calendars import DynamoCalendars
from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.adapters.dynamodb.namespaces import DynamoNamespaces
from minutehand.adapters.dynamodb.outputs import DynamoOutputs
from minutehand.adapters.dynamodb.permits import DynamoPermits
from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.adapters.s3 import S3Texts
from minutehand.adapters.sqs import SqsInbox, SqsOutbox
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

    from minutehand.adapters.dynamodb.metering import DynamoMeter

# Long enough for a slow answer, short enough to try again within a tick; 12 connections serve a batch's 10 threads. The
# requests are made by hand and tried against the services, so checking their shape at each call would only cost time.
_CLIENT = Config(
    retries={"mode": "standard", "max_attempts": 4},
    connect_timeout=2,
    read_timeout=10,
    max_pool_connections=12,
    parameter_validation=False,
)

# A worker reports when this is done, and its lease goes on meanwhile, so it is tried for a few seconds and no more. Links must be signed
# as every region takes them, and go to the bucket's own region.
_S3 = _CLIENT.merge(
    Config(
        retries={"mode": "standard", "total_max_attempts": 2},
        connect_timeout=1,
        read_timeout=3,
        signature_version="s3v4",
    )
)
_S3_LOCK = Lock()


class LambdaContext(Protocol):
    """What we use of a Lambda's context."""

    aws_request_id: str
    invoked_function_arn: str

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the function's time limit."""


def clock() -> datetime:
    """The time: aware, UTC, whole milliseconds."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def time_left(context: LambdaContext) -> Callable[[], timedelta]:
    """How long this invocation may still take, asked anew at each call."""
    return lambda: timedelta(milliseconds=context.get_remaining_time_in_millis())


@cache
def settings() -> Settings:
    """This process's settings."""
    return Settings.read(os.environ)


@cache
def dynamodb() -> DynamoDBClient:
    """This process's client."""
    return boto3.client("dynamodb", config=_CLIENT)


@cache
def _sqs() -> SQSClient:
    return boto3.client("sqs", config=_CLIENT)


@cache
def aws_lambda() -> LambdaClient:
    """This process's client."""
    return boto3.client("lambda", config=_CLIENT)


def _s3() -> S3Client:
    """This process's client. Made by the first of a batch's threads that needs one; most batches need none."""
    with _S3_LOCK:
        return _s3_client()


@cache
def _s3_client() -> S3Client:
    return boto3.client("s3", config=_S3)


@cache
def world() -> World:
    """The world over DynamoDB and SQS."""
    given = settings()
    jobs, runs, shards = given.jobs_table, given.runs_table, given.due_shards
    return World(
        timers=DynamoTimers(dynamodb(), jobs, shards=shards, page_size=given.page_size),
        definitions=DynamoDefinitions(dynamodb(), jobs, shards=shards),
        runs=DynamoRuns(dynamodb(), runs, jobs_table=jobs, shards=shards),
        outputs=DynamoOutputs(dynamodb(), runs, S3Texts(_s3, given.output_bucket)),
        calendars=DynamoCalendars(dynamodb(), jobs),
        permits=DynamoPermits(dynamodb(), jobs),
        backfills=DynamoBackfills(dynamodb(), jobs, shards=shards),
        namespaces=DynamoNamespaces(dynamodb(), jobs),
        outbox=SqsOutbox(_sqs(), {"http": given.http_queue_url}, clock=clock),
        clock=clock,
        look_ahead=given.look_ahead,
    )


@cache
def meter() -> DynamoMeter:
    """What counts the capacity that calls of this process's client consume."""
    from minutehand.adapters.dynamodb.metering import DynamoMeter  # noqa: PLC0415 - loaded by the first job that asks

    return DynamoMeter(dynamodb())


@cache
def inbox() -> SqsInbox:
    """The HTTP worker's inbox."""
    return SqsInbox(_sqs(), settings().http_queue_url)


# What is loaded by now stays for good: the collector need never look at it again.
gc.freeze()
gc.enable()
