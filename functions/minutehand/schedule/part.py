"""One compiled text of a schedule; a schedule has one or several."""

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.dialect import dialect_named
from minutehand.schedule.timing import OnceTiming, Timing
from minutehand.schedule.zones import HORIZON, Segments, segments, segments_reaching

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The range of datetime, less a day or two at each end for offsets. Earlier instants are treated as EARLIEST.
EARLIEST = int((datetime(1, 1, 3, tzinfo=UTC) - EPOCH).total_seconds())
LATEST = int((datetime(9999, 12, 29, tzinfo=UTC) - EPOCH).total_seconds())
# SECOND * n is several times faster than timedelta(0, n).
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Part:
    """A text with its time zone, dialect and timing. Instants as integers are epoch seconds, UTC."""

    text: str
    timezone: str
    dialect: str
    timing: Timing
    _zone: Segments = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rule = dialect_named(self.dialect).clock_rule(repeats=self.timing.repeats)
        object.__setattr__(self, "_zone", segments(self.timezone, rule))

    def next_after(self, after: int) -> int | None:
        """First instant later than `after`, or None if there is none within the horizon."""
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
            # next() looks no further than the horizon; the next round of the loop decides about later instants.
            stop = min(last, instant + HORIZON) + 1
            self.timing.collect(instant, zone.offsets[n], min(stop, zone.starts[n + 1]), limit, found)
            after = epoch_seconds(found[-1])
        return found

    def offset_at(self, instant: int) -> int | None:
        """Seconds east of UTC at an instant; None if the offset does not matter: a constant one, or a timing without times of day."""
        if self.timing.repeats or len(self._zone.offsets) == 1:
            return None
        zone = self._zone_at(instant)
        return zone.offsets[bisect_right(zone.starts, instant) - 1]

    def instant_of(self, wall: int) -> int | None:
        """Instant of a local time (wall seconds) that this part names; None if it does not name it."""
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
