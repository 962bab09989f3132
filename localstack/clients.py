"""boto3 clients for the emulator; they ignore the AWS settings and proxies of the user."""

import os
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from localstack.ministack import REGION

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_iam import IAMClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_logs import CloudWatchLogsClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_ssm import SSMClient

FIRST_CALL_TIMEOUT = 300
"""Seconds that a function's first call may take: in containers, it may wait for the image of the Lambda runtime."""


class Clients:
    """One boto3 client for each service that the local stack calls."""

    cloudformation: "CloudFormationClient"
    functions: "LambdaClient"
    iam: "IAMClient"
    logs: "CloudWatchLogsClient"
    s3: "S3Client"
    parameters: "SSMClient"

    def __init__(self, endpoint_url: str) -> None:
        self.endpoint_url = endpoint_url
        session = boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name=REGION)  # noqa: S106 (any key will do)
        config = Config(
            proxies={},
            read_timeout=FIRST_CALL_TIMEOUT,
            retries={"total_max_attempts": 2},
            s3={"addressing_style": "path"},
        )
        self.cloudformation = session.client("cloudformation", endpoint_url=endpoint_url, config=config)
        self.functions = session.client("lambda", endpoint_url=endpoint_url, config=config)
        self.iam = session.client("iam", endpoint_url=endpoint_url, config=config)
        self.logs = session.client("logs", endpoint_url=endpoint_url, config=config)
        self.s3 = session.client("s3", endpoint_url=endpoint_url, config=config)
        self.parameters = session.client("ssm", endpoint_url=endpoint_url, config=config)


def forget_settings_of_user() -> None:
    """Keep the user's AWS profile and endpoints from this process and those that it starts."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
