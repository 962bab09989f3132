"""Whether the clocks of a time zone change."""

from datetime import datetime, timedelta

from minutehand.schedule import Schedule, ScheduleError

_MONTH = timedelta(days=30)


def clocks_change(timezone: str, now: datetime) -> bool:
    """Whether the offset from UTC changes within a year after `now`. Unknown zones have no changes: they are refused elsewhere."""
    try:
        noon = Schedule.parse("0 12 * * *", timezone)
    except ScheduleError:
        return False
    offsets = set()
    for month in range(13):
        instant = noon.next(now + _MONTH * month)
        if instant is not None:
            offsets.add(noon.offset_at(instant))
    return len(offsets) > 1
