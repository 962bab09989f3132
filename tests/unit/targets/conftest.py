from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.targets.http import HttpCaller
from minutehand.domain.job import HttpTarget, JobKey
from minutehand.domain.run import Run, RunKey
from minutehand.usecases.ports import Outcome
from tests.unit.targets.servers import Server

SCHEDULED_FOR = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def a_run(*, attempt: int = 1) -> Run:
    return Run(
        key=RunKey.scheduled(JobKey(namespace="demo", name="beat"), SCHEDULED_FOR),
        target="http",
        revision=1,
        claimed_at=SCHEDULED_FOR,
        expires_at=SCHEDULED_FOR + timedelta(days=30),
        attempt=attempt,
    )


def call(
    url: str,
    *,
    method: str = "POST",
    headers: tuple[tuple[str, str], ...] = (),
    payload: Any = None,
    attempt: int = 1,
    timeout: float = 10,
    caller: HttpCaller | None = None,
) -> Outcome:
    """Call a URL, by default with all the time in the world and loopback allowed."""
    return (caller or HttpCaller(allow_loopback=True))(
        HttpTarget(method=method, url=url, headers=headers),
        run=a_run(attempt=attempt),
        payload=payload,
        timeout=timedelta(seconds=timeout),
    )


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers that end with the test."""
    with ExitStack() as stack:
        yield lambda script, **options: stack.enter_context(Server(script, **options))
