"""Deadline of one call, and sockets that keep it.

A socket's own timeout limits each operation, so an answer of one byte a second could last for ever. Each operation of these
sockets waits at most for what is left of the whole call, and checks once a second whether the run was cancelled.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import Enum
from http.client import HTTPException
from typing import Any, TypeVar

T = TypeVar("T")

CHECK_EVERY = 1.0
"""Seconds between checks whether the run was cancelled, while a call waits."""
LONGEST_HEAD = 256 * 1024
"""Most bytes of an answer's headers, with the interim answers before it: without a limit, a target could send those until the deadline."""


class Cancelled(Exception):
    """The run was cancelled."""


class Stage(Enum):
    """Stage of a call. The values complete the messages "timed out after … s …" and "stopped …"."""

    FINDING = "while its endpoints were looked up"
    RESOLVING = "while resolving the host name"
    CONNECTING = "while connecting"
    HANDSHAKE = "during the TLS handshake"
    SENDING = "while sending the request"
    WAITING = "while waiting for the answer"
    READING = "while reading the body of the answer"


class Reach(Enum):
    """How far a call got."""

    NOTHING = 0
    """Its request could not be made."""
    CONNECTION = 1
    """Nothing of its request was sent, so that nobody can have received it."""
    REQUEST = 2
    """Its target may have received the request."""


class Deadline:
    """Time limit of a call, and the stage that the call is in.

    Attributes:
        limit: the time limit of the whole call.
        stage, reach: set by the code that makes the call.
        share: the part of the time that is left which a new connection may take.
    """

    reach = Reach.NOTHING
    share = 1.0

    def __init__(
        self, limit: timedelta, monotonic: Callable[[], float], cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        """Start the time now; `monotonic` is a clock in seconds, `cancelled` tells whether the run was cancelled."""
        self.limit = limit
        self._cancelled = cancelled
        self.stage = Stage.RESOLVING
        self._monotonic = monotonic
        self._end = monotonic() + limit.total_seconds()

    def left(self) -> float:
        """Seconds left, more than 0.

        Raises:
            TimeoutError: if no time is left.
        """
        left = self._end - self._monotonic()
        if left <= 0:
            raise TimeoutError("the time limit of the call is reached")
        return left

    @contextmanager
    def to_connect(self) -> Iterator[None]:
        """Limit a block that opens a connection to its `share` of the time that is left; not one for a redirect, after which nothing
        else is tried.

        Raises:
            OSError: ETIMEDOUT, if the block takes longer although time is left for the call.
        """
        end, share = self._end, 1.0 if self.reach is Reach.REQUEST else self.share
        self._end -= self.left() * (1 - share)
        try:
            yield
        except TimeoutError as error:
            if error.errno is not None or self._monotonic() >= end:
                raise
            raise OSError(errno.ETIMEDOUT, "no answer to the connection request") from error
        finally:
            self._end = end

    def wait_for(self, do: Callable[[float], T]) -> T:
        """Call `do` with the seconds it may wait, and again each time it raises `TimeoutError`; return its result.

        Raises:
            TimeoutError: if no time is left.
            Cancelled: within `CHECK_EVERY` seconds after the run was cancelled.
        """
        while True:
            left = self.left()
            if self._cancelled():
                raise Cancelled("the run was cancelled")
            try:
                return do(min(left, CHECK_EVERY))
            except TimeoutError as error:
                if error.errno is not None:  # ETIMEDOUT of the operating system, not the limit above
                    raise


class TimedSocket(socket.socket):
    """A TCP socket whose operations end at `deadline`, once it is set.

    Attributes:
        sent: number of bytes sent, since it was set to 0.
        heard: number of bytes received before the body of an answer, since it was set to 0.
        held: if not None, what `sendall` keeps for `release`.
    """

    deadline: Deadline | None = None
    sent = heard = 0
    held: bytearray | None = None

    def connect_within(self, address: tuple[str, int], deadline: Deadline, seconds: float) -> None:
        """Connect within `seconds`, a part of what the deadline leaves. All later operations of the socket end at the deadline.

        Raises:
            OSError: if the connection fails; ETIMEDOUT if there is no answer in that time.
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
            deadline.wait_for(wait)
        failed = self.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failed:
            raise OSError(failed, os.strerror(failed))
        self.deadline = deadline

    def _wait_for(self, do: Callable[[], T]) -> T:
        if self.deadline is None:
            return do()

        def wait(seconds: float) -> T:
            if self.gettimeout() != seconds:  # a system call; mostly it is `CHECK_EVERY` already
                self.settimeout(seconds)
            return do()

        return self.deadline.wait_for(wait)

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        """See `socket.socket`; http.client reads only through this.

        Raises:
            ConnectionAbortedError: if the target closes the connection within the headers; http.client would take that for
                the end of the headers, and half an answer for a whole one.
            HTTPException: if the headers, with those of interim answers such as 100 Continue, are longer than `LONGEST_HEAD`.
        """
        received = self._wait_for(lambda: super(TimedSocket, self).recv_into(*args, **kwargs))
        if self.deadline is not None and self.deadline.stage is Stage.WAITING:
            self.heard += received
            if received == 0:
                raise ConnectionAbortedError("the target closed the connection before its headers were complete")
            if self.heard > LONGEST_HEAD:
                raise HTTPException(f"its headers are longer than {LONGEST_HEAD:,} bytes")
        return received

    def send(self, *args: Any, **kwargs: Any) -> int:
        """See `socket.socket`; `sendall` of a TLS socket calls this repeatedly."""
        sent = self._wait_for(lambda: super(TimedSocket, self).send(*args, **kwargs))
        self.sent += sent
        return sent

    def sendall(self, data: Any, flags: int = 0) -> None:
        """See `socket.socket`. Sends in pieces, because a whole `sendall` that is interrupted does not tell how much it sent."""
        if self.held is not None:
            self.held += data
            return
        with memoryview(data) as view, view.cast("B") as rest:
            sent = 0
            while sent < len(rest):
                sent += self.send(rest[sent:], flags)

    def release(self) -> None:
        """Send what was held, and hold no more."""
        held, self.held = self.held, None
        if held:
            self.sendall(held)


class TimedTlsSocket(TimedSocket, ssl.SSLSocket):
    """A `TimedSocket` over TLS, for the `sslsocket_class` of a context."""

    def handshake_within(self, deadline: Deadline) -> None:
        """Do the TLS handshake within the deadline. All later operations of the socket end at the deadline, too."""
        self.deadline = deadline
        self._wait_for(self.do_handshake)
