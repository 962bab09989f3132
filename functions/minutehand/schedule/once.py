"""A single time on the wall clock of a zone, as `at(2026-12-01T09:00:00)` names it."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime

from minutehand.schedule.zones import HORIZON, Segments


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceTiming:
    """One wall time, in seconds since 1970-01-01 00:00 on that wall."""

    wall: int

    @property
    def repeats(self) -> bool:
        """It names its time of day."""
        return False

    def next_after(self, after: int, zone: Segments) -> int | None:
        """Its instant, if that is later than `after` and within the horizon."""
        found = self.first_in(zone)
        return found if found is not None and after < found <= after + HORIZON else None

    def sweep(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:
        """Append nothing: its only instant is the one that comes first."""

    def first_in(self, zone: Segments) -> int | None:
        """The first instant at which the zone's clocks show this time, as the zone's rule counts them."""
        for n in range(bisect_right(zone.starts, self.wall - 2 * 86400) - 1, len(zone.offsets)):
            instant = self.wall - zone.offsets[n]
            if zone.counts_from[n] <= instant < zone.starts[n + 1]:
                return instant
            if n and zone.starts[n] + zone.offsets[n - 1] <= self.wall < zone.owed_until[n]:
                return zone.starts[n]
        return None
