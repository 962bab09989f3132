"""Clients and ports: which are created at the start, and which on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace
from typing import Any

import boto3
import pytest

from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.entrypoints import bootstrap, clients
from minutehand.entrypoints.settings import Settings

CACHES = (
    clients.settings,
    clients.dynamodb,
    clients.sqs,
    clients._s3_client,
    clients.aws_lambda,
    bootstrap.ports,
    bootstrap._meter,
)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, Any]]]:
    """The clients that were created: service and configuration."""
    made: list[tuple[str, Any]] = []

    def client(service: str, config: Any) -> Any:
        made.append((service, config))
        events = SimpleNamespace(register=lambda *_: None)
        return SimpleNamespace(service=service, meta=SimpleNamespace(events=events))

    monkeypatch.setattr(boto3, "client", client)
    monkeypatch.setenv("JOBS_TABLE", "jobs")
    for cache in CACHES:
        cache.cache_clear()
    yield made
    for cache in CACHES:
        cache.cache_clear()


def test_the_s3_client_is_not_made_before_a_long_output_needs_it(made: list[tuple[str, Any]]) -> None:
    bootstrap.ports()
    assert sorted(service for service, _ in made) == ["dynamodb", "sqs"]


def test_the_threads_of_a_batch_share_one_client(made: list[tuple[str, Any]]) -> None:
    with ThreadPoolExecutor(10) as threads:
        found = list(threads.map(lambda _: clients.s3(), range(10)))
    assert len({id(client) for client in found}) == 1
    assert [service for service, _ in made] == ["s3"]


@pytest.mark.parametrize("client", [clients.s3, clients.aws_lambda])
def test_clients_of_optional_calls_give_up_within_ten_seconds(
    made: list[tuple[str, Any]], client: Callable[[], Any]
) -> None:
    client()
    [(_, config)] = made
    tries = config.retries["total_max_attempts"]
    assert tries * (config.connect_timeout + config.read_timeout) < 10


def test_links_are_signed_with_signature_version_4(made: list[tuple[str, Any]]) -> None:
    clients.s3()
    [(_, config)] = made
    assert config.signature_version == "s3v4", (
        "older signatures are not taken in every region, nor with a key of one's own"
    )


@pytest.mark.usefixtures("made")
@pytest.mark.thorough
def test_the_threads_of_a_batch_share_one_meter(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: list[str] = []
    meeting = Barrier(2, timeout=0.5)

    def register(event: str, _do: Callable[..., None]) -> None:
        with suppress(BrokenBarrierError):  # a second thread that makes one, too, would come here
            meeting.wait()
        registered.append(event)

    client = SimpleNamespace(meta=SimpleNamespace(events=SimpleNamespace(register=register)))
    monkeypatch.setattr(bootstrap, "dynamodb", lambda: client)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: bootstrap.meter(), range(2))
    assert first is second
    assert len(set(registered)) == len(registered)


def test_the_bucket_is_the_one_in_the_environment() -> None:
    assert Settings.read({"JOBS_TABLE": "jobs", "OUTPUT_BUCKET": "outputs"}).output_bucket == "outputs"
    assert Settings.read({"JOBS_TABLE": "jobs"}).output_bucket == ""


@pytest.mark.usefixtures("made")
def test_the_more_shards_a_tick_reads_the_shorter_are_its_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(Table, "query", lambda _table, **request: asked.append(request["Limit"]) or iter(()))
    for read in (0, 8, 64, 5_000):
        list(bootstrap.ports(read).timers.due(0, datetime(2026, 11, 20, tzinfo=UTC)))
    assert asked == [500, 500, 62, 1]
