"""What a partition or a table lets through in a second."""

from __future__ import annotations


class Bucket:
    """A token bucket: so many units a second, and no more than one second's worth saved up.

    DynamoDB keeps unused capacity of five minutes for bursts, and promises none of it; so none is counted on here.
    """

    __slots__ = ("_at", "_held", "rate")

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._held = rate
        self._at = float("-inf")

    def whole(self, things: int, each: int, now: float) -> int:
        """Take units for as many things as there are units for; how many."""
        self._refill(now)
        got = max(0, min(things, int(self._held / each + 1e-9)))
        self._held -= got * each
        return got

    def has(self, units: float, now: float) -> bool:
        """Whether there are so many units."""
        self._refill(now)
        return self._held >= units

    def wait(self, units: float, now: float) -> float:
        """Take units, in advance where there are none; seconds until they are there."""
        self._refill(now)
        self._held -= units
        return 0.0 if self._held >= 0 else -self._held / self.rate

    def _refill(self, now: float) -> None:
        if now > self._at:
            self._held = min(self.rate, self._held + (now - self._at) * self.rate)
            self._at = now
