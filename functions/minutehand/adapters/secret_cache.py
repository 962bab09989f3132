"""Secrets read once in a while: what a worker has read serves its calls for some minutes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from minutehand.domain.secret_reference import SecretReference

LASTS = timedelta(minutes=5)
"""How long a secret is kept. A new value reaches all workers within this time."""

Fetch = Callable[[SecretReference], str]
"""Reads the text of a whole secret from its store; raises as `Secrets` says."""


class _Kept(NamedTuple):
    """A secret that is being read, or was read.

    Attributes:
        read_at: None while it is being read.
    """

    text: Future[str]
    read_at: datetime | None = None

    def lasts(self, now: datetime) -> bool:
        return self.read_at is None or abs(now - self.read_at) < LASTS


class SecretCache:
    """Keeps each secret for `LASTS`; the `Secrets` of a worker. Safe for many threads.

    A secret is read by one thread at a time, of its own, so that a call can end while a store does not answer. Whoever needs the secret meanwhile
    waits for that thread. An error is not kept: the next call reads again.
    """

    def __init__(self, fetch: Fetch, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """`clock` is that of the wall, which goes on while Lambda freezes the function."""
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[SecretReference, _Kept] = {}

    def __call__(self, reference: SecretReference) -> Future[str]:
        """See `Secrets`."""
        now = self._clock()
        with self._lock:
            self._kept = {name: kept for name, kept in self._kept.items() if kept.lasts(now)}
            if reference in self._kept:
                return self._kept[reference].text
            text: Future[str] = Future()
            self._kept[reference] = _Kept(text)
        threading.Thread(target=self._read, args=(reference, text), name="secret", daemon=True).start()
        return text

    def _read(self, reference: SecretReference, text: Future[str]) -> None:
        try:
            found = self._fetch(reference)
        except BaseException as error:  # noqa: BLE001 - the calls that wait raise it
            with self._lock:
                del self._kept[reference]
            text.set_exception(error)
        else:
            with self._lock:
                self._kept[reference] = _Kept(text, self._clock())
            text.set_result(found)
