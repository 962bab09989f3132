"""Local time of a time zone: conversion between instants and wall-clock times."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from minutehand.schedule.dialect import ClockRule, Fold, Gap
from minutehand.schedule.part import OnceTiming
from minutehand.schedule.zones import segments, segments_reaching

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WALL_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - a local time has no zone
# Of a repeated time, the instant of the first pass; for a skipped time, the end of the gap.
_RULE = ClockRule(gap=Gap.CATCH_UP, fold=Fold.FIRST)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class WallClock:
    """Clocks of one time zone. Instants are aware datetimes, local times naive ones; both have whole seconds."""

    timezone: str

    def local(self, instant: datetime) -> datetime:
        """The wall-clock time in the zone at an instant."""
        at = (instant - _EPOCH) // _SECOND
        return _WALL_EPOCH + timedelta(0, at + self.offset(at))

    def instant(self, local: datetime) -> datetime:
        """First instant with this local time; the end of the gap for a time that the clocks jump over."""
        wall = (local - _WALL_EPOCH) // _SECOND
        zone = segments_reaching(self.timezone, _RULE, local.year)
        found = OnceTiming(wall=wall).first_in(zone)
        return _EPOCH + timedelta(0, wall if found is None else found)

    def offset(self, at: int) -> int:
        """The zone's offset at an instant, in seconds east of UTC. at: the instant in epoch seconds."""
        zone = segments(self.timezone, _RULE)
        if at > zone.valid_until:
            zone = segments_reaching(self.timezone, _RULE, (_EPOCH + timedelta(0, at)).year)
        return zone.offsets[bisect_right(zone.starts, at) - 1]


@lru_cache(maxsize=256)
def wall_clock(timezone: str) -> WallClock:
    """The clocks of a time zone. Raises ScheduleError (field "timezone") for an unknown name."""
    segments(timezone, _RULE)
    return WallClock(timezone)
