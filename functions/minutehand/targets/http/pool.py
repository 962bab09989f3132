"""Kept connections: open ones that the next calls of the same origin use again."""

from __future__ import annotations

import re
import select
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from urllib3.connection import HTTPConnection, HTTPSConnection

from minutehand.targets.http.deadline import Deadline, TimedSocket
from minutehand.targets.http.final_response import FinalResponse
from minutehand.targets.http.origin import Origin

LONGEST_IDLE = 4.0
"""Seconds for which a connection may be unused. Common servers close after 5 s or more; a request must not cross that on its way."""
LONGEST_LIFE = 60.0
"""Seconds after which a connection is not used any more, so that calls follow a name that moves to another address."""
PROOF = 0.1
"""Seconds after an answer by which a server that closes after each one has closed. See `Pool`."""
MOST = 50
"""Most connections that are kept. A worker makes up to ten calls at once."""
_REMEMBERED = 1000
_TIMEOUT = re.compile(r"(?i)\btimeout\s*=\s*(\d{1,6})\b", re.ASCII)


class Line:
    """An open connection. Its address was judged when it was opened.

    Attributes:
        kept: whether it served another call before.
        stays: whether the server said that it keeps the connection.
    """

    def __init__(self, origin: Origin, socket: TimedSocket, opened_at: float) -> None:
        self.origin, self.opened_at, self.idle_since = origin, opened_at, opened_at
        self.kept_at: datetime | None = None
        self.kept = self.stays = False
        self.longest_idle = LONGEST_IDLE
        self._socket = socket
        kind = HTTPSConnection if origin.tls else HTTPConnection
        self.connection = kind(origin.host, origin.port)
        self.connection.response_class = FinalResponse
        self.connection.sock = socket
        self.connection.auto_open = 0  # urllib3 must not connect by itself, to an unchecked address

    def begin(self, deadline: Deadline) -> None:
        """Have all operations end at the deadline of a new call, and hold its request until `release`."""
        self._socket.deadline, self._socket.held = deadline, bytearray()
        self._socket.sent = self._socket.heard = 0
        self.connection.timeout = deadline.left()

    def release(self) -> None:
        """Send the request, whose headers and body were held: in one piece, which takes one call instead of two."""
        self._socket.release()

    def hear(self, headers: Mapping[str, str]) -> None:
        """Note what an answer says about the connection (RFC 9112, appendix C.2.2)."""
        self.stays = "keep-alive" in headers.get("connection", "").lower()
        told = _TIMEOUT.search(headers.get("keep-alive", ""))
        if told:
            self.longest_idle = min(LONGEST_IDLE, int(told[1]) - 1)

    @property
    def sent(self) -> int:
        """The bytes that the call has sent."""
        return self._socket.sent

    @property
    def is_open(self) -> bool:
        """Whether the last answer left the connection open."""
        return self.connection.sock is not None

    def is_over(self, now: float, at: datetime) -> bool:
        """Whether the connection is too old, or has been unused for too long by either clock: while Lambda freezes a function, one of
        them may stand still."""
        if now - self.idle_since > self.longest_idle or now - self.opened_at > LONGEST_LIFE:
            return True
        return self.kept_at is not None and abs(at - self.kept_at) > timedelta(seconds=self.longest_idle)

    def is_quiet(self) -> bool:
        """Whether nothing has come: neither the end of the connection nor bytes that no request asked for."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
        self._socket.close()


class Pool:
    """The kept connections of a worker. Safe for many threads.

    Some servers close after each answer without saying so. A request sent in that moment would be lost. So a connection is used again at once
    only if the server said that it keeps it, or if another connection of that origin was seen to stay open for `PROOF`.
    """

    def __init__(self, monotonic: Callable[[], float], clock: Callable[[], datetime]) -> None:
        """`monotonic` is a clock in seconds, `clock` that of the wall."""
        self._monotonic, self._clock = monotonic, clock
        self._lock = threading.Lock()
        self._idle: OrderedDict[int, Line] = OrderedDict()
        """By the connection's identity, the longest unused first."""
        self._staying: OrderedDict[Origin, None] = OrderedDict()
        """Origins whose connections stay open after an answer."""
        weakref.finalize(self, _close_all, self._idle)

    def take(self, origin: Origin) -> Line | None:
        """The connection to an origin that was used last, if it can still be used. It is the caller's, to keep again or to drop."""
        now, at = self._monotonic(), self._clock()
        found, over = None, []
        with self._lock:
            for line in [*reversed(self._idle.values())]:
                if line.is_over(now, at) or (line.origin == origin and not line.is_quiet()):
                    over.append(self._idle.pop(id(line)))
                elif found is None and line.origin == origin and self._may_be_used(line, now):
                    found = self._idle.pop(id(line))
        for line in over:
            line.close()
        if found is not None:
            found.kept = True
        return found

    def keep(self, line: Line) -> None:
        """Keep a connection whose answer was read to its end."""
        line.idle_since, line.kept_at = self._monotonic(), self._clock()
        over = None
        with self._lock:
            self._idle[id(line)] = line
            if len(self._idle) > MOST:
                _, over = self._idle.popitem(last=False)
        if over is not None:
            over.close()

    def drop(self, line: Line) -> None:
        """Close a connection that cannot serve another call. If it was kept, later ones of its origin must prove again that they stay."""
        if line.kept:
            with self._lock:
                self._staying.pop(line.origin, None)
        line.close()

    def _may_be_used(self, line: Line, now: float) -> bool:
        if line.stays or line.origin in self._staying:
            return True
        if now - line.idle_since < PROOF:
            return False
        self._staying[line.origin] = None
        if len(self._staying) > _REMEMBERED:
            self._staying.popitem(last=False)
        return True


def _close_all(idle: OrderedDict[int, Line]) -> None:
    for line in idle.values():
        line.close()
