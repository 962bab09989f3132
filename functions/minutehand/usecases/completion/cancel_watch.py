"""Watching: whether somebody has asked for the end of a run while its call is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunKey
from minutehand.usecases.ports.stores import Clock, Runs

EVERY = timedelta(seconds=5)
"""How long a call lasts before its run is looked at, and then until it is looked at again."""

Background = Callable[[Callable[[], None]], object]
"""Does something by and by, without keeping anybody waiting; now and here will do as well."""


class Watch:
    """Watches the runs of a batch whose calls are under way; safe for many threads.

    All that are under way are looked at together, and nothing is read as long as every call ends within `EVERY`. The looking is
    done in the background, so that a store that does not answer never holds up a call that is to keep to its limit.
    """

    def __init__(self, runs: Runs, clock: Clock, background: Background) -> None:
        self._runs = runs
        self._clock = clock
        self._background = background
        self._lock = threading.Lock()
        self._under_way: dict[RunKey, int] = {}
        self._cancelled: set[RunKey] = set()
        self._next_look = clock()
        self._looking = False

    @contextmanager
    def over(self, run: Run) -> Iterator[Callable[[], bool]]:
        """Watch a run while its attempt is under way; what this gives says whether somebody has asked for its end."""
        with self._lock:
            if not self._under_way:
                self._next_look = self._clock() + EVERY
            self._under_way[run.key] = run.attempt
        try:
            yield lambda: self._asked(run.key)
        finally:
            with self._lock:
                del self._under_way[run.key]
                self._cancelled.discard(run.key)

    def _asked(self, key: RunKey) -> bool:
        with self._lock:
            if key in self._cancelled:
                return True
            if self._looking or self._clock() < self._next_look:
                return False
            self._looking = True
            keys = list(self._under_way)
        self._background(lambda: self._look(keys))
        with self._lock:
            return key in self._cancelled

    def _look(self, keys: Sequence[RunKey]) -> None:
        found: set[RunKey] = set()
        try:
            stand = self._runs.get(keys)
            found = {key for key, run in stand.items() if run.cancelled_by and run.attempt == self._under_way.get(key)}
        except Unavailable:
            pass  # the next look may do better
        finally:
            with self._lock:
                self._cancelled |= found & self._under_way.keys()
                self._next_look = self._clock() + EVERY
                self._looking = False
