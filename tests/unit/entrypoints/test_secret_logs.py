"""The log has no secret, even if the log level of a function is DEBUG: then Lambda lets the debug lines of libraries through."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from minutehand.adapters.secret_stores import AwsSecretStores
from minutehand.domain.secret_reference import SecretReference
from minutehand.entrypoints import clients


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clients of AWS's imitation, made anew; and logging as Lambda sets it up."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    botocore, made = logging.getLogger("botocore"), (clients._ssm_client, clients._secrets_manager_client)
    before = botocore.level
    for each in made:
        each.cache_clear()
    yield
    botocore.setLevel(before)
    for each in made:
        each.cache_clear()


@pytest.mark.parametrize(
    ("reference", "store"),
    [
        ("ssm:/shop/key", lambda: boto3.client("ssm").put_parameter(Name="/shop/key", Value="hidden-text", Type="SecureString")),
        ("secretsmanager:shop", lambda: boto3.client("secretsmanager").create_secret(Name="shop", SecretString="hidden-text")),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("fresh")
@pytest.mark.thorough
def test_a_secret_that_is_read_is_in_no_debug_line(
    reference: str, store: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with mock_aws():
        store()
        read = AwsSecretStores(clients.ssm, clients.secrets_manager)
        with caplog.at_level(logging.DEBUG):
            assert read(SecretReference.parse(reference)) == "hidden-text"
    assert "hidden-text" not in caplog.text
