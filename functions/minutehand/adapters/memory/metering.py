"""In-memory meter: the units that the calls would cost in DynamoDB, by the rules of docs/reference/costs.md."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from minutehand.adapters.memory.state import MemoryState
from minutehand.domain.run import Run, Usage


class MemoryCount:
    """The port `Count`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state
        self._before = (state.write_units, state.read_units, state.calls)

    def used(self) -> Usage:
        """See `Count.used`."""
        write, read, calls = self._before
        now = self._state
        return Usage(write=now.write_units - write, read=now.read_units - read, calls=now.calls - calls)


class MemoryMeter:
    """The port `Meter` over a `MemoryState`, for one thread at a time."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    @contextmanager
    def counting(self) -> Iterator[MemoryCount]:
        """See `Meter.counting`."""
        yield MemoryCount(self._state)

    def weight(self, run: Run) -> int:
        """See `Meter.weight`. About 500 bytes, and 210 for each earlier attempt."""
        return 1 + (500 + 210 * len(run.attempts)) // 1024
