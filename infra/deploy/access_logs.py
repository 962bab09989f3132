"""The role with which API Gateway writes access logs. It is a setting of the account, shared by all its REST APIs."""

from collections.abc import Mapping

import boto3
from botocore import exceptions

from infra.deploy.account import CONFIG, Account
from infra.deploy.errors import DeployError

_TRUST = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"apigateway.amazonaws.com"},"Action":"sts:AssumeRole"}]}'
_ROLE = "api-gateway-logs"
_POLICY = "service-role/AmazonAPIGatewayPushToCloudWatchLogs"


def check_role(session: boto3.Session, aws: Account, parameters: Mapping[str, str]) -> None:
    """Raise ``DeployError`` if access logs are wanted and the account has no role for them: CloudFormation would fail half-way."""
    if parameters.get("ApiAccessLogs") != "true":
        return
    try:
        settings = session.client("apigateway", region_name=aws.region, config=CONFIG).get_account()
    except (exceptions.BotoCoreError, exceptions.ClientError):
        return  # without permission to look; CloudFormation will say if the role is missing
    if not settings.get("cloudwatchRoleArn"):
        iam = f"arn:{aws.partition}:iam:"
        path = f"op=replace,path=/cloudwatchRoleArn,value={iam}:{aws.number}:role/{_ROLE}"
        raise DeployError(
            f"ApiAccessLogs=true needs a role with which API Gateway writes logs, and the account's settings in {aws.region} name none.",
            hints=[
                "Create one, for all REST APIs of this account and region, and deploy again:",
                f"aws iam create-role --role-name {_ROLE} --assume-role-policy-document '{_TRUST}'",
                f"aws iam attach-role-policy --role-name {_ROLE} --policy-arn {iam}:aws:policy/{_POLICY}",
                f"aws apigateway update-account --region {aws.region} --patch-operations {path}",
            ],
        )
