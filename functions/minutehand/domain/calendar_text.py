"""The written form of a calendar's entries, in requests and answers: `2026-12-24..2026-12-26`, `FRI 18:00-24:00`."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import NoReturn

from minutehand.domain.calendar import DAY, DateRange, Period, Weekly
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import to_text

RANGE = ".."
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
"""Weekdays; the position of each is its bit in `Weekly.weekdays`."""

DATE_FORM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK_FORM = r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?"
INSTANT_FORM = rf"{DATE_FORM}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(Z|[+-][0-9]{{2}}:[0-9]{{2}})"
_DATE = re.compile(DATE_FORM, re.ASCII)
_CLOCK = re.compile(CLOCK_FORM, re.ASCII)
_INSTANT = re.compile(INSTANT_FORM, re.ASCII)
_FRACTION = re.compile(rf"{DATE_FORM}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}\.[0-9]+(Z|[+-][0-9]{{2}}:[0-9]{{2}})", re.ASCII)


def parse_dates(text: str) -> DateRange:
    """Parse `2026-12-25` or `2026-12-24..2027-01-02`, the last day included.

    Raises:
        Invalid: when the text is neither a date nor a range; with the column.
    """
    first, between, last = text.partition(RANGE)
    start = _date(first, 0)
    end = _date(last, len(first + between)) if between else start
    if end < start:
        _refuse(f"the range runs backwards: {last} is before {first}", f"write {last}{RANGE}{first}")
    return DateRange(start, end)


def format_dates(dates: DateRange) -> str:
    """Write whole days as `parse_dates` reads them."""
    first, last = dates
    return f"{first}" if first == last else f"{first}{RANGE}{last}"


def parse_period(text: str) -> Period:
    """Parse `2026-12-01T10:00:00Z..2026-12-01T12:00:00Z`, the end not included; offsets may differ.

    Raises:
        Invalid: when the text is no period; with the column.
    """
    first, between, last = text.partition(RANGE)
    if not between:
        _refuse(f"{text!r:.60} is not a period", "write 2026-12-01T10:00:00Z..2026-12-01T12:00:00Z")
    start, end = _instant(first, 0), _instant(last, len(first + between))
    if end < start:
        _refuse(f"the period runs backwards: {last} is before {first}", f"write {last}{RANGE}{first}")
    if end == start:
        _refuse("the period is empty, since its end is not included", "end it a second later, or leave it out")
    return Period(start, end)


def format_period(period: Period) -> str:
    """Write a period, in UTC, as `parse_period` reads it."""
    return f"{to_text(period.start)}{RANGE}{to_text(period.end)}"


def parse_weekly(text: str) -> Weekly:
    """Parse `SAT,SUN` (whole days) or `MON-FRI 00:00-06:00`; 24:00 is the end of the day.

    Days are separated by commas; a range may span the end of the week. Case does not matter.

    Raises:
        Invalid: when the text is no weekly rule; with the column.
    """
    days, blank, hours = text.partition(" ")
    weekdays = _weekdays(days)
    if not blank:
        return Weekly(weekdays)
    at = len(days + blank)
    first, dash, last = hours.partition("-")
    if not dash:
        _refuse(f"{hours!r:.60} is not a time range", "write 18:00-24:00, or the days alone", at)
    start, end = _second(first, at), _second(last, at + len(first + dash))
    if start == end:
        _refuse(f"from {first} to {last} is empty", "write the days alone for whole days", at)
    if end < start:
        night = f"{first}-24:00 on its first day" + (f" and 00:00-{last} on the next" if end else "")
        _refuse(f"the hours run backwards: {last} is before {first}", f"for a night, write {night}", at)
    return Weekly(weekdays, start, end)


def format_weekly(rule: Weekly) -> str:
    """Write a weekly rule: its days from Monday on, three or more in a row as a range such as MON-FRI."""
    if (rule.start, rule.end) == (0, DAY):
        return _days_text(rule.weekdays)
    return f"{_days_text(rule.weekdays)} {_clock_text(rule.start)}-{_clock_text(rule.end)}"


def _weekdays(text: str) -> int:
    found, at = 0, 0
    for part in text.split(","):
        first, dash, last = part.partition("-")
        start = _weekday(first, at)
        end = _weekday(last, at + len(first + dash)) if dash else start
        for step in range((end - start) % 7 + 1):
            found |= 1 << (start + step) % 7
        at += len(part) + 1
    return found


def _weekday(text: str, column: int) -> int:
    if text.upper() not in WEEKDAYS or not text.isascii():
        what = f"{text!r:.60} is not a day of the week" if text else "a day of the week is missing"
        _refuse(what, "write MON, TUE, WED, THU, FRI, SAT or SUN, as in SAT,SUN or MON-FRI 00:00-06:00", column)
    return WEEKDAYS.index(text.upper())


def _second(text: str, column: int) -> int:
    if not _CLOCK.fullmatch(text):
        hint = "write 18:00, or 18:00:30; 24:00 is the end of the day"
        _refuse(f"{text!r:.60} is not a time of the day", hint, column)
    hours, minutes, seconds = (*map(int, text.split(":")), 0)[:3]
    second = hours * 3600 + minutes * 60 + seconds
    if minutes > 59 or seconds > 59 or second > DAY:
        _refuse(f"no clock shows {text}", "a day goes from 00:00 to 24:00", column)
    return second


def _date(text: str, column: int) -> date:
    hint = f"write 2026-12-25, or 2026-12-24{RANGE}2026-12-26 for a range"
    if not _DATE.fullmatch(text):
        _refuse(f"{text!r:.60} is not a date" if text else "a date is missing", hint, column)
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        _refuse(f"{text} is not a date: {error}", column=column)


def _instant(text: str, column: int) -> datetime:
    if not _INSTANT.fullmatch(text):
        hint = "write it with its offset, such as 2026-12-01T10:00:00Z or 2026-12-01T19:00:00+09:00"
        if _FRACTION.fullmatch(text):
            hint = "leave the fraction out: jobs run on whole seconds"
        _refuse(f"{text!r:.60} is not an instant" if text else "an instant is missing", hint, column)
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        _refuse(f"{text} is not an instant: {error}", column=column)


def _days_text(weekdays: int) -> str:
    rows: list[list[str]] = [[]]
    for day in (1, 2, 3, 4, 5, 6, 0):
        if weekdays >> day & 1:
            rows[-1].append(WEEKDAYS[day])
        elif rows[-1]:
            rows.append([])
    return ",".join(f"{row[0]}-{row[-1]}" if len(row) > 2 else ",".join(row) for row in rows if row)


def _clock_text(second: int) -> str:
    minutes, seconds = divmod(second, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")


def _refuse(message: str, hint: str = "", column: int | None = None) -> NoReturn:
    raise Invalid(FieldProblem(path="", message=message, hint=hint, column=column))
