"""Times of day that a crontab names, in seconds since local midnight."""

from bisect import bisect_left
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

END_OF_DAY = 1 << 40
"""Value that follows the last time of a day in the tables, larger than any time of day."""

# One integer object for each minute of the day, shared by all tables.
_MINUTE_STARTS = tuple(range(0, 86400, 60))
_STEPS = tuple(timedelta(seconds=start) for start in range(60))


@dataclass(frozen=True, slots=True, eq=False)
class ClockTimes:
    """Sorted times of day; both tuples end with END_OF_DAY.

    If a crontab names one second, `times` has whole times of day and `seconds` is None. If it names several, `times` has starts of
    minutes, and `seconds` the seconds within each minute. first: the first time of the day.
    """

    times: tuple[int, ...]
    seconds: tuple[int, ...] | None
    first: int

    def at_or_after(self, second_of_day: int) -> int:
        """First time that is not before `second_of_day`; END_OF_DAY or more if there is none."""
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
    """Times of day that three bit masks name (bit n is value n). Schedules with equal masks share one table."""
    named, named_minutes = set_bits(seconds), set_bits(minutes)
    starts = [_MINUTE_STARTS[hour * 60 + minute] for hour in set_bits(hours) for minute in named_minutes]
    if len(named) == 1:
        times = starts if named[0] == 0 else [start + named[0] for start in starts]
        return ClockTimes((*times, END_OF_DAY), None, times[0])
    return ClockTimes((*starts, END_OF_DAY), (*named, END_OF_DAY), starts[0] + named[0])


@lru_cache(maxsize=64)
def clock_steps(seconds: int, minutes: int, hours: int) -> tuple[tuple[timedelta, ...], tuple[timedelta, ...]]:
    """The table of `clock_times` as timedeltas: from midnight, and from the start of the minute (empty if one second is named)."""
    table = clock_times(seconds, minutes, hours)
    from_midnight = tuple(timedelta(seconds=time) for time in table.times[:-1])
    return from_midnight, tuple(_STEPS[second] for second in (table.seconds or (END_OF_DAY,))[:-1])


def set_bits(mask: int) -> list[int]:
    """Positions of the bits that are set, ascending."""
    values = []
    while mask:
        low = mask & -mask
        values.append(low.bit_length() - 1)
        mask ^= low
    return values
