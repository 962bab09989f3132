"""The deadline of one call, and sockets that keep to it.

A socket's own timeout bounds each wait, so that an answer of one byte a second may last for ever. These sockets wait,
at each operation, no longer than what is left of the whole call.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import Any


class Stage(Enum):
    """How far a call got; the values end the sentence "the limit was reached …"."""

    RESOLVING = "while looking up the host's name"
    CONNECTING = "while connecting"
    HANDSHAKE = "while agreeing on TLS"
    SENDING = "while sending the request"
    WAITING = "while waiting for the headers of the answer"
    READING = "while reading the body of the answer"


class Deadline:
    """When a call ends, and how far it got.

    Attributes:
        limit: how long the whole call may take.
        stage: moved on by whoever does the work.
    """

    def __init__(self, limit: timedelta, monotonic: Callable[[], float]) -> None:
        """Begin now; `monotonic` gives seconds."""
        self.limit = limit
        self.stage = Stage.RESOLVING
        self._monotonic = monotonic
        self._end = monotonic() + limit.total_seconds()

    def left(self) -> float:
        """Seconds left, more than 0.

        Raises:
            TimeoutError: when nothing is left.
        """
        left = self._end - self._monotonic()
        if left <= 0:
            raise TimeoutError("the time limit of the call is over")
        return left


class TimedSocket(socket.socket):
    """A TCP socket whose reads and writes end at `deadline`, once it has one."""

    deadline: Deadline | None = None

    def _wait_no_longer(self) -> None:
        if self.deadline is not None:
            self.settimeout(self.deadline.left())

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """As in `socket.socket`; http.client reads through this alone.

        Raises:
            ConnectionAbortedError: when the other side ends in the middle of the headers, which http.client would take
                for their end, and so a half answer for a whole one.
        """
        self._wait_no_longer()
        received = super().recv_into(*args, **kwargs)
        if received == 0 and self.deadline is not None and self.deadline.stage is Stage.WAITING:
            raise ConnectionAbortedError("the other side closed the connection before its headers were complete")
        return received

    def send(self, *args: Any, **kwargs: Any) -> int:
        """As in `socket.socket`; what `sendall` of a TLS socket repeats."""
        self._wait_no_longer()
        return super().send(*args, **kwargs)

    def sendall(self, *args: Any, **kwargs: Any) -> None:
        """As in `socket.socket`, where the timeout bounds the whole of it."""
        self._wait_no_longer()
        super().sendall(*args, **kwargs)


class TimedTlsSocket(TimedSocket, ssl.SSLSocket):
    """The same over TLS; a context makes these when it is its `sslsocket_class`."""
