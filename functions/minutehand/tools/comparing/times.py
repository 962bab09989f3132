"""Times as logs write them: ISO 8601, seconds or milliseconds since 1970, and the times of syslog, which have no year."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from minutehand.schedule import wall_clock

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SYSLOG = re.compile(r"([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?")
_NUMBER = re.compile(r"[0-9]{9,13}(?:\.[0-9]+)?")
_MILLISECONDS = 100_000_000_000
"""From here on, a number is in milliseconds: as seconds it would be the year 5138."""
_BACK = timedelta(minutes=10)
"""Lines of a log may be out of order by less. By more, the clocks were put back in between."""
_A_DAY = timedelta(days=1)
HINT = (
    "times are ISO 8601 (2026-11-20T09:00:01+01:00), seconds or milliseconds since 1970, or syslog's (Nov 20 09:00:01)"
)


class Clock:
    """Reads the times of one log, in order: the second pass through an hour that clocks repeat is recognized by what came before."""

    def __init__(self, timezone: str, now: datetime) -> None:
        """Args:
        timezone: of times without an offset.
        now: the year of times without one is such that none lies more than a day ahead.

        Raises:
            ScheduleError: for an unknown time zone.
        """
        self._wall = wall_clock(timezone)
        self._now = now
        self._last: datetime | None = None

    def read(self, value: Any) -> datetime:
        """The instant of a time, in UTC.

        Raises:
            ValueError: for anything else.
        """
        try:
            if isinstance(value, str):
                return self._of_text(value.strip())
            number = math.nan if isinstance(value, bool) else value  # NaN is no time either
            return datetime.fromtimestamp(number / 1000 if number >= _MILLISECONDS else number, UTC)
        except (ValueError, TypeError, OverflowError, OSError):
            raise ValueError(f"{value!r:.60} is not a time") from None

    def _of_text(self, text: str) -> datetime:
        if found := _SYSLOG.fullmatch(text):
            return self._instant(self._dated(found))
        if _NUMBER.fullmatch(text):
            return self.read(float(text))
        # Python 3.11 reads no comma before the fraction, and no more than six digits after it.
        instant = datetime.fromisoformat(re.sub(r"(:[0-9]{2})[.,]([0-9]{1,6})[0-9]*", r"\1.\2", text))
        return self._instant(instant) if instant.tzinfo is None else instant.astimezone(UTC)

    def _dated(self, found: re.Match[str]) -> datetime:
        """A time of syslog, in the latest year in which it does not lie ahead."""
        month, day = _MONTHS.index(found[1]) + 1, int(found[2])
        clock = (int(found[3]), int(found[4]), int(found[5]), int((found[6] or "").ljust(6, "0")))
        latest = self._wall.local(self._now.replace(microsecond=0)) + _A_DAY
        for year in range(latest.year, latest.year - 5, -1):  # 29 February is in one of five years
            if (month, day) == (2, 29) and (year % 4 or (year % 100 == 0 and year % 400)):
                continue
            local = datetime(year, month, day, *clock)  # noqa: DTZ001 - a local time has no zone
            if local <= latest:
                return local
        raise ValueError(found[0])

    def _instant(self, local: datetime) -> datetime:
        whole = local.replace(microsecond=0)
        instant = self._wall.instant(whole)
        if self._last is not None and instant < self._last - _BACK:
            again = (instant + timedelta(minutes=minutes) for minutes in (30, 60, 120))
            instant = next((each for each in again if self._wall.local(each) == whole), instant)
        self._last = instant
        return instant + timedelta(microseconds=local.microsecond)
