"""A second `make up`: changed code updates the functions and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from localstack.clients import Clients
from localstack.deployment import STACK
from localstack.first_token import RESOURCE, SEEDED_ID
from localstack.lifecycle import down, up
from localstack.workarounds import MAX_WORKERS
from localstack.workspace import CHECKOUT, StackInfo, Workspace

from minutehand.client import Client

pytestmark = pytest.mark.services

LANES = 2
"""The worker has an event source for each lane."""


def _up(workspace: Workspace) -> StackInfo:
    return up(workspace, lambda _: None, demo_jobs=False)


def _code(clients: Clients, info: StackInfo) -> dict[str, str]:
    """The digest of each function's code."""
    names = {name: function for name, function in info.outputs.items() if name.endswith("Function")}
    return {
        name: clients.functions.get_function_configuration(FunctionName=function)["CodeSha256"]
        for name, function in names.items()
    }


def _resources(clients: Clients, stack: str = STACK) -> dict[str, str]:
    """The physical id of every resource, nested stacks included; a replacement changes it."""
    found: dict[str, str] = {}
    for resource in clients.cloudformation.list_stack_resources(StackName=stack)["StackResourceSummaries"]:
        logical, physical = resource["LogicalResourceId"], resource["PhysicalResourceId"]
        found[f"{stack}/{logical}"] = physical
        if resource["ResourceType"] == "AWS::CloudFormation::Stack":
            found |= _resources(clients, physical)
    return found


def _max_workers(clients: Clients, info: StackInfo) -> list[int]:
    """The maximum concurrency of the worker's event sources."""
    sources = clients.functions.list_event_source_mappings(FunctionName=info.outputs["HttpWorkerFunction"])
    return [source["ScalingConfig"]["MaximumConcurrency"] for source in sources["EventSourceMappings"]]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    functions = tmp_path / "functions"
    shutil.copytree(CHECKOUT / "functions", functions, ignore=shutil.ignore_patterns("__pycache__"))
    workspace = Workspace(functions=functions, state=tmp_path / "state")
    try:
        yield workspace
    finally:
        down(workspace, lambda _: None)


def test_changed_code_updates_the_functions_and_keeps_address_data_and_all_other_resources(
    workspace: Workspace,
) -> None:
    first = _up(workspace)
    clients = Clients(first.endpoint_url)
    code, resources = _code(clients, first), _resources(clients)
    assert _max_workers(clients, first) == [MAX_WORKERS] * LANES
    assert resources[f"{STACK}/{RESOURCE}"] == SEEDED_ID, "CloudFormation itself has called the seed function"
    assert {"JobsTable", "HttpQueue"} <= {name.rpartition("/")[2] for name in resources}
    job = {"name": "kept", "schedule": "0 0 1 1 *", "target": {"type": "http", "url": "https://example.com/"}}
    with Client(first.url, first.token) as client:
        client.apply_job(job)

        assert _up(workspace) == first
        assert _code(clients, first) == code
        assert _resources(clients) == resources

        with (workspace.functions / "minutehand" / "__init__.py").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        second = _up(workspace)
        assert replace(second, demo=first.demo) == first
        assert not [name for name, digest in _code(clients, second).items() if digest == code[name]]
        assert _resources(clients) == resources
        assert _max_workers(clients, second) == [MAX_WORKERS] * LANES
        assert client.get_job("kept")["status"]["revision"] == 1
