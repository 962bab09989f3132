"""What a schedule's text compiles to, apart from time zone and dialect."""

from typing import TypeAlias

from minutehand.schedule.crontab import CrontabTiming
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.unscheduled import DelayTiming, ManualTiming

Timing: TypeAlias = CrontabTiming | IntervalTiming | OnceTiming | DelayTiming | ManualTiming
"""Each kind has `repeats` (which clock rule of the dialect it takes), `next_after` and `sweep`."""
