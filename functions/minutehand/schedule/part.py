"""One text of a schedule, compiled. A schedule joins one or several."""

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.dialect import dialect_named
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.timing import Timing
from minutehand.schedule.zones import HORIZON, Segments, segments, segments_reaching

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A day's room on either side, for offsets, within what a datetime can hold. Earlier instants count as the first of these.
EARLIEST = int((datetime(1, 1, 3, tzinfo=UTC) - EPOCH).total_seconds())
LATEST = int((datetime(9999, 12, 29, tzinfo=UTC) - EPOCH).total_seconds())
# A multiple of it is made in a fraction of the time that timedelta(0, seconds) takes.
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Part:
    """A text with the time zone and the dialect that it is read in. Instants are seconds since the epoch, UTC."""

    text: str
    timezone: str
    dialect: str
    timing: Timing
    _zone: Segments = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rule = dialect_named(self.dialect).clock_rule(repeats=self.timing.repeats)
        object.__setattr__(self, "_zone", segments(self.timezone, rule))

    def next_after(self, after: int) -> int | None:
        """The first instant later than `after`, or None within the horizon."""
        zone = self._zone
        if after > zone.good_until:
            if after >= LATEST:
                return None
            zone = self._zone_at(after)
        found = self.timing.next_after(after, zone)
        return None if found is None or found > LATEST else found

    def between(self, after: int, last: int, limit: int) -> list[datetime]:
        """The instants t with after < t <= last, ascending, at most `limit` of them."""
        last = min(last, LATEST)
        found: list[datetime] = []
        while len(found) < limit:
            instant = self.next_after(after)
            if instant is None or instant > last:
                break
            found.append(EPOCH + SECOND * instant)
            zone = self._zone_at(instant)
            n = bisect_right(zone.starts, instant) - 1
            # No further than next() would look from here: what lies beyond is asked for again, or is never.
            stop = min(last, instant + HORIZON) + 1
            self.timing.sweep(instant, zone.offsets[n], min(stop, zone.starts[n + 1]), limit, found)
            after = seconds_of(found[-1])
        return found

    def offset_at(self, instant: int) -> int | None:
        """The zone's seconds east of UTC at this instant; None where they do not matter, in UTC or to what names no time of day."""
        if self.timing.repeats or len(self._zone.offsets) == 1:
            return None
        zone = self._zone_at(instant)
        return zone.offsets[bisect_right(zone.starts, instant) - 1]

    def instant_of(self, wall: int) -> int | None:
        """The instant of a wall time (seconds since 1970-01-01 00:00 on that wall) that this part names; None if it names it not."""
        timing = self.timing
        if timing.repeats or not isinstance(timing, CrontabTiming | OnceTiming):
            return None
        named = timing.wall == wall if isinstance(timing, OnceTiming) else timing.names_wall(wall)
        return OnceTiming(wall=wall).first_in(self._zone_at(wall)) if named else None

    def _zone_at(self, instant: int) -> Segments:
        if instant <= self._zone.good_until:
            return self._zone
        rule = dialect_named(self.dialect).clock_rule(repeats=self.timing.repeats)
        return segments_reaching(self.timezone, rule, (EPOCH + SECOND * instant).year)


def seconds_of(instant: datetime) -> int:
    """Seconds since the epoch, rounded down. Raises ValueError for a naive datetime, TypeError for what is none."""
    try:
        since = instant - EPOCH
    except TypeError:
        raise _not_an_instant(instant) from None
    seconds = since.days * 86400 + since.seconds
    if seconds < EARLIEST:  # max() takes longer than all the rest here
        return EARLIEST
    return seconds


def _not_an_instant(value: object) -> Exception:
    if isinstance(value, datetime):
        return ValueError(f"{value.isoformat()} has no time zone; pass an aware datetime such as datetime.now(UTC)")
    return TypeError(f"expected an aware datetime, not {type(value).__name__}")
