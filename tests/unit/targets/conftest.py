import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.domain.secret_reference import SecretReference
from minutehand.targets.http import deadline
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.fields import ANY_2XX, SYSTEM_AUTHORITIES, Body, Expect, HttpTarget, Mode, Tls
from minutehand.usecases.ports.target import Call, Outcome, ParentResult, SecretTexts
from tests.unit.targets.servers import Server

TOKEN = "the-attempts-own"
SCHEDULED_FOR = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def a_run(*, attempt: int = 1, parents: tuple[RunKey, ...] = ()) -> Run:
    return Run(
        key=RunKey.scheduled(JobKey(namespace="demo", name="beat"), SCHEDULED_FOR),
        target="http",
        revision=1,
        claimed_at=SCHEDULED_FOR,
        expires_at=SCHEDULED_FOR + timedelta(days=30),
        attempt=attempt,
        parents=parents,
    )


def call(
    url: str,
    *,
    method: str = "POST",
    headers: tuple[tuple[str, str], ...] = (),
    query: Mapping[str, str] = MappingProxyType({}),
    body: Body | None = None,
    payload: Any = None,
    attempt: int = 1,
    timeout: float = 10,
    caller: HttpCaller | None = None,
    mode: Mode = Mode.AUTO,
    tls: Tls = SYSTEM_AUTHORITIES,
    signing_key: str = "",
    redirects: int = 0,
    expect: Expect = ANY_2XX,
    callback_url: str = "",
    parents: tuple[ParentResult, ...] = (),
    cancelled: Callable[[], bool] = lambda: False,
    secrets: Mapping[str, str] = MappingProxyType({}),
) -> Outcome:
    """Call a URL, by default within 10 s and with loopback allowed, at nine o'clock."""
    return (caller or HttpCaller(allow_loopback=True, clock=lambda: SCHEDULED_FOR))(
        HttpTarget(
            method=method,
            url=url,
            headers=headers,
            query=tuple(sorted(query.items())),
            body=body,
            tls=tls,
            signing_key=signing_key,
            redirects=redirects,
            mode=mode,
            expect=expect,
        ),
        Call(
            run=a_run(attempt=attempt, parents=tuple(parent.run for parent in parents)),
            payload=payload,
            timeout=timedelta(seconds=timeout),
            deadline=SCHEDULED_FOR + timedelta(seconds=timeout),
            attempts_left=2,
            token=TOKEN,
            callback_url=callback_url,
            parents=parents,
            cancelled=cancelled,
            secrets=SecretTexts({SecretReference.parse(name): text for name, text in secrets.items()}),
        ),
    )


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers that end with the test."""
    with ExitStack() as stack:
        yield lambda script, **options: stack.enter_context(Server(script, **options))


@pytest.fixture
def full_port() -> Iterator[int]:
    """A port whose queue of connections is full, so that the next one is not answered."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield int(listener.getsockname()[1])


@pytest.fixture
def quick_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make calls check for cancellation every 20 ms instead of every second."""
    monkeypatch.setattr(deadline, "CHECK_EVERY", 0.02)
