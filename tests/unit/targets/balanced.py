"""Calls of a worker at several endpoints, for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryBalances, MemoryServices, MemoryState
from minutehand.domain.balance import Balance
from minutehand.domain.endpoint import Visit
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.endpoint_fields import Endpoints, Listed
from minutehand.targets.http.endpoints.calling import EndpointCaller
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.ports.endpoints import Balancing
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.targets.conftest import SCHEDULED_FOR, TOKEN, a_run
from tests.unit.targets.servers import Peer, Server

SECOND = timedelta(seconds=1)
JOB = a_run().key.job


class Scene:
    """A worker with a store of its own, whose clock stands still."""

    def __init__(self) -> None:
        self.state = MemoryState()
        self.now = SCHEDULED_FOR
        self.balances: Any = MemoryBalances(self.state)
        self.caller = self.another_worker()

    def another_worker(self) -> HttpCaller:
        return HttpCaller(
            allow_loopback=True,
            clock=self.clock,
            endpoints=lambda: EndpointCaller(
                Balancing(self.balances, MemoryServices(self.state), None, self.clock),  # type: ignore[arg-type]
                (),
            ),
        )

    def clock(self) -> datetime:
        return self.now

    @property
    def balance(self) -> Balance:
        return MemoryBalances(self.state).get(JOB)

    def call(
        self,
        urls: Sequence[str],
        *,
        weights: Sequence[int] = (),
        visits: tuple[Visit, ...] = (),
        url: str = "http://reports.invalid/clean?day=1",
        timeout: float = 5,
        mode: Mode = Mode.AUTO,
        cancelled: Callable[[], bool] = lambda: False,
        caller: HttpCaller | None = None,
        **options: Any,
    ) -> Outcome:
        listed = tuple(Listed(each, weights[place] if weights else 1) for place, each in enumerate(urls))
        target = HttpTarget(url=url, endpoints=Endpoints(listed=listed, **options), mode=mode)
        limit = timedelta(seconds=timeout)
        given = Call(
            run=replace(a_run(), visits=visits),
            payload=None,
            timeout=limit,
            deadline=SCHEDULED_FOR + limit,
            attempts_left=2,
            token=TOKEN,
            cancelled=cancelled,
        )
        return (caller or self.caller)(target, given)


def answering(status: str = "200 OK") -> Callable[[Peer], None]:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".encode())

    return script


def counts(servers: Sequence[Server]) -> list[int]:
    return [len(server.requests) for server in servers]


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def three(serve: Callable[..., Server]) -> list[Server]:
    return sorted((serve(answering()) for _ in range(3)), key=lambda server: server.url(""))


@pytest.fixture
def refusing(unused_port: int) -> str:
    return f"http://127.0.0.1:{unused_port}"


@pytest.fixture
def unused_port() -> int:
    with Server(lambda _: None) as server:
        return int(server.port)
