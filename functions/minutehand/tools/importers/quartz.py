"""Crontabs as Quartz and XXL-JOB read them (CronExpression): seconds first, a year last, days of the week from 1 (Sunday)."""

import re
from dataclasses import dataclass

from minutehand.tools.importers.cron_sets import DAYS, MONTHS, expand, write, write_days
from minutehand.tools.importers.drafts import LeftOut

_FIELD = "schedule_conf"
_WEEKDAYS = {name: number for number, name in enumerate(DAYS, start=1)}
_LAST_DAY = re.compile(r"([1-7]|[A-Z]{3})L", re.ASCII)
_NTH_DAY = re.compile(r"([1-7]|[A-Z]{3})#([1-5])", re.ASCII)
_NEAREST = re.compile(r"([1-9]|[12][0-9]|3[01])W", re.ASCII)
_EVERY_YEAR = frozenset(range(1970, 2200))


@dataclass(frozen=True, kw_only=True)
class Translated:
    """A crontab for a job.

    years: the first and the last, if the text names any. nearest: whether W chooses the day, and the day has several times.
    """

    schedule: str
    years: tuple[int, int] | None
    nearest: bool


def translate(text: str) -> Translated:
    """Translate a crontab of 6 or 7 fields. Raises LeftOut, with the reason, for what Quartz refuses or a job cannot have."""
    fields = text.upper().split()
    if len(fields) not in {6, 7}:
        raise LeftOut(_FIELD, f"{text!r:.80} has {len(fields)} fields; Quartz has 6, and perhaps a year")
    try:
        second, minute, hour = (_times(part, high) for part, high in zip(fields, (59, 59, 23), strict=False))
        month = write(expand(fields[4], 1, 12, MONTHS), 1, 12)
        days, weekdays = _days(fields[3], fields[5])
        years = _years(fields[6]) if len(fields) == 7 else None
    except ValueError as error:
        raise LeftOut(_FIELD, f"{text!r:.80}: {error}") from None
    seconds = "" if second == "0" else f"{second} "
    several = not (second + minute + hour).isdigit()
    return Translated(
        schedule=f"{seconds}{minute} {hour} {days} {month} {weekdays}", years=years, nearest="W" in days and several
    )


def _times(text: str, high: int) -> str:
    return write(expand(text, 0, high), 0, high)


def _days(days: str, weekdays: str) -> tuple[str, str]:
    if (days == "?") == (weekdays == "?"):
        raise ValueError("Quartz wants a ? in one of the two day fields, and not in both")
    return (_month_days(days), "*") if weekdays == "?" else ("*", _weekdays(weekdays))


def _month_days(text: str) -> str:
    if text in {"L", "LW"} or _NEAREST.fullmatch(text):
        return text
    if text.startswith("L-"):
        raise ValueError("a job's schedule has no days before the last one of the month (L-3)")
    if "L" in text or "W" in text:
        raise ValueError("L and W stand alone in Quartz, not in a list")
    return write(expand(text, 1, 31), 1, 31)


def _weekdays(text: str) -> str:
    if text == "L":
        return "SAT"
    if found := _LAST_DAY.fullmatch(text):
        return f"{_weekday(found[1])}L"
    if found := _NTH_DAY.fullmatch(text):
        return f"{DAYS[_weekday(found[1])]}#{found[2]}"
    if "#" in text:
        raise ValueError("Quartz allows # only alone, not in a list")
    return write_days({number - 1 for number in expand(text, 1, 7, _WEEKDAYS)})


def _weekday(text: str) -> int:
    [number] = expand(text, 1, 7, _WEEKDAYS)
    return number - 1


def _years(text: str) -> tuple[int, int] | None:
    named = expand(text, 1970, 2199)
    if named == _EVERY_YEAR:
        return None
    if len(named) != max(named) - min(named) + 1:
        raise ValueError("the years have gaps, and a job has one first and one last instant")
    return min(named), max(named)
