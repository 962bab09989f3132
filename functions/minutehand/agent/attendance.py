"""Attends to the process of a command from its start to its end: reads, writes, and sends signals when they are due."""

import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from typing import NamedTuple

from minutehand.agent import session
from minutehand.agent.output import Output
from minutehand.agent.stopping import Stop, StopRequest
from minutehand.agent.streams import CHUNK, Streams

_LAST_READS = 32
"""Most chunks read of a pipe whose writers are not waited for: 2 MiB, more than a pipe holds by default (pipe(7))."""
_LONGEST_WAIT = 5.0
"""Most seconds between two looks at the clock: a wait does not count the time in which the machine sleeps."""


class Patience(NamedTuple):
    """How long to wait, in seconds.

    Attributes:
        term: from TERM to KILL.
        kill: from KILL until processes that do not end are given up.
        look: between looks at what the command has left behind.
        lease, limit: from TERM to KILL where the lease ends, or the time limit; `term` if that is shorter.
    """

    term: float = 10.0
    kill: float = 10.0
    look: float = 0.25
    lease: float = 10.0
    limit: float = 10.0


class Times(NamedTuple):
    """When a command must begin to end, by `clock`.

    Attributes:
        limit: so long before its deadline that its end can still be reported.
        lease_end: the latest time at which it may still run unsupervised; heartbeats move it.
    """

    clock: Callable[[], float]
    limit: float
    lease_end: Callable[[], float]


class Attendance:
    """Attends to one process, which leads a session of its own.

    Args:
        gone: set once the process itself has ended; it must stay a zombie meanwhile, which keeps its id from meaning another session.
        stdin: what to write to its standard input.
    """

    def __init__(
        self,
        pid: int,
        streams: Streams,
        output: Output,
        request: StopRequest,
        *,
        gone: threading.Event,
        times: Times,
        patience: Patience,
        stdin: bytes,
    ) -> None:
        self._pid = pid
        self._streams = streams
        self._output = output
        self._request = request
        self._gone = gone
        self._times = times
        self._patience = patience
        self._input = memoryview(stdin)
        self._open = True  # whether somebody may still write output
        self._termed_at: float | None = None
        self._killed_at: float | None = None
        self._next_look = 0.0
        self._poll = select.poll()
        self._poll.register(streams.output, select.POLLIN)
        self._poll.register(streams.woken, select.POLLIN)
        if streams.stdin >= 0:
            self._poll.register(streams.stdin, select.POLLOUT)

    def attend(self) -> bool:
        """Return when the command is over: its process has ended, and nobody of its session holds its output open any more; if it was
        asked to stop, nobody is left of its session. Returns whether some could not be ended."""
        while True:
            now = self._times.clock()
            self._look_at_times(now)
            self._signal(now)
            over = self._over(now)
            if over is not None:
                self._read_rest()
                return over
            for end, events in self._poll.poll(self._milliseconds(now)):
                self._serve(end, events)

    def _look_at_times(self, now: float) -> None:
        if self._request.why is None:
            if now >= self._times.limit:
                self._request.ask(Stop.TIME_LIMIT, grace=self._patience.limit)
            elif now >= self._times.lease_end():
                self._request.ask(Stop.LEASE, grace=self._patience.lease)

    def _signal(self, now: float) -> None:
        if self._request.why is None:
            return
        if self._termed_at is None:
            self._termed_at = now
            session.send(self._pid, signal.SIGTERM)
            session.send(self._pid, signal.SIGCONT)  # whoever is stopped takes no signal before
        elif self._killed_at is None and now >= self._termed_at + self._request.grace:
            self._killed_at = now
            session.send(self._pid, signal.SIGKILL)

    def _over(self, now: float) -> bool | None:
        """None while the command is not over; else whether some of its processes could not be ended."""
        given_up = self._killed_at is not None and now >= self._killed_at + self._patience.kill
        if not self._gone.is_set():
            return True if given_up else None
        if self._request.why is None and not self._open:
            return False  # what it has left in the background, without its output, is left alone
        if now < self._next_look:
            return None
        self._next_look = now + self._patience.look
        if not session.members(self._pid):
            return False  # if its output is still open, the processes that hold it have left the session
        if given_up:
            return True
        if self._killed_at is not None:
            session.send(self._pid, signal.SIGKILL)  # to those that began while the others were being signalled
        return None

    def _milliseconds(self, now: float) -> int:
        """How long to wait for an event."""
        until = [now + _LONGEST_WAIT]
        if self._request.why is None:
            until += [self._times.limit, self._times.lease_end()]
        elif self._termed_at is not None and self._killed_at is None:
            until.append(self._termed_at + self._request.grace)
        if self._killed_at is not None:
            until.append(self._killed_at + self._patience.kill)
        if self._gone.is_set():
            until.append(self._next_look)
        return max(0, ceil(1000 * (min(until) - now)))

    def _serve(self, end: int, events: int) -> None:
        if end == self._streams.woken:
            os.read(end, CHUNK)
        elif end == self._streams.output:
            self._read()
        else:
            self._write(broken=bool(events & select.POLLERR))

    def _read(self) -> bool:
        """Read a chunk of output. Returns whether there may be more now."""
        try:
            data = os.read(self._streams.output, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._open = False
            self._poll.unregister(self._streams.output)
        self._output.feed(data)
        return bool(data)

    def _write(self, *, broken: bool) -> None:
        """Write a chunk of the standard input, and end it after the last, or when nobody reads it."""
        try:
            done = len(self._input) if broken else os.write(self._streams.stdin, self._input[:CHUNK])
        except BrokenPipeError:
            done = len(self._input)
        except BlockingIOError:
            return
        self._input = self._input[done:]
        if not self._input:
            self._poll.unregister(self._streams.stdin)
            self._streams.close_stdin()

    def _read_rest(self) -> None:
        """Read what was written and not yet read."""
        with suppress(OSError):
            for _ in range(_LAST_READS):
                if not (self._open and self._read()):
                    return
