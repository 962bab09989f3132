"""The deadline of one call, and sockets that keep to it.

A socket's own timeout bounds each wait, so that an answer of one byte a second may last for ever. These sockets wait,
at each operation, no longer than what is left of the whole call, and look up each second to see whether it is still wanted.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import ssl
from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")

LOOK = 1.0
"""Seconds after which a wait looks up, to see whether the call is still wanted."""


class Cancelled(Exception):
    """Somebody has asked for the end of the run."""


class Stage(Enum):
    """How far a call got; the values end the sentences "the limit was reached …" and "the call was ended …"."""

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

    def __init__(
        self, limit: timedelta, monotonic: Callable[[], float], cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        """Begin now; `monotonic` gives seconds, `cancelled` says whether the call is to end before its time."""
        self.limit = limit
        self._cancelled = cancelled
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

    def patiently(self, do: Callable[[float], T]) -> T:
        """What `do` gives that waits for the seconds it is told, asked again for as long as it raises `TimeoutError`.

        Raises:
            TimeoutError: when nothing is left.
            Cancelled: within `LOOK` of the call's being unwanted.
        """
        while True:
            left = self.left()
            if self._cancelled():
                raise Cancelled("the run was cancelled")
            try:
                return do(min(left, LOOK))
            except TimeoutError as error:
                if error.errno is not None:  # the operating system gave up, not we
                    raise


class TimedSocket(socket.socket):
    """A TCP socket whose reads and writes end at `deadline`, once it has one."""

    deadline: Deadline | None = None

    def reach(self, address: tuple[str, int], deadline: Deadline, seconds: float) -> None:
        """Connect, within so many seconds of the deadline's.

        Raises:
            OSError: when no connection comes about; ETIMEDOUT when there is no answer in that time.
        """
        end = deadline.left() - seconds
        self.settimeout(0)
        begun = self.connect_ex(address)
        if begun not in (0, errno.EINPROGRESS):
            raise OSError(begun, os.strerror(begun))
        poll = select.poll()
        poll.register(self, select.POLLOUT)

        def wait(longest: float) -> None:
            left = deadline.left() - end
            if left <= 0:
                raise OSError(errno.ETIMEDOUT, "no answer to the connection request")
            if not poll.poll(min(left, longest) * 1000):
                raise TimeoutError

        if begun:
            deadline.patiently(wait)
        failed = self.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failed:
            raise OSError(failed, os.strerror(failed))
        self.deadline = deadline

    def _patiently(self, do: Callable[[], T]) -> T:
        if self.deadline is None:
            return do()

        def wait(seconds: float) -> T:
            self.settimeout(seconds)
            return do()

        return self.deadline.patiently(wait)

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """As in `socket.socket`; http.client reads through this alone.

        Raises:
            ConnectionAbortedError: when the other side ends in the middle of the headers, which http.client would take
                for their end, and so a half answer for a whole one.
        """
        received = self._patiently(lambda: super(TimedSocket, self).recv_into(*args, **kwargs))
        if received == 0 and self.deadline is not None and self.deadline.stage is Stage.WAITING:
            raise ConnectionAbortedError("the other side closed the connection before its headers were complete")
        return received

    def send(self, *args: Any, **kwargs: Any) -> int:
        """As in `socket.socket`; what `sendall` of a TLS socket repeats."""
        return self._patiently(lambda: super(TimedSocket, self).send(*args, **kwargs))

    def sendall(self, data: Any, flags: int = 0) -> None:
        """As in `socket.socket`; bit by bit, since one that is cut short does not say how much was sent."""
        with memoryview(data) as view, view.cast("B") as rest:
            sent = 0
            while sent < len(rest):
                sent += self.send(rest[sent:], flags)


class TimedTlsSocket(TimedSocket, ssl.SSLSocket):
    """The same over TLS; a context makes these when it is its `sslsocket_class`."""

    def shake_hands(self, deadline: Deadline) -> None:
        """Agree on TLS within the deadline; the rest keeps to it too."""
        self.deadline = deadline
        self._patiently(self.do_handshake)
