"""What a schedule's text compiles to, apart from time zone and dialect."""

from typing import TypeAlias

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.interval import IntervalTiming

Timing: TypeAlias = CrontabTiming | IntervalTiming
"""Each kind has `repeats` (which clock rule of the dialect it takes), `next_after` and `sweep`."""
