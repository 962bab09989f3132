"""One deployed stack on which nothing happens but what the tests have happen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from localstack.clients import Clients
from localstack.lifecycle import down, up
from localstack.workspace import StackInfo, Workspace

from tests.privilege.lab import Bench, Deployed, InProcess
from tests.privilege.policy import grants


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StackInfo]:
    workspace = Workspace(state=tmp_path_factory.mktemp("privilege"))
    try:
        record = up(workspace, lambda _: None, demo_jobs=False)
        _quiet(record)
        yield record
    finally:
        down(workspace, lambda _: None)


def _quiet(record: StackInfo) -> None:
    """No rule calls a function and no queue feeds one: a tick of the stack's own would do what a test sees undone."""
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
def emulator(record: StackInfo, bench: Bench) -> Deployed:
    """The functions where they are deployed."""
    return Deployed(record)


@pytest.fixture(scope="module")
def documentation(bench: Bench) -> Iterator[InProcess]:
    """The functions' handlers, judged as AWS documents it."""
    with InProcess(bench, grants()).ready() as lab:
        yield lab
