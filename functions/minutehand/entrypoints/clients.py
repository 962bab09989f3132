"""Settings and AWS clients, created once a process.

A client keeps its TLS connections from one invocation to the next. All clients share boto3's default session, which loads its data once.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from minutehand.adapters.refusals import reported
from minutehand.entrypoints.garbage import collection_paused
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
# boto3 need not check parameters at each call, which takes time: the tests send the same requests to emulators that check them.
_CLIENT = Config(
    retries={"mode": "standard", "max_attempts": 4},
    connect_timeout=2,
    read_timeout=10,
    max_pool_connections=12,
    parameter_validation=False,
)

# S3 and Lambda get a few seconds, since the callers can do without an answer. A worker's lease runs on while it stores an output in
# S3. A tick dispatches those shards itself that it cannot delegate through Lambda. The seed has to answer CloudFormation in time.
_BRIEFLY = _CLIENT.merge(
    Config(retries={"mode": "standard", "total_max_attempts": 2}, connect_timeout=1, read_timeout=3)
)
# S3 accepts signature version 4 in every region, and presigned links of that version use the bucket's regional endpoint.
_S3 = _BRIEFLY.merge(Config(signature_version="s3v4"))
_LATER = Lock()
"""Held while a thread of a worker makes a client that most invocations do not need."""


def _log(refusal: str) -> None:
    logger.warning(refusal, action="refusal")


def starts_from_a_snapshot() -> bool:
    """Whether Lambda takes a snapshot of this process for others to start from (SnapStart).

    Clients may be created before the snapshot: they connect at their first call, and refresh their credentials.
    """
    return os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start"


@cache
def settings() -> Settings:
    """This process's settings."""
    return Settings.read(os.environ)


@cache
def dynamodb() -> DynamoDBClient:
    """This process's DynamoDB client."""
    return reported(boto3.client("dynamodb", config=_CLIENT), _log)


@cache
def sqs() -> SQSClient:
    """This process's SQS client."""
    return reported(boto3.client("sqs", config=_CLIENT), _log)


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


def s3() -> S3Client:
    """This process's S3 client, created by the first thread that needs it; most batches need none."""
    with _LATER:
        return _s3_client()


@cache
def _s3_client() -> S3Client:
    return reported(boto3.client("s3", config=_S3), _log)


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
