"""A service with three endpoints behind real sockets: calls are shared, one dies, is left out, and comes back."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import timedelta
from typing import Any

import pytest
from localstack.echo import EchoServer

from minutehand.client import Run, wait_for_run
from tests.e2e.conftest import Stack, eventually

pytestmark = [pytest.mark.services, pytest.mark.slow]

Serve = Callable[[int], "Service"]


class Mortal(EchoServer):
    """A server whose connections end with it, as those of a process that dies do."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._connections: list[socket.socket] = []

    def get_request(self) -> tuple[socket.socket, Any]:
        found = super().get_request()
        self._connections.append(found[0])
        return found

    def server_close(self) -> None:
        super().server_close()
        for each in self._connections:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class Service:
    """One of the services, on a port of its own."""

    def __init__(self, port: int) -> None:
        self._server = Mortal(port)
        self.port, self.url = self._server.server_port, self._server.url
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        self.alive = True

    @property
    def calls(self) -> int:
        return len(self._server.calls)

    def die(self) -> None:
        """Stop listening; connections are refused from now on."""
        if self.alive:
            self.alive = False
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start services that end with the test."""
    with ExitStack() as stack:

        def start(port: int) -> Service:
            service = Service(port)
            stack.callback(service.die)
            return service

        yield start


def run_once(stack: Stack, job: str) -> Run:
    return wait_for_run(stack.client, stack.client.trigger(job), timeout=60)


def tried(run: Run) -> list[str]:
    return run["attempts"][-1]["endpoints"]


def save(stack: Stack, namespace: str, **endpoints: object) -> str:
    target = {"type": "http", "url": "http://service.invalid/clean?day=1", "endpoints": endpoints}
    stack.client.apply_job({"namespace": namespace, "name": "clean", "schedule": "@manual", "target": target})
    return f"{namespace}/clean"


def test_calls_are_shared_pass_over_a_service_that_dies_and_come_back_to_it(
    stack: Stack, namespace: str, serve: Serve
) -> None:
    services = [serve(0) for _ in range(3)]
    listed = [{"url": each.url} for each in services]
    job = save(stack, namespace, listed=listed, eject={"after": 2, "for": "5s"})
    for _ in range(6):
        assert len(tried(run_once(stack, job))) == 1
    assert [each.calls for each in services] == [2, 2, 2]

    dead = services[0]
    dead.die()
    runs = [run_once(stack, job) for _ in range(6)]
    assert {run["state"] for run in runs} == {"succeeded"}
    over = [tried(run) for run in runs if dead.url in tried(run)]
    assert len(over) >= 2, "it is tried until it is left out"
    assert all(len(each) == 2 and each[0] == dead.url for each in over)
    [shown] = [each for each in stack.client.endpoints(job)["items"] if each["url"] == dead.url]
    assert shown["failures"] >= 2

    back = serve(dead.port)

    def is_called() -> bool:
        run_once(stack, job)
        return back.calls > 0

    eventually(is_called, seconds=60, what="a call comes to the service that is back")
    [shown] = [each for each in stack.client.endpoints(job)["items"] if each["url"] == dead.url]
    assert (shown["failures"], shown["ejected_until"]) == (0, None)


def test_services_register_themselves_and_are_called_until_their_time_is_over(
    stack: Stack, namespace: str, serve: Serve
) -> None:
    services, service = [serve(0) for _ in range(3)], f"{namespace}/reports"
    job = save(stack, namespace, registered="reports", choose="fewest")
    assert run_once(stack, job)["error"]["type"] == "NoEndpoint"
    for number, each in enumerate(services):
        ttl = timedelta(seconds=10 if number == 0 else 600)
        stack.client.register(service, f"web-{number}", url=each.url, ttl=ttl)

    def all_are_called() -> bool:
        run_once(stack, job)
        return all(each.calls for each in services)

    eventually(all_are_called, seconds=60, what="each service gets calls")
    stack.client.deregister(service, "web-1")
    eventually(lambda: len(stack.client.registered(service)) == 1, seconds=30, what="only the last is registered")

    def only_the_last_is_called() -> bool:
        before = [each.calls for each in services]
        assert run_once(stack, job)["state"] == "succeeded"
        return [each.calls for each in services[:2]] == before[:2]

    eventually(only_the_last_is_called, seconds=30, what="only the last is called")
    for _ in range(3):
        assert tried(run_once(stack, job)) == [services[2].url]
