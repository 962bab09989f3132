"""`make up` once more: changed code updates the functions, and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from localstack import workers
from localstack.clients import Clients
from localstack.deployment import STACK
from localstack.down import bring_down
from localstack.place import CHECKOUT, Place, Record
from localstack.up import Wish, bring_up

from minutehand.client import Client

pytestmark = pytest.mark.services


def _up(place: Place) -> Record:
    return bring_up(place, Wish(demo=False), lambda _: None)


def _code(clients: Clients, record: Record) -> dict[str, str]:
    """The digest of each function's code."""
    names = {name: function for name, function in record.outputs.items() if name.endswith("Function")}
    return {
        name: clients.functions.get_function_configuration(FunctionName=function)["CodeSha256"]
        for name, function in names.items()
    }


def _resources(clients: Clients, stack: str = STACK) -> dict[str, str]:
    """The physical id of every resource, nested stacks' included: one that was replaced has another."""
    found: dict[str, str] = {}
    for resource in clients.cloudformation.list_stack_resources(StackName=stack)["StackResourceSummaries"]:
        logical, physical = resource["LogicalResourceId"], resource["PhysicalResourceId"]
        found[f"{stack}/{logical}"] = physical
        if resource["ResourceType"] == "AWS::CloudFormation::Stack":
            found |= _resources(clients, physical)
    return found


def _batches_at_once(clients: Clients, record: Record) -> list[int]:
    """How many calls of the worker its queue may have under way."""
    sources = clients.functions.list_event_source_mappings(FunctionName=record.outputs["HttpWorkerFunction"])
    return [source["ScalingConfig"]["MaximumConcurrency"] for source in sources["EventSourceMappings"]]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    functions = tmp_path / "functions"
    shutil.copytree(CHECKOUT / "functions", functions, ignore=shutil.ignore_patterns("__pycache__"))
    place = Place(functions=functions, state=tmp_path / "state")
    try:
        yield place
    finally:
        bring_down(place, lambda _: None)


def test_changed_code_updates_the_functions_and_leaves_address_data_and_all_else(place: Place) -> None:
    first = _up(place)
    clients = Clients(first.endpoint_url)
    code, resources = _code(clients, first), _resources(clients)
    assert _batches_at_once(clients, first) == [workers.MOST]
    assert {"JobsTable", "HttpQueue"} <= {name.rpartition("/")[2] for name in resources}
    job = {"name": "kept", "schedule": "0 0 1 1 *", "target": {"type": "http", "url": "https://example.com/"}}
    with Client(first.url, first.token) as client:
        client.apply_job(job)

        assert _up(place) == first
        assert _code(clients, first) == code
        assert _resources(clients) == resources

        with (place.functions / "minutehand" / "__init__.py").open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        second = _up(place)
        assert replace(second, demo=first.demo) == first
        assert not [name for name, digest in _code(clients, second).items() if digest == code[name]]
        assert _resources(clients) == resources
        assert _batches_at_once(clients, second) == [workers.MOST]
        assert client.get_job("kept")["status"]["revision"] == 1
