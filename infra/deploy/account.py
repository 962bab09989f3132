"""Whose account and which region a deployment would go to."""

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3
from botocore import exceptions
from botocore.config import Config

from infra.deploy.errors import DeployError

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient

_QUICK = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
_SIGN_IN = [
    "Sign in, as with 'aws sso login', 'aws configure' or AWS_PROFILE=…, and see that 'aws sts get-caller-identity' answers.",
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
    """Where a deployment goes, and as whom; ``cloudformation`` is a client for that account and region."""

    number: str
    caller: str
    region: str
    cloudformation: "CloudFormationClient"


def session(profile: str | None = None) -> boto3.Session:
    """A session of this profile, or of the environment's; raises ``DeployError`` when there is no such profile."""
    try:
        return boto3.Session(profile_name=profile or None)
    except exceptions.ProfileNotFound as error:
        raise DeployError(f"{error}.", how=["'aws configure list-profiles' lists those that are there."]) from error


def check_region(session: boto3.Session, region: str | None) -> str:
    """The region, once it is one; raises ``DeployError``."""
    if not region:
        raise DeployError("No region is given.", how=["Name one: make deploy REGION=eu-central-1"])
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
        how=[f"Did you mean {' or '.join(near)}?"] if near else ["'aws account list-regions' lists yours."],
    )


def identify(session: boto3.Session, region: str) -> Account:
    """Ask AWS who we are; raises ``DeployError`` when it does not answer or does not know us."""
    try:
        answer = session.client("sts", region_name=region, config=_QUICK).get_caller_identity()
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        raise DeployError("No AWS credentials are found.", how=_SIGN_IN) from error
    except (exceptions.SSOError, exceptions.TokenRetrievalError, exceptions.CredentialRetrievalError) as error:
        raise DeployError(f"The AWS credentials cannot be used: {error}", how=_SIGN_IN) from error
    except exceptions.ClientError as error:
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        how = [*_SIGN_IN]
        if code in _BAD_KEYS:
            how.append(f"Should they be good elsewhere: is {region} enabled in this account?")
        raise DeployError(f"AWS does not accept the credentials in {region}: {message} ({code})", how=how) from error
    except exceptions.BotoCoreError as error:
        raise DeployError(f"AWS cannot be reached in {region}: {error}") from error
    return Account(
        number=answer["Account"],
        caller=answer["Arn"],
        region=region,
        cloudformation=session.client("cloudformation", region_name=region, config=_QUICK),
    )
