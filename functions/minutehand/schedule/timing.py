"""What a schedule text compiles to, apart from its time zone and dialect."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.zones import HORIZON, Segments

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalTiming:
    """A fixed rate, `@every` or `rate()`: every `period` seconds, before and after `anchor` (epoch seconds, UTC).

    Clock changes do not affect it.
    """

    period: int
    anchor: int

    @property
    def repeats(self) -> bool:
        """True: it names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - every kind of timing has this signature
        """First instant later than `after`, or None if it is beyond the horizon."""
        found = after + self.period - (after - self.anchor) % self.period
        return found if found <= after + HORIZON else None

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:  # noqa: ARG002 - as above
        """Append every instant in (after, stop) until `found` holds `limit`."""
        first = after + self.period - (after - self.anchor) % self.period
        count = min(max(0, -(-(stop - first) // self.period)), limit - len(found))
        instant, step = _EPOCH + timedelta(seconds=first), timedelta(seconds=self.period)
        for _ in range(count):
            found.append(instant)
            instant += step


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceTiming:
    """One local time, `at(2026-12-01T09:00:00)`. wall: wall seconds, counted from 1970-01-01 00:00 local time."""

    wall: int

    @property
    def repeats(self) -> bool:
        """False: it names a time of day."""
        return False

    def next_after(self, after: int, zone: Segments) -> int | None:
        """Its instant, if later than `after` and within the horizon; otherwise None."""
        found = self.first_in(zone)
        return found if found is not None and after < found <= after + HORIZON else None

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:
        """Append nothing: `next_after` has returned its only instant."""

    def first_in(self, zone: Segments) -> int | None:
        """First instant at which the clocks show this time, under the zone's clock rule; None if they skip it."""
        for n in range(bisect_right(zone.starts, self.wall - 2 * 86400) - 1, len(zone.offsets)):
            instant = self.wall - zone.offsets[n]
            if zone.counted_from[n] <= instant < zone.starts[n + 1]:
                return instant
            if n and zone.starts[n] + zone.offsets[n - 1] <= self.wall < zone.catch_up_until[n]:
                return zone.starts[n]
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayTiming:
    """A fixed delay, `@after`: `period` seconds after the end of a run."""

    period: int

    @property
    def repeats(self) -> bool:
        """True: it names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - every kind of timing has this signature
        """Start of the next run if the last one ended at `after`, or None if it is beyond the horizon."""
        return after + self.period if self.period <= HORIZON else None

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:  # noqa: ARG002 - as above
        """Append the starts in (after, stop) until `found` holds `limit`, as if runs took no time."""
        for instant in range(after + self.period, stop, self.period):
            if len(found) >= limit:
                return
            found.append(_EPOCH + timedelta(0, instant))


@dataclass(frozen=True, slots=True)
class ManualTiming:
    """No instants, `@manual`: runs start only by hand, through the API or from another job."""

    @property
    def repeats(self) -> bool:
        """True: it names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - every kind of timing has this signature
        """None."""
        return None

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:
        """Append nothing."""


Timing: TypeAlias = CrontabTiming | IntervalTiming | OnceTiming | DelayTiming | ManualTiming
"""Every kind has `repeats`, which selects the clock rule of the dialect, `next_after` and `collect`."""
