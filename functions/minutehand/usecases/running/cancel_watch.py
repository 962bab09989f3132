"""Notice that a run is cancelled while the call of its target is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import Clock, Runs

EVERY = timedelta(seconds=5)
"""A run is read this long after the start of its call, and then again at this interval."""

Background = Callable[[Callable[[], None]], object]
"""Runs a function in the background, so that the caller need not wait. An implementation may also run it at once instead."""


class Watch:
    """Watches the runs of a batch whose calls are under way; safe for many threads.

    One read covers all calls under way; none is made if all calls end within `EVERY`. Reads are made in the background, so that a
    store that does not answer never makes a call exceed its limit.
    """

    def __init__(self, runs: Runs, clock: Clock, background: Background) -> None:
        self._runs = runs
        self._clock = clock
        self._background = background
        self._lock = threading.Lock()
        self._under_way: dict[RunKey, int] = {}
        self._cancelled: set[RunKey] = set()
        self._next_read = clock()
        self._reading = False

    @contextmanager
    def over(self, run: Run) -> Iterator[Callable[[], bool]]:
        """Watch a run while its attempt is under way. The function that this yields says whether the run was cancelled."""
        with self._lock:
            if not self._under_way:
                self._next_read = self._clock() + EVERY
            self._under_way[run.key] = run.attempt
        try:
            yield lambda: self._is_cancelled(run.key)
        finally:
            with self._lock:
                del self._under_way[run.key]
                self._cancelled.discard(run.key)

    def _is_cancelled(self, key: RunKey) -> bool:
        with self._lock:
            if key in self._cancelled:
                return True
            if self._reading or self._clock() < self._next_read:
                return False
            self._reading = True
            keys = list(self._under_way)
        self._background(lambda: self._read(keys))
        with self._lock:
            return key in self._cancelled

    def _read(self, keys: Sequence[RunKey]) -> None:
        found: set[RunKey] = set()
        try:
            stored = self._runs.get(keys)
            found = {key for key, run in stored.items() if run.cancelled_by and run.attempt == self._under_way.get(key)}
        except Unavailable:
            pass  # the next read may succeed
        finally:
            with self._lock:
                self._cancelled |= found & self._under_way.keys()
                self._next_read = self._clock() + EVERY
                self._reading = False
