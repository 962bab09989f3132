"""Settings and clients, each made once a process: what every function shares, and all that the authorizer needs besides its table.

A client keeps its connections, and so the TLS handshakes, from one invocation to the next. boto3 makes clients through one session, so
what is read to make the first is not read again.
"""

from __future__ import annotations

import os
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from minutehand.entrypoints.garbage import collection_paused
from minutehand.entrypoints.settings import Settings

with collection_paused():
    import boto3
    from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

# Long enough for a slow answer, short enough to try again within a tick; 12 connections serve a batch's 10 threads. The
# requests are made by hand and tried against the services, so checking their shape at each call would only cost time.
_CLIENT = Config(
    retries={"mode": "standard", "max_attempts": 4},
    connect_timeout=2,
    read_timeout=10,
    max_pool_connections=12,
    parameter_validation=False,
)

# What can be done without is tried for a few seconds and no more: a worker reports when its output is kept, and its lease goes on
# meanwhile; a tick does itself what it cannot hand over.
_BRIEFLY = _CLIENT.merge(
    Config(retries={"mode": "standard", "total_max_attempts": 2}, connect_timeout=1, read_timeout=3)
)
# Links must be signed as every region takes them, and go to the bucket's own region.
_S3 = _BRIEFLY.merge(Config(signature_version="s3v4"))
_S3_LOCK = Lock()


def starts_from_a_snapshot() -> bool:
    """Whether this process is to be kept as a snapshot that others start from (Lambda's SnapStart): what is made before its first call is made
    for all of them. Clients may be among it: they connect when they are first used, and ask for new credentials when theirs are old."""
    return os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start"


@cache
def settings() -> Settings:
    """This process's settings."""
    return Settings.read(os.environ)


@cache
def dynamodb() -> DynamoDBClient:
    """This process's client."""
    return boto3.client("dynamodb", config=_CLIENT)


@cache
def sqs() -> SQSClient:
    return boto3.client("sqs", config=_CLIENT)


@cache
def aws_lambda() -> LambdaClient:
    """This process's client."""
    return boto3.client("lambda", config=_BRIEFLY)


def s3() -> S3Client:
    """This process's client. Made by the first of a batch's threads that needs one; most batches need none."""
    with _S3_LOCK:
        return _s3_client()


@cache
def _s3_client() -> S3Client:
    return boto3.client("s3", config=_S3)
