"""The times of day that a crontab names, as seconds since midnight on the wall clock."""

from bisect import bisect_left
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

NO_TIME = 1 << 40
"""Larger than any time of day: what a search finds when the day has no time left."""

# One object for each minute of the day, shared by every schedule's table.
_MINUTE_STARTS = tuple(range(0, 86400, 60))
_STEPS = tuple(timedelta(seconds=start) for start in range(60))


@dataclass(frozen=True, slots=True, eq=False)
class ClockTimes:
    """Times of day. `times`: sorted, closed by NO_TIME. With one second named they are complete and `seconds` is None;
    with several they are the starts of minutes, and `seconds` (sorted, closed by NO_TIME) are within each.
    """

    times: tuple[int, ...]
    seconds: tuple[int, ...] | None
    first: int

    def at_or_after(self, second_of_day: int) -> int:
        """The first time not before this one; NO_TIME or more if the day has none left."""
        seconds = self.seconds
        if seconds is None:
            return self.times[bisect_left(self.times, second_of_day)]
        minute = second_of_day - second_of_day % 60
        position = bisect_left(self.times, minute)
        found = self.times[position]
        if found == minute:
            second = seconds[bisect_left(seconds, second_of_day - minute)]
            if second < 60:
                return minute + second
            found = self.times[position + 1]
        return found + seconds[0]


@lru_cache(maxsize=2048)
def clock_times(seconds: int, minutes: int, hours: int) -> ClockTimes:
    """The times that three bit masks name (bit n is value n). Schedules with equal masks share one table."""
    named, named_minutes = bits_of(seconds), bits_of(minutes)
    starts = [_MINUTE_STARTS[hour * 60 + minute] for hour in bits_of(hours) for minute in named_minutes]
    if len(named) == 1:
        times = starts if named[0] == 0 else [start + named[0] for start in starts]
        return ClockTimes((*times, NO_TIME), None, times[0])
    return ClockTimes((*starts, NO_TIME), (*named, NO_TIME), starts[0] + named[0])


@lru_cache(maxsize=64)
def clock_steps(seconds: int, minutes: int, hours: int) -> tuple[tuple[timedelta, ...], tuple[timedelta, ...]]:
    """The same table as distances from midnight, and from the start of the minute (empty with one second named)."""
    table = clock_times(seconds, minutes, hours)
    from_midnight = tuple(timedelta(seconds=time) for time in table.times[:-1])
    return from_midnight, tuple(_STEPS[second] for second in (table.seconds or (NO_TIME,))[:-1])


def bits_of(mask: int) -> list[int]:
    """The values whose bits are set, ascending."""
    values = []
    while mask:
        low = mask & -mask
        values.append(low.bit_length() - 1)
        mask ^= low
    return values
