"""The recipe for a token in the API's documentation, followed to the letter."""

from __future__ import annotations

import re

import boto3
import pytest
from moto import mock_aws

from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.domain.token import Role
from minutehand.usecases.authorize import authorize
from tests.contract import tables
from tests.unit.api.test_docs import TEXT

RECIPES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_recipe_makes_a_token_that_the_authorizer_accepts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        client = boto3.client("dynamodb")
        table, _ = tables.create(client)
        monkeypatch.setenv("JOBS_TABLE", table)
        [recipe] = RECIPES
        exec(compile(recipe, "docs/reference/api.md", "exec"), {})  # noqa: S102 - the documentation's own code
        secret = capsys.readouterr().out.strip()
        token = authorize(DynamoTokens(client, table), f"Bearer {secret}")
    assert len(secret) == 40
    assert token is not None
    assert (token.name, token.role, token.namespaces) == ("dashboard", Role.VIEWER, ("demo",))
