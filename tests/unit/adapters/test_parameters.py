"""A secret in Parameter Store, in moto's imitation of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from minutehand.adapters.parameters import SecretParameter
from minutehand.domain.errors import Unavailable
from tests.unit.adapters.fakes import Scripted, client_error

NAME = "/minutehand/stack/admin-token"


@pytest.fixture
def client() -> Iterator[Any]:
    with mock_aws():
        yield boto3.client(
            "ssm", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test", endpoint_url=None
        )


@pytest.mark.thorough
def test_a_secret_is_stored_encrypted_and_free_of_charge(client: Any) -> None:
    parameter = SecretParameter(client, NAME, "")
    assert parameter.read() is None
    assert parameter.create("secret", "what it is")
    assert parameter.read() == "secret"
    [found] = client.describe_parameters()["Parameters"]
    assert (found["Name"], found["Type"], found["Tier"]) == (NAME, "SecureString", "Standard")
    assert (found["KeyId"], found["Description"]) == ("alias/aws/ssm", "what it is")


def test_a_key_of_ones_own_encrypts_it(client: Any) -> None:
    arn = "arn:aws:kms:us-east-1:123456789012:key/8b0c"
    SecretParameter(client, NAME, arn).create("secret", "what it is")
    assert client.describe_parameters()["Parameters"][0]["KeyId"] == arn


@pytest.mark.thorough
def test_a_secret_is_never_replaced(client: Any) -> None:
    parameter = SecretParameter(client, NAME, "")
    parameter.create("first", "what it is")
    assert not parameter.create("second", "what it is")
    assert parameter.read() == "first"


def test_deleting_twice_is_no_error(client: Any) -> None:
    parameter = SecretParameter(client, NAME, "")
    parameter.create("secret", "what it is")
    assert parameter.delete()
    assert parameter.delete()
    assert parameter.read() is None


def test_a_delete_that_is_not_allowed_is_an_outcome() -> None:
    denied: Any = Scripted(client_error("AccessDeniedException"))
    assert not SecretParameter(denied, NAME, "").delete()


@pytest.mark.parametrize(
    ("call", "what", "code"),
    [
        (lambda one: one.read(), "read", "AccessDeniedException"),
        (lambda one: one.create("s", "d"), "stored", "AccessDeniedException"),
        (lambda one: one.delete(), "deleted", "InternalServerError"),
    ],
    ids=["read", "create", "delete"],
)
def test_any_other_error_names_the_parameter(call: Any, what: str, code: str) -> None:
    failing: Any = Scripted(client_error(code))
    with pytest.raises(Unavailable, match=f"the parameter {NAME} could not be {what}: .*{code}"):
        call(SecretParameter(failing, NAME, ""))
