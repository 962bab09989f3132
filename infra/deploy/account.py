"""The AWS account and region of a deployment, and checks that they can be used."""

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3
from botocore import exceptions
from botocore.config import Config

from infra.deploy.errors import DeployError

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient

CONFIG = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
_SIGN_IN = [
    "Sign in, for instance with 'aws sso login', 'aws configure' or AWS_PROFILE=…, until 'aws sts get-caller-identity' answers.",
]
_BAD_KEYS = {
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}


@dataclass(frozen=True, kw_only=True)
class Account:
    """An account and region, the caller's ARN, and a CloudFormation client for them."""

    number: str
    caller: str
    region: str
    cloudformation: "CloudFormationClient"

    @property
    def partition(self) -> str:
        """The partition of AWS that the account is in, such as aws or aws-cn: the second part of the caller's ARN."""
        return self.caller.split(":")[1]


def session(profile: str | None = None) -> boto3.Session:
    """A session of this profile or else of the environment's; raises ``DeployError`` for an unknown profile."""
    try:
        return boto3.Session(profile_name=profile or None)
    except exceptions.ProfileNotFound as error:
        raise DeployError(f"{error}.", hints=["'aws configure list-profiles' lists the profiles."]) from error


def check_region(session: boto3.Session, region: str | None) -> str:
    """The region; raises ``DeployError`` with similar names if AWS has no such region."""
    if not region:
        raise DeployError("No region is given.", hints=["Name one: make deploy REGION=eu-central-1"])
    known = {
        one
        for partition in session.get_available_partitions()
        for one in session.get_available_regions("cloudformation", partition)
    }
    if region in known:
        return region
    near = difflib.get_close_matches(region, sorted(known), n=3)
    raise DeployError(
        f"{region!r} is not a region of AWS.",
        hints=[f"Did you mean {' or '.join(near)}?"] if near else ["'aws account list-regions' lists the regions."],
    )


def identify(session: boto3.Session, region: str) -> Account:
    """The account of the session's credentials; raises ``DeployError`` if AWS rejects them or cannot be reached."""
    try:
        answer = session.client("sts", region_name=region, config=CONFIG).get_caller_identity()
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        raise DeployError("No AWS credentials are found.", hints=_SIGN_IN) from error
    except (exceptions.SSOError, exceptions.TokenRetrievalError, exceptions.CredentialRetrievalError) as error:
        raise DeployError(f"The AWS credentials cannot be used: {error}", hints=_SIGN_IN) from error
    except exceptions.ClientError as error:
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        hints = [*_SIGN_IN]
        if code in _BAD_KEYS:
            hints.append(f"If they work in other regions: is {region} enabled in this account?")
        raise DeployError(
            f"AWS does not accept the credentials in {region}: {message} ({code})", hints=hints
        ) from error
    except exceptions.BotoCoreError as error:
        raise DeployError(f"AWS cannot be reached in {region}: {error}") from error
    return Account(
        number=answer["Account"],
        caller=answer["Arn"],
        region=region,
        cloudformation=session.client("cloudformation", region_name=region, config=CONFIG),
    )
