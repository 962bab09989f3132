"""Bounds of a whole answer. Timeouts of urllib3 are those of each read, so a server that sends a byte now and then holds a thread for ever."""

import http.client
import io
import socket
from time import monotonic
from typing import Any, NamedTuple

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection


class Bounds(NamedTuple):
    """How long an answer may take, in seconds from its request, and how long it may be, in bytes with its header."""

    seconds: float
    size: int


def bounded_pool(bounds: Bounds, *, maxsize: int) -> PoolManager:
    """Connections whose answers have bounds. Beyond them, urllib3 raises what it raises for a broken connection.

    Bodies must not be decoded: a short compressed one may be of any length.
    """

    class Response(http.client.HTTPResponse):
        def __init__(self, sock: socket.socket, *args: Any, **more: Any) -> None:
            super().__init__(sock, *args, **more)
            self.fp = io.BufferedReader(_Bounded(self.fp.detach(), sock, bounds))

    class Plain(HTTPConnection):
        response_class = Response

    class Secure(HTTPSConnection):
        response_class = Response

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    pool = PoolManager(maxsize=maxsize)
    pool.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}
    return pool


class _Bounded(io.RawIOBase):
    """What a socket receives, until it is too late or too much."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, bounds: Bounds) -> None:
        self._raw = raw
        self._sock = sock
        self._bounds = bounds
        self._each = sock.gettimeout() or bounds.seconds
        self._end = monotonic() + bounds.seconds
        self._size = 0

    def readable(self) -> bool:
        """See the base class."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """See the base class. Raises OSError beyond the bounds."""
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(min(self._each, left))
        count = self._raw.readinto(buffer)
        self._size += count or 0
        if self._size > self._bounds.size:
            raise OSError(f"the answer is longer than {self._bounds.size:,} bytes")
        return count

    def close(self) -> None:
        """See the base class."""
        self._raw.close()
        super().close()
