"""The changes of a time zone's clocks in a span, beside which two schedulers often differ."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from minutehand.domain.durations import format_duration
from minutehand.domain.instants import SECOND, to_text
from minutehand.schedule import ScheduleError, wall_clock

BESIDE = 3 * 3_600
"""How close to a change a difference lies that it may explain, in seconds: clocks move by two hours at most, and run after that."""
_A_DAY = 86_400


class ClockChange(NamedTuple):
    """A change of clocks: `by` so many seconds, forward if that is positive."""

    at: datetime
    timezone: str
    by: int

    @property
    def text(self) -> str:
        """The change in words."""
        direction = "forward" if self.by > 0 else "back"
        return f"clocks in {self.timezone} go {direction} by {format_duration(abs(self.by) * SECOND)} at {to_text(self.at)}"

    def is_beside(self, at: float) -> bool:
        """Whether an instant, in seconds since 1970, lies near the change."""
        return abs(at - self.at.timestamp()) <= BESIDE


def clock_changes(timezone: str, first: datetime, last: datetime) -> Iterator[ClockChange]:
    """The changes from an instant up to another, in order; none for an unknown time zone."""
    try:
        offset = wall_clock(timezone).offset
    except ScheduleError:
        return
    at, end = int(first.timestamp()), int(last.timestamp())
    while at < end:
        following = min(at + _A_DAY, end)
        if offset(at) != offset(following):
            before, after = at, following
            while after - before > 1:
                middle = (before + after) // 2
                before, after = (middle, after) if offset(middle) == offset(before) else (before, middle)
            yield ClockChange(datetime.fromtimestamp(after, UTC), timezone, offset(after) - offset(before))
        at = following
