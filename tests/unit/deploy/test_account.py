from __future__ import annotations

from typing import Any, cast

import boto3
import pytest
from botocore import exceptions
from infra.deploy.account import check_region, identify, session
from infra.deploy.errors import DeployError


class FakeSession:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def client(self, *_: object, **__: object) -> FakeSession:
        return self

    def get_caller_identity(self) -> dict[str, Any]:
        raise self.error


def _refused(code: str) -> exceptions.ClientError:
    return exceptions.ClientError({"Error": {"Code": code, "Message": "no"}}, "GetCallerIdentity")


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (exceptions.NoCredentialsError(), "No AWS credentials are found", "aws sso login"),
        (exceptions.TokenRetrievalError(provider="sso", error_msg="expired"), "cannot be used", "aws sso login"),
        (_refused("ExpiredToken"), "ExpiredToken", "aws sso login"),
        (_refused("InvalidClientTokenId"), "InvalidClientTokenId", "is eu-west-1 enabled in this account?"),
        (exceptions.EndpointConnectionError(endpoint_url="https://sts"), "cannot be reached in eu-west-1", ""),
    ],
)
def test_each_problem_with_credentials_has_its_message_and_hint(error: Exception, message: str, hint: str) -> None:
    with pytest.raises(DeployError) as refused:
        identify(cast("boto3.Session", FakeSession(error)), "eu-west-1")
    assert message in str(refused.value)
    assert hint in "\n".join(refused.value.hints)


@pytest.mark.thorough
def test_an_unknown_region_is_refused_with_similar_names() -> None:
    with pytest.raises(DeployError, match="'eu-wst-1' is not a region of AWS") as refused:
        check_region(boto3.Session(), "eu-wst-1")
    assert "eu-west-1" in refused.value.hints[0]


def test_regions_of_every_partition_are_known() -> None:
    for region in ("eu-central-1", "cn-north-1", "us-gov-west-1"):
        assert check_region(boto3.Session(), region) == region


def test_without_a_region_the_hint_says_how_to_name_one() -> None:
    with pytest.raises(DeployError) as refused:
        check_region(boto3.Session(), "")
    assert "REGION=" in refused.value.hints[0]


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(DeployError, match="no-such-profile"):
        session("no-such-profile")
