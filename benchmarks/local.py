"""The whole of it, deployed: the template on a MiniStack of its own, as `make up` does it, and how to ask it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from localstack.lifecycle import down, up
from localstack.workspace import StackInfo, Workspace

from minutehand.client import Client

AT_ONCE = 4
"""Requests to the API at the same time."""
PATIENCE = 120.0
"""Seconds that an answer of the API may take."""


@contextmanager
def deployed() -> Iterator[tuple[Workspace, StackInfo]]:
    """The deployed stack without demo jobs, on free ports of the loopback interface, its state in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as state:
        workspace = Workspace(state=Path(state))
        try:
            yield workspace, up(workspace, lambda _: None, demo_jobs=False)
        finally:
            down(workspace, lambda _: None)


def client(info: StackInfo) -> Client:
    """A client of the stack's API that is patient: a busy machine answers late."""
    return Client(info.url, info.token, timeout=PATIENCE)


def save(client: Client, jobs: list[dict[str, Any]]) -> None:
    """Save jobs by the SDK.

    Raises:
        MinutehandError: for the first that is refused.
    """
    with ThreadPoolExecutor(max_workers=AT_ONCE) as hands:
        list(hands.map(client.apply_job, jobs))


def runs(client: Client, names: list[str]) -> list[dict[str, Any]]:
    """All runs of these jobs (`namespace/name`), as the API shows them."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as hands:
        return [dict(run) for found in hands.map(lambda name: list(client.runs(name)), names) for run in found]
