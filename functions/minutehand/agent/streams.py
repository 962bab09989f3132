"""The pipes between an agent and one command. Both of the command's output streams go into one pipe, so that their order is kept."""

import os
import subprocess
import threading
from contextlib import suppress

CHUNK = 65_536
"""Most bytes read or written at once."""


class Streams:
    """The agent's ends of the pipes, which never block, and one more pipe that wakes up whoever waits for them.

    Attributes:
        output, woken: file descriptors to read.
        stdin: file descriptor to write the standard input to; negative once it is closed, or without one.
        for_command: the command's ends: its standard input, and what it writes both of its output streams to.
    """

    def __init__(self, *, with_input: bool) -> None:
        self.output, written = os.pipe()
        self.woken, self._wake_end = os.pipe()
        read_end, self.stdin = os.pipe() if with_input else (subprocess.DEVNULL, -1)
        self.for_command = read_end, written
        self._lock = threading.Lock()
        self._closed = False
        for end in (self.output, self.woken, self._wake_end, self.stdin):
            if end >= 0:
                os.set_blocking(end, False)

    def launched(self) -> None:
        """Close the command's ends, which it has now."""
        for end in self.for_command:
            if end >= 0:
                os.close(end)

    def wake(self) -> None:
        """Make `woken` readable. Any thread may call this at any time."""
        with self._lock, suppress(BlockingIOError):  # it is full of bytes that wake up
            if not self._closed:
                os.write(self._wake_end, b"!")

    def close_stdin(self) -> None:
        """End the standard input."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def close(self) -> None:
        """Close the agent's ends."""
        with self._lock:
            self._closed = True
        self.close_stdin()
        for end in (self.output, self.woken, self._wake_end):
            os.close(end)
