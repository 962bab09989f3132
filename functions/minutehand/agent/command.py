"""A running command, from its launch to its outcome."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable

from minutehand.agent import session
from minutehand.agent.attendance import Attendance, Patience, Times
from minutehand.agent.ending import Outcome, ended
from minutehand.agent.order import Order
from minutehand.agent.output import Output
from minutehand.agent.stopping import StopRequest
from minutehand.agent.streams import Streams

Judge = Callable[..., Outcome]
"""Says how an order ended; takes what `ending.ended` takes."""
Launch = Callable[[int, int], "subprocess.Popen[bytes]"]
"""Starts a process in a session of its own, with file descriptors for its standard input and for its output."""


def boot_seconds() -> float:
    """Seconds since the machine started, those in which it slept included: a lease ends while a machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Command:
    """The command of an order, or the process of its handler. One thread runs it; others may ask it to stop.

    Attributes:
        output: what it has written so far.
        request: whether it is to be ended.
    """

    def __init__(
        self,
        order: Order,
        launch: Launch,
        *,
        limit: float,
        lease_end: Callable[[], float],
        patience: Patience,
        clock: Callable[[], float] = boot_seconds,
        record: Callable[[bytes], None] | None = None,
        judge: Judge = ended,
    ) -> None:
        """Args:
        limit: the time of `clock` at which it is ended for its time limit.
        lease_end: the time at which it must be ended for its lease, as heartbeats have moved it so far.
        record: gets its output as it comes; it must not wait.
        judge: says how the order ended.
        """
        self.output = Output(record)
        self.request = StopRequest(patience.term)
        self._order = order
        self._launch = launch
        self._limit = limit
        self._lease_end = lease_end
        self._patience = patience
        self._clock = clock
        self._judge = judge

    def run(self) -> Outcome:
        """Run the command to its end. Raises what its launch raises."""
        stdin = self._order.input.encode("utf-8", "replace")
        streams = Streams(with_input=bool(stdin))
        try:
            process = self._launch(*streams.for_command)
        except BaseException:
            streams.launched()
            streams.close()
            raise
        begun = self._clock()
        streams.launched()
        gone = threading.Event()
        waiter = threading.Thread(target=_wait, args=(process.pid, gone, streams), name="waiter", daemon=True)
        waiter.start()
        self.request.tell(streams.wake)
        left, status = True, -int(signal.SIGKILL)
        try:
            times = Times(self._clock, self._limit, self._lease_end)
            left = Attendance(
                process.pid,
                streams,
                self.output,
                self.request,
                gone=gone,
                times=times,
                patience=self._patience,
                stdin=stdin,
            ).attend()
        finally:
            if not gone.is_set():  # it cannot be ended, or a defect above must not leave it behind
                session.send(process.pid, signal.SIGKILL)
            if gone.wait(self._patience.look):
                waiter.join()
                streams.close()
                status = process.wait()
        self.output.close()
        return self._judge(self._order, status, self.output, self._clock() - begun, stop=self.request.why, left=left)


def _wait(pid: int, gone: threading.Event, streams: Streams) -> None:
    # The process stays a zombie, so that its id, which is also that of its session, means nothing else until it is reaped.
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    gone.set()
    streams.wake()
