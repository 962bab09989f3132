"""The throughput of a partition or a table."""

from __future__ import annotations


class TokenBucket:
    """So many units a second, with at most one second's worth saved.

    DynamoDB saves unused capacity of five minutes for bursts but does not promise it, so the model ignores it.
    """

    __slots__ = ("_at", "_held", "rate")

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._held = rate
        self._at = float("-inf")

    def take(self, things: int, units: float, now: float) -> int:
        """Take the units of as many things as there are units for; the number of things."""
        self._refill(now)
        taken = max(0, min(things, int(self._held / units + 1e-9)))
        self._held -= taken * units
        return taken

    def has(self, units: float, now: float) -> bool:
        """Whether so many units are left."""
        self._refill(now)
        return self._held >= units

    def wait(self, units: float, now: float) -> float:
        """Take units, in advance if necessary; seconds until they are available."""
        self._refill(now)
        self._held -= units
        return 0.0 if self._held >= 0 else -self._held / self.rate

    def _refill(self, now: float) -> None:
        if now > self._at:
            self._held = min(self.rate, self._held + (now - self._at) * self.rate)
            self._at = now
