"""Schedules: compile a cron, rate or one-time text, and compute its instants.

>>> from datetime import UTC, datetime
>>> weekdays = Schedule.parse("0 9 * * MON-FRI", timezone="America/New_York")
>>> weekdays.next(datetime(2026, 11, 20, 15, tzinfo=UTC))
datetime.datetime(2026, 11, 23, 14, 0, tzinfo=datetime.timezone.utc)

Importing this package, `decode`, `next` and `between` load no parser. `parse`, `describe` and `warnings` load theirs on first use.
"""

from minutehand.schedule.errors import ScheduleError, ScheduleWarning
from minutehand.schedule.schedule import Schedule
from minutehand.schedule.wall import WallClock, wall_clock
from minutehand.schedule.zones import TZDATA_VERSION

__all__ = ["TZDATA_VERSION", "Schedule", "ScheduleError", "ScheduleWarning", "WallClock", "wall_clock"]
