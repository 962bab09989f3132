"""One deployed stack without ticks or workers of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from localstack.clients import Clients
from localstack.lifecycle import down, up
from localstack.workspace import StackInfo, Workspace

from tests.privilege.policy import grants
from tests.privilege.runners import Bench, DeployedRunner, InProcessRunner
from tests.privilege.targets import PARAMETERS


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StackInfo]:
    workspace = Workspace(state=tmp_path_factory.mktemp("privilege"))
    try:
        record = up(workspace, lambda _: None, parameters=PARAMETERS, demo_jobs=False)
        _quiet(record)
        yield record
    finally:
        down(workspace, lambda _: None)


def _quiet(record: StackInfo) -> None:
    """Disable the event sources: a tick or worker of the stack would do the work that a test expects to fail."""
    functions = Clients(record.endpoint_url).functions
    for mapping in functions.list_event_source_mappings()["EventSourceMappings"]:
        functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=False)


@pytest.fixture(scope="module")
def bench(record: StackInfo) -> Iterator[Bench]:
    bench = Bench(record)
    events = bench.client("events")
    for rule in events.list_rules()["Rules"]:
        events.disable_rule(Name=rule["Name"])
    events.close()
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def emulator(record: StackInfo, bench: Bench) -> DeployedRunner:
    """Runs the deployed functions."""
    return DeployedRunner(record)


@pytest.fixture(scope="module")
def documentation(bench: Bench) -> Iterator[InProcessRunner]:
    """Runs the handlers with AWS's documented authorization."""
    with InProcessRunner(bench, grants()).ready() as runner:
        yield runner
