"""Metrics of a process, as it prints them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from infra.template import load

from tests.unit.deploy.expansion import TEMPLATE

PROGRAM = """
from minutehand.entrypoints.telemetry import count, measured
handler = measured(lambda _event: count("Ticks") or {})
handler({})
handler({})
"""


def printed(**environment: str) -> list[dict[str, Any]]:
    given = {"POWERTOOLS_SERVICE_NAME": "tick", "PYTHONPATH": os.pathsep.join(sys.path)} | environment
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=given)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_metric_has_the_stack_and_the_service_as_dimensions_in_each_invocation() -> None:
    lines = printed(STACK="minutehand-2")
    assert len(lines) == 2
    for line in lines:
        assert (line["stack"], line["service"]) == ("minutehand-2", "tick")
        [metrics] = line["_aws"]["CloudWatchMetrics"]
        assert [sorted(dimensions) for dimensions in metrics["Dimensions"]] == [["service", "stack"]]


@pytest.mark.parametrize("environment", [{}, {"STACK": ""}])
def test_metrics_without_a_stack_have_the_service_alone(environment: dict[str, str]) -> None:
    lines = printed(**environment)
    assert len(lines) == 2
    for line in lines:
        assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]


def test_each_function_knows_its_stack() -> None:
    variables = load(TEMPLATE)["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["STACK"] == {"Ref": "AWS::StackName"}
