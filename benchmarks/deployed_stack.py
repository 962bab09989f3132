"""The deployed template on a private MiniStack, as `make up` starts it, driven by the SDK."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from localstack.lifecycle import down, up
from localstack.workspace import StackInfo, Workspace

from minutehand.client import Client

NAMESPACE = "benchmark"
_REQUESTS = 4
"""Concurrent requests to the API."""
_TIMEOUT = 120.0
"""Seconds an answer of the API may take on a busy machine."""


@contextmanager
def deployed() -> Iterator[tuple[Workspace, StackInfo, Client]]:
    """A deployed stack without demo jobs on free loopback ports, its state in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as state:
        workspace = Workspace(state=Path(state))
        try:
            info = up(workspace, lambda _: None, demo_jobs=False)
            with Client(info.url, info.token, timeout=_TIMEOUT) as client:
                yield workspace, info, client
        finally:
            down(workspace, lambda _: None)


def http_job(name: str, schedule: str, url: str) -> dict[str, Any]:
    """A job that calls a URL, as JSON."""
    return {
        "namespace": NAMESPACE,
        "name": name,
        "schedule": schedule,
        "target": {"type": "http", "method": "POST", "url": url},
        "payload": {"ledger": "main", "dry_run": False},
    }


def save(client: Client, jobs: Iterable[dict[str, Any]]) -> None:
    """Save jobs.

    Raises:
        MinutehandError: for the first refused job.
    """
    with ThreadPoolExecutor(_REQUESTS) as threads:
        list(threads.map(client.apply_job, jobs))


def runs(client: Client, names: Iterable[str]) -> list[dict[str, Any]]:
    """All runs of these jobs (`namespace/name`), as the API returns them."""
    with ThreadPoolExecutor(_REQUESTS) as threads:
        return [dict(run) for found in threads.map(lambda name: list(client.runs(name)), names) for run in found]
