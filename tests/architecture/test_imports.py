"""What a function must not load: each Lambda imports only what it runs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

NOT_FOR_THE_HOT_PATH = (
    "croniter",
    "cron_descriptor",
    "pydantic",
    "click",
    "rich",
    "yaml",
    "minutehand.schedule.parser",
    "minutehand.schedule.expand",
    "minutehand.domain.calendar_text",
    "minutehand.domain.explaining",
    "minutehand.usecases.manage",
    "minutehand.usecases.backfill",
    "minutehand.usecases.explain",
    "minutehand.usecases.metering",
    "minutehand.domain.units",
    "minutehand.adapters.dynamodb.metering",
    "minutehand.adapters.dynamodb.sizes",
    "minutehand.entrypoints.api",
    "minutehand.cli",
    "minutehand.client",
    "minutehand.costs",
)


def _loaded_by(module: str) -> set[str]:
    program = f"import json, sys; import {module}; print(json.dumps(sorted(sys.modules)))"
    environment = {"AWS_DEFAULT_REGION": "us-east-1", "POWERTOOLS_SERVICE_NAME": "test"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("function", ["tick", "worker"])
def test_the_hot_functions_load_neither_parser_nor_validation_nor_api(function: str) -> None:
    loaded = _loaded_by(f"minutehand.entrypoints.{function}")
    assert not [name for name in NOT_FOR_THE_HOT_PATH if name in loaded]


def test_the_tick_does_not_load_what_calls_targets() -> None:
    loaded = _loaded_by("minutehand.entrypoints.tick")
    assert not [name for name in loaded if name.startswith("minutehand.adapters.targets")]


def test_the_schedule_library_stands_alone() -> None:
    loaded = {name for name in _loaded_by("minutehand.schedule") if name.startswith("minutehand.")}
    assert all(name.startswith("minutehand.schedule") for name in loaded)


def test_the_sdk_needs_neither_aws_nor_the_command_line() -> None:
    loaded = _loaded_by("minutehand.client")
    assert not loaded & {"boto3", "botocore", "click", "rich", "pydantic", "croniter"}
