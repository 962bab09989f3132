"""Settings and AWS clients, created once a process, and the clock.

A client keeps its TLS connections from one invocation to the next. All clients share boto3's default session, which loads its data once.
"""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from minutehand.adapters.refusals import reported
from minutehand.entrypoints.garbage import collection_paused
from minutehand.entrypoints.metrics import Metric, count
from minutehand.entrypoints.settings import Settings
from minutehand.entrypoints.telemetry import logger

with collection_paused():
    import boto3
    from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient

# A client's time limits leave room for a slow answer, and for a retry within a tick. A worker's 10 threads share 12 connections.
# Two things that boto3 does at each call take time and are left out: it checks parameters, which the tests' emulators do with the same
# requests, and it assembles its User-Agent from some forty parts.
CLIENT_CONFIG = Config(
    retries={"mode": "standard", "max_attempts": 4},
    connect_timeout=2,
    read_timeout=10,
    max_pool_connections=12,
    parameter_validation=False,
    user_agent=f"minutehand Boto3/{boto3.__version__}",
)

# S3 and Lambda get a few seconds, since the callers can do without an answer. A worker's lease runs on while it stores an output in
# S3. A tick dispatches those shards itself that it cannot delegate through Lambda. The seed has to answer CloudFormation in time.
_BRIEFLY = CLIENT_CONFIG.merge(
    Config(retries={"mode": "standard", "total_max_attempts": 2}, connect_timeout=1, read_timeout=3)
)
_LATER = Lock()
"""Held while a thread of a worker makes a client that most invocations do not need."""


def _log(refusal: str) -> None:
    logger.warning(refusal, action="refusal")
    count(Metric.AWS_REFUSALS)


def starts_from_a_snapshot() -> bool:
    """Whether Lambda takes a snapshot of this process for others to start from (SnapStart).

    Clients may be created before the snapshot: they connect at their first call, and refresh their credentials.
    """
    return os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start"


def is_emulated(service: str) -> bool:
    """Whether an emulator plays a service of AWS, such as `STS`."""
    return bool({"AWS_ENDPOINT_URL", f"AWS_ENDPOINT_URL_{service}"} & os.environ.keys())


def clock() -> datetime:
    """The current time: aware, UTC, whole milliseconds."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@cache
def settings() -> Settings:
    """This process's settings."""
    return Settings.read(os.environ)


@cache
def dynamodb() -> DynamoDBClient:
    """This process's DynamoDB client."""
    return reported(boto3.client("dynamodb", config=CLIENT_CONFIG), _log)


@cache
def sqs() -> SQSClient:
    """This process's SQS client."""
    return reported(boto3.client("sqs", config=CLIENT_CONFIG), _log)


@cache
def aws_lambda() -> LambdaClient:
    """This process's Lambda client."""
    return reported(boto3.client("lambda", config=_BRIEFLY), _log)


def ssm() -> SSMClient:
    """This process's client of Parameter Store, created by the first thread that needs it."""
    with _LATER:
        return _ssm_client()


def secrets_manager() -> SecretsManagerClient:
    """This process's client of Secrets Manager, created by the first thread that needs it."""
    with _LATER:
        return _secrets_manager_client()


def dynamodb_at_once() -> DynamoDBClient:
    """A client for what a call can do without, and reads in its own time: the state of endpoints. The first thread that needs it creates
    it."""
    with _LATER:
        return _dynamodb_at_once()


@cache
def _dynamodb_at_once() -> DynamoDBClient:
    config = _BRIEFLY.merge(Config(read_timeout=1))
    return reported(boto3.client("dynamodb", config=config), _log)


def service_discovery() -> Any:
    """This process's client of AWS Cloud Map, created by the first thread that needs it."""
    with _LATER:
        return _service_discovery()


@cache
def _service_discovery() -> Any:
    # The host of Cloud Map's data has the prefix `data-`, but not where an emulator plays it.
    with_prefix = not is_emulated("SERVICEDISCOVERY")
    return reported(
        boto3.client("servicediscovery", config=_BRIEFLY.merge(Config(inject_host_prefix=with_prefix))), _log
    )


@cache
def sts() -> Any:
    """This process's STS client."""
    return reported(boto3.client("sts", config=_BRIEFLY), _log)


def s3() -> S3Client:
    """This process's S3 client, created by the first thread that needs it; most batches need none."""
    with _LATER:
        return _s3_client()


@cache
def _s3_client() -> S3Client:
    # S3 accepts signature version 4 in every region. Left to itself, boto3 would write the global host into presigned links
    # (BUCKET.s3.amazonaws.com). That host redirects requests for a new bucket, fails in the regions that came after 2019, and is none of
    # those that a VPC endpoint for S3 serves. An emulator has one host for all buckets.
    config = Config(signature_version="s3v4")
    if not is_emulated("S3"):
        regional = Config(s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"})
        config = config.merge(regional)
    return reported(boto3.client("s3", config=_BRIEFLY.merge(config)), _log)


@cache
def _ssm_client() -> SSMClient:
    _keep_answers_out_of_the_log()
    return reported(boto3.client("ssm", config=_BRIEFLY), _log)


@cache
def _secrets_manager_client() -> SecretsManagerClient:
    _keep_answers_out_of_the_log()
    return reported(boto3.client("secretsmanager", config=_BRIEFLY), _log)


def _keep_answers_out_of_the_log() -> None:
    """Silence botocore's debug lines, which quote whole requests and answers, and so secrets. Lambda lets them through if the log level of a
    function is DEBUG."""
    logging.getLogger("botocore").setLevel(logging.INFO)
