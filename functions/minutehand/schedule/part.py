"""What a schedule text compiles to: its timing, and the part of a schedule that adds the time zone and the dialect."""

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.dialect import dialect_named
from minutehand.schedule.zones import HORIZON, Segments, segments, segments_reaching

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The range of datetime, less a day or two at each end for offsets. Earlier instants are treated as EARLIEST.
EARLIEST = int((datetime(1, 1, 3, tzinfo=UTC) - EPOCH).total_seconds())
LATEST = int((datetime(9999, 12, 29, tzinfo=UTC) - EPOCH).total_seconds())
# SECOND * n is several times faster than timedelta(0, n).
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalTiming:
    """A fixed rate, `@every` or `rate()`: every `period` seconds, before and after `anchor` (epoch seconds, UTC).

    Clock changes do not affect it.
    """

    period: int
    anchor: int

    @property
    def repeats(self) -> bool:
        """True, which selects the clock rule for repeating timings: an interval names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - every kind of timing has this signature
        """First instant later than `after`, or None if it is beyond the horizon of 40 years."""
        found = after + self.period - (after - self.anchor) % self.period
        return found if found <= after + HORIZON else None

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:  # noqa: ARG002 - as above
        """Append every instant in (after, stop) until `found` holds `limit`."""
        first = after + self.period - (after - self.anchor) % self.period
        count = min(max(0, -(-(stop - first) // self.period)), limit - len(found))
        instant, step = EPOCH + timedelta(seconds=first), timedelta(seconds=self.period)
        for _ in range(count):
            found.append(instant)
            instant += step


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceTiming:
    """One local time, `at(2026-12-01T09:00:00)`. wall: wall seconds, counted from 1970-01-01 00:00 local time."""

    wall: int

    @property
    def repeats(self) -> bool:
        """False, which selects the clock rule for fixed times: a single local time is one."""
        return False

    def next_after(self, after: int, zone: Segments) -> int | None:
        """Instant of the local time, if later than `after` and within the horizon of 40 years; otherwise None."""
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
        """True, which selects the clock rule for repeating timings: a fixed delay names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - every kind of timing has this signature
        """Start of the next run if the last one ended at `after`, or None if it is beyond the horizon of 40 years."""
        return after + self.period if self.period <= HORIZON else None

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:  # noqa: ARG002 - as above
        """Append the starts in (after, stop) until `found` holds `limit`, as if runs took no time."""
        for instant in range(after + self.period, stop, self.period):
            if len(found) >= limit:
                return
            found.append(EPOCH + timedelta(0, instant))


@dataclass(frozen=True, slots=True)
class ManualTiming:
    """No instants, `@manual`: runs start only by hand, through the API or from another job."""

    @property
    def repeats(self) -> bool:
        """True, which selects the clock rule for repeating timings: a manual schedule names no time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - every kind of timing has this signature
        """None: a manual schedule has no instants."""
        return None

    def collect(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:
        """Append nothing: a manual schedule has no instants."""


Timing: TypeAlias = CrontabTiming | IntervalTiming | OnceTiming | DelayTiming | ManualTiming
"""The kinds of timing. Each has `next_after`, `collect`, and `repeats`, which selects the clock rule of its dialect."""


@dataclass(frozen=True, slots=True)
class Part:
    """One text of a schedule, with its time zone, dialect and timing. Instants as integers are epoch seconds, UTC."""

    text: str
    timezone: str
    dialect: str
    timing: Timing
    _zone: Segments = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rule = dialect_named(self.dialect).clock_rule(repeats=self.timing.repeats)
        object.__setattr__(self, "_zone", segments(self.timezone, rule))

    def next_after(self, after: int) -> int | None:
        """First instant later than `after`, or None if there is none within the horizon of 40 years."""
        zone = self._zone
        if after > zone.valid_until:
            if after >= LATEST:
                return None
            zone = self._zone_at(after)
        found = self.timing.next_after(after, zone)
        return None if found is None or found > LATEST else found

    def between(self, after: int, last: int, limit: int) -> list[datetime]:
        """Instants t with after < t <= last, ascending, at most `limit`."""
        last = min(last, LATEST)
        found: list[datetime] = []
        while len(found) < limit:
            instant = self.next_after(after)
            if instant is None or instant > last:
                break
            found.append(EPOCH + SECOND * instant)
            zone = self._zone_at(instant)
            n = bisect_right(zone.starts, instant) - 1
            # next() looks no further than the horizon, so the next round of the loop looks for later instants.
            stop = min(last, instant + HORIZON) + 1
            self.timing.collect(instant, zone.offsets[n], min(stop, zone.starts[n + 1]), limit, found)
            after = epoch_seconds(found[-1])
        return found

    def offset_at(self, instant: int) -> int | None:
        """Seconds east of UTC at an instant; None if the offset never changes, or the timing names no time of day."""
        if self.timing.repeats or len(self._zone.offsets) == 1:
            return None
        zone = self._zone_at(instant)
        return zone.offsets[bisect_right(zone.starts, instant) - 1]

    def instant_of(self, wall: int) -> int | None:
        """Instant of a local time, in wall seconds from 1970-01-01 00:00; None if this part does not name that time."""
        timing = self.timing
        if timing.repeats or not isinstance(timing, CrontabTiming | OnceTiming):
            return None
        named = timing.wall == wall if isinstance(timing, OnceTiming) else timing.names_wall(wall)
        return OnceTiming(wall=wall).first_in(self._zone_at(wall)) if named else None

    def _zone_at(self, instant: int) -> Segments:
        if instant <= self._zone.valid_until:
            return self._zone
        rule = dialect_named(self.dialect).clock_rule(repeats=self.timing.repeats)
        return segments_reaching(self.timezone, rule, (EPOCH + SECOND * instant).year)


def epoch_seconds(instant: datetime) -> int:
    """Epoch seconds of an aware datetime, rounded down. Raises ValueError for a naive datetime, TypeError for another type."""
    try:
        since = instant - EPOCH
    except TypeError:
        raise _not_an_instant(instant) from None
    seconds = since.days * 86400 + since.seconds
    if seconds < EARLIEST:  # max() would take longer than the rest of this function
        return EARLIEST
    return seconds


def _not_an_instant(value: object) -> Exception:
    if isinstance(value, datetime):
        return ValueError(f"{value.isoformat()} has no time zone; pass an aware datetime such as datetime.now(UTC)")
    return TypeError(f"expected an aware datetime, not {type(value).__name__}")
