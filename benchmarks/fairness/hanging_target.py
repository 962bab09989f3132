"""An HTTP service that accepts requests and does not answer, or does so only until it is told to hang."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.http_target import LOOPBACK

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class HangingTarget:
    """The running service.

    Attributes:
        quick: whether it answers.
    """

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick
        self.port = 0

    @property
    def url(self) -> str:
        """Its URL, without a slash at the end."""
        return f"http://{LOOPBACK}:{self.port}"

    def hang(self) -> None:
        """Answer no further request."""
        self.quick = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a request; answer it, or wait until the caller closes the connection."""
        try:
            await reader.readuntil(b"\r\n\r\n")
            if self.quick:
                writer.write(_ANSWER)
                await writer.drain()
            else:
                while await reader.read(65_536):
                    pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the caller closed the connection
        finally:
            writer.close()


@contextmanager
def hanging(*, quick: bool) -> Iterator[HangingTarget]:
    """The service in a thread of this process, on a free loopback port."""
    target, loop = HangingTarget(quick=quick), asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(target.serve, LOOPBACK, 0, backlog=1024))
    target.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield target
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
