"""A running command, from its launch to its outcome."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

from minutehand.agent import session
from minutehand.agent.attendance import Attendance, Patience, Times
from minutehand.agent.ending import Outcome, ended
from minutehand.agent.not_launched import NotLaunched
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
        waiter = None
        try:
            waiter = Waiter(streams.wake)
            process = self._launch(*streams.for_command)
        except BaseException:
            if waiter is not None:
                waiter.watch(None)
            streams.launched()
            streams.close()
            raise
        left, status = True, -int(signal.SIGKILL)
        try:
            waiter.watch(process.pid)
            begun = self._clock()
            streams.launched()
            self.request.tell(streams.wake)
            left = Attendance(
                process.pid,
                streams,
                self.output,
                self.request,
                gone=waiter.gone,
                times=Times(self._clock, self._limit, self._lease_end),
                patience=self._patience,
                stdin=stdin,
            ).attend()
        finally:
            if not waiter.gone.is_set():  # it cannot be ended, or a defect above must not leave it behind
                session.send(process.pid, signal.SIGKILL)
            if waiter.gone.wait(self._patience.look):
                waiter.join()
                streams.close()
                status = process.wait()
        self.output.close()
        return self._judge(self._order, status, self.output, self._clock() - begun, stop=self.request.why, left=left)


class Waiter:
    """Waits for the end of a process, in a thread that begins before the process does: a machine that has no room for another thread
    starts no command that nobody attends to.

    Attributes:
        gone: set once the process has ended.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        """Args:
        wake: called once the process has ended.

        Raises:
            NotLaunched: if this machine cannot start a thread now.
        """
        self.gone = threading.Event()
        self._wake = wake
        self._pid: SimpleQueue[int | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._wait, name="waiter", daemon=True)
        start(self._thread)

    def watch(self, pid: int | None) -> None:
        """Say which process it waits for; None for none."""
        self._pid.put(pid)

    def join(self) -> None:
        """Wait until the thread has ended, which it does once the process has."""
        self._thread.join()

    def _wait(self) -> None:
        pid = self._pid.get()
        if pid is not None:
            # The process stays a zombie, so that its id, which is also that of its session, means nothing else until it is reaped.
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            self.gone.set()
            self._wake()


def start(thread: threading.Thread) -> None:
    """Start a thread that attends to a command. Raises NotLaunched if this machine cannot."""
    try:
        thread.start()
    except RuntimeError as error:  # Python's answer to a limit of processes or of memory
        raise NotLaunched("NotStarted", f"this machine cannot start another thread now: {error}") from error
