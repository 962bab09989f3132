"""What the clocks of a time zone show, and when they show it."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from minutehand.schedule.dialect import ClockRule, Fold, Gap
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.zones import segments, segments_reaching

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WALL_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - a wall time has no zone
# The first instant at which the clocks show a time, or have jumped past it.
_RULE = ClockRule(gap=Gap.CATCH_UP, fold=Fold.FIRST)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class WallClock:
    """The clocks of one zone. Instants are aware, wall times naive; both of whole seconds."""

    timezone: str

    def local(self, instant: datetime) -> datetime:
        """What the clocks show at this instant."""
        at = (instant - _EPOCH) // _SECOND
        return _WALL_EPOCH + timedelta(0, at + self.offset(at))

    def instant(self, local: datetime) -> datetime:
        """The first instant at which the clocks show this time; of one that they jump over, the end of the jump."""
        wall = (local - _WALL_EPOCH) // _SECOND
        zone = segments_reaching(self.timezone, _RULE, local.year)
        found = OnceTiming(wall=wall).first_in(zone)
        return _EPOCH + timedelta(0, wall if found is None else found)

    def offset(self, at: int) -> int:
        """Seconds east of UTC at this many seconds since the epoch."""
        zone = segments(self.timezone, _RULE)
        if at > zone.good_until:
            zone = segments_reaching(self.timezone, _RULE, (_EPOCH + timedelta(0, at)).year)
        return zone.offsets[bisect_right(zone.starts, at) - 1]


@lru_cache(maxsize=256)
def wall_clock(timezone: str) -> WallClock:
    """The clocks of a zone. Raises ScheduleError (field "timezone") for a name that is not in the data."""
    segments(timezone, _RULE)
    return WallClock(timezone)
