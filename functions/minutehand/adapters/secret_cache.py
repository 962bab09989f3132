"""Secrets read once in a while: what a worker has read serves its calls for some minutes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from random import SystemRandom
from typing import NamedTuple

from minutehand.domain.errors import Unavailable
from minutehand.domain.secret_reference import SecretReference

LASTS = timedelta(minutes=5)
"""Longest time for which a secret is used without another read. A new value reaches all workers within it, while the store answers."""
SPREAD = 0.2
"""Part of that time by which reads are spread, so that workers which began together do not read together."""
WITHOUT_ANSWER_FOR = timedelta(minutes=15)
"""How long a secret is used if its store does not answer. The store is asked again after `AGAIN`."""
AGAIN = timedelta(seconds=30)
ERROR_LASTS = timedelta(seconds=2)
"""How long an error is kept."""

# As in backoff.py: functions restored from one snapshot would all draw the same numbers of another generator.
_RANDOM = SystemRandom()

Fetch = Callable[[SecretReference], str]
"""Reads the text of a whole secret from its store; raises as `Secrets` says."""


class _Kept(NamedTuple):
    """A secret that is being read, or was read.

    Attributes:
        text: what the calls get.
        ended: when the read ended; None while it is under way.
        lasts: how long the calls get it from then on.
        known, known_at: what the store answered last, and when; None if that may no longer be used.
    """

    text: Future[str]
    ended: datetime | None = None
    lasts: timedelta = ERROR_LASTS
    known: str | None = None
    known_at: datetime | None = None

    def is_used(self, now: datetime) -> bool:
        """Whether calls get it without another read."""
        return self.ended is None or abs(now - self.ended) < self.lasts

    def may_last(self, now: datetime) -> bool:
        """Whether calls get the known text if the store does not answer."""
        return self.known_at is not None and abs(now - self.known_at) < WITHOUT_ANSWER_FOR


class SecretCache:
    """Keeps each secret for at most `LASTS`, or longer if its store does not answer; the `Secrets` of a worker. Safe for many threads.

    A secret is read by one thread at a time, of its own, so that a call can end while a store does not answer. Whoever needs the secret meanwhile
    waits for that thread.
    """

    def __init__(
        self,
        fetch: Fetch,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        random: Callable[[], float] = _RANDOM.random,
    ) -> None:
        """Args:
        clock: that of the wall, which goes on while Lambda freezes the function.
        random: draws from 0 to 1, other numbers in each worker.
        """
        self._fetch, self._clock, self._random = fetch, clock, random
        self._lock = threading.Lock()
        self._kept: dict[SecretReference, _Kept] = {}

    def __call__(self, reference: SecretReference) -> Future[str]:
        """See `Secrets`."""
        now = self._clock()
        with self._lock:
            self._kept = {name: kept for name, kept in self._kept.items() if kept.is_used(now) or kept.may_last(now)}
            kept = self._kept.get(reference)
            if kept is not None and kept.is_used(now):
                return kept.text
            text: Future[str] = Future()
            begun = self._kept[reference] = (kept or _Kept(text))._replace(text=text, ended=None)
        threading.Thread(target=self._read, args=(reference, begun), name="secret", daemon=True).start()
        return text

    def _read(self, reference: SecretReference, begun: _Kept) -> None:
        try:
            found = self._fetch(reference)
        except BaseException as error:  # noqa: BLE001 - the calls that wait raise it
            now = self._clock()
            if isinstance(error, Unavailable) and begun.known is not None and begun.may_last(now):
                self._keep(reference, begun._replace(ended=now, lasts=AGAIN))
                begun.text.set_result(begun.known)
            else:
                self._keep(reference, _Kept(begun.text, now))
                begun.text.set_exception(error)
        else:
            now, lasts = self._clock(), LASTS * (1 - SPREAD * self._random())
            self._keep(reference, _Kept(begun.text, now, lasts, found, now))
            begun.text.set_result(found)

    def _keep(self, reference: SecretReference, kept: _Kept) -> None:
        with self._lock:
            self._kept[reference] = kept
