"""Schedules that name no instants of their own: `@manual`, and `@after`, which waits for the end of a run."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from minutehand.schedule.zones import HORIZON, Segments

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ManualTiming:
    """Never by itself: by hand, by the API or by another job."""

    @property
    def repeats(self) -> bool:
        """It names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - one signature for every kind of timing
        """None."""
        return None

    def sweep(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:
        """Append nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayTiming:
    """A fixed delay: `period` seconds after a run has ended. What comes next depends on that end, and is asked with it."""

    period: int

    @property
    def repeats(self) -> bool:
        """It names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - one signature for every kind of timing
        """When the next run starts if the last one ended at `after`, or None beyond the horizon."""
        return after + self.period if self.period <= HORIZON else None

    def sweep(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:  # noqa: ARG002 - as above
        """Append the starts in (after, stop) of runs that take no time, until `found` holds `limit`."""
        for instant in range(after + self.period, stop, self.period):
            if len(found) >= limit:
                return
            found.append(_EPOCH + timedelta(0, instant))
