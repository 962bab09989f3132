"""Throttle: a token bucket, which lets a burst of requests pass at once, and then so many a second. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

_NONE = timedelta(0)


class Level(NamedTuple):
    """How many requests of one caller may pass at an instant."""

    left: float
    at: datetime


class Throttle(NamedTuple):
    """The limits of one caller's requests.

    Attributes:
        rate: requests a second.
        burst: most requests that may pass at once; at least 1.
    """

    rate: int
    burst: int

    def take(self, level: Level | None, now: datetime) -> tuple[Level, timedelta]:
        """Let a request pass, or say for how long its caller should wait.

        Args:
            level: what an earlier call returned for this caller; None for its first request.

        Returns:
            The new level, and the wait: zero if the request may pass.
        """
        left = self.at(level, now)
        if left >= 1:
            return Level(left - 1, now), _NONE
        return Level(left, now), timedelta(seconds=(1 - left) / self.rate)

    def at(self, level: Level | None, now: datetime) -> float:
        """How many requests may pass at `now`. A clock that goes backwards adds none."""
        if level is None:
            return self.burst
        gained = max(now - level.at, _NONE).total_seconds() * self.rate
        return min(level.left + gained, self.burst)
