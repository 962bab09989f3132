"""An HTTP service that records its requests, and answers at once or never: `python -m benchmarks.http_target` runs it alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

LOOPBACK = "127.0.0.1"
_ANSWER = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\nConnection: %s\r\n\r\n{"ok":true}'
)


class Arrival(NamedTuple):
    """A request: when its first bytes came (seconds since 1970), its path, and its headers with lower-case names."""

    at: float
    path: str
    headers: dict[str, str]


class Target:
    """A running service.

    Attributes:
        answers: whether it answers; otherwise it waits until the caller closes the connection.
        arrivals: the requests it has received.
    """

    def __init__(self, *, answers: bool) -> None:
        self.answers = answers
        self.port = 0
        self.arrivals: list[Arrival] = []

    @property
    def url(self) -> str:
        """Its URL, without a slash at the end."""
        return f"http://{LOOPBACK}:{self.port}"


class _Connection(asyncio.Protocol):
    """One connection, kept open until a request says otherwise."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._at = 0.0
        self._data = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._at = self._at or time.time()
        self._data += data
        head, blank, body = self._data.partition(b"\r\n\r\n")
        if not blank or self._transport is None:
            return
        request, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if len(body) < int(headers.get("content-length", 0)):
            return
        self._target.arrivals.append(Arrival(self._at, request.split(" ")[1], headers))
        self._at, self._data = 0.0, b""
        if not self._target.answers:
            return
        last = headers.get("connection", "").lower() == "close" or request.endswith("HTTP/1.0")
        self._transport.write(_ANSWER % (b"close" if last else b"keep-alive"))
        if last:
            self._transport.close()


@contextmanager
def listening(*, answers: bool = True) -> Iterator[Target]:
    """The service in a thread of this process, on a free loopback port."""
    target, loop = Target(answers=answers), asyncio.new_event_loop()
    server = loop.run_until_complete(loop.create_server(lambda: _Connection(target), LOOPBACK, 0, backlog=1024))
    target.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield target
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.close()


@contextmanager
def in_own_process() -> Iterator[str]:
    """The URL of the service in a process of its own, so that its processor time is not measured."""
    command = [sys.executable, "-m", "benchmarks.http_target"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - this module
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.kill()


if __name__ == "__main__":
    with listening() as service:
        print(service.url, flush=True)
        while True:
            time.sleep(1)
            service.arrivals.clear()
