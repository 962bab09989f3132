"""Modules that stores must not import, because each would slow down every cold start."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("boto3", "pydantic", "croniter", "aws_lambda_powertools", "urllib3")


@pytest.mark.parametrize(
    "module",
    [
        "minutehand.adapters.dynamodb.timers",
        "minutehand.adapters.dynamodb.runs",
        "minutehand.adapters.dynamodb.calendars",
        "minutehand.adapters.dynamodb.definitions",
        "minutehand.adapters.dynamodb.tokens",
        "minutehand.adapters.sqs",
        "minutehand.adapters.memory",
    ],
)
@pytest.mark.thorough
def test_a_store_loads_neither_boto3_nor_a_parser(module):
    program = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
