"""Wall times and clock changes as words."""

from collections.abc import Sequence
from datetime import datetime, timedelta

_WALL = datetime(1970, 1, 1)  # noqa: DTZ001 - a wall time has no zone


def changed(instant: int, before: int, now: int) -> str:
    """`jump from 02:00 to 03:00` or `go back from 02:00 to 01:00`, for a change at an instant (seconds since the epoch, UTC) from one
    offset (seconds east of UTC) to another; with dates when it crosses midnight."""
    dates = crosses_midnight(instant, before, now)
    old, new = (at_time(_WALL + timedelta(0, instant + offset), dates=dates) for offset in (before, now))
    return f"{'jump' if now > before else 'go back'} from {old} to {new}"


def crosses_midnight(instant: int, before: int, now: int) -> bool:
    """Whether such a change leads to another date."""
    return (instant + before) // 86400 != (instant + now) // 86400


def few(walls: Sequence[datetime], *, dates: bool) -> str:
    """Wall times, ascending: `02:30`, `02:00 and 02:30`, `02:00, 02:20 and 02:40`, or `60 times from 02:00 to 02:59`."""
    if len(walls) > 3:
        return f"{len(walls)} times from {at_time(walls[0], dates=dates)} to {at_time(walls[-1], dates=dates)}"
    *others, last = (at_time(wall, dates=dates) for wall in walls)
    return f"{', '.join(others)} and {last}" if others else last


def at_time(wall: datetime, *, dates: bool = False) -> str:
    """`02:30`, or `02:30:15` where there are seconds."""
    time = f"{wall:%H:%M:%S}" if wall.second else f"{wall:%H:%M}"
    return f"{dated(wall)} {time}" if dates else time


def dated(wall: datetime) -> str:
    """`2026-03-08`."""
    return wall.date().isoformat()
