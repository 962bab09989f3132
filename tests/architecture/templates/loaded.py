"""The templates as loaded, and their parts that several tests check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from infra.template import load

from minutehand.targets import TYPES

ROOT = Path(__file__).parents[3]
MAIN = load(ROOT / "template.yaml")
NESTED = {path.stem: load(path) for path in sorted((ROOT / "infra").glob("*.yaml"))}
STORAGE = NESTED["storage"]["Resources"]
TABLES = {name: one for name, one in STORAGE.items() if one["Type"] == "AWS::DynamoDB::Table"}
BUCKET = STORAGE["OutputBucket"]
QUEUES = NESTED["messaging"]["Resources"]
OWN_QUEUES = NESTED["worker"]["Resources"]
"""The queues of a worker that a parameter adds, and its log group."""
QUEUE_NAMES = [name for name, one in QUEUES.items() if one["Type"] == "AWS::SQS::Queue"]
FUNCTIONS = {name: one for name, one in MAIN["Resources"].items() if one["Type"] == "AWS::Serverless::Function"}
WORKERS = sorted({kind.worker for kind in TYPES.values() if not kind.parameter or kind.parameter in MAIN["Parameters"]})
"""The workers that every stack has, and those that parameters add."""
CALLING = [worker for worker in WORKERS if worker != "agents"]
"""The workers that call targets, in two lanes. The other one serves agents, in one."""


def function_of(worker: str) -> str:
    """The logical name of a worker's function."""
    return "AgentsFunction" if worker == "agents" else f"{worker.title()}WorkerFunction"


def intrinsics(value: Any) -> Iterator[str]:
    """Each reference, condition and function in a part of a template."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"Ref", "Condition"} or key.startswith("Fn::"):
                yield f"{key} {inner}"
            yield from intrinsics(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from intrinsics(inner)
