"""Crontabs as Celery reads them (`celery.schedules.crontab`): all five fields must match, the two of days as well."""

from collections.abc import Set

from minutehand.tools.importers.cron_sets import DAYS, MONTHS, expand, write, write_days
from minutehand.tools.importers.drafts import LeftOut

_WEEKDAYS = {name: number for number, name in enumerate(DAYS)}
_WEEKS = tuple(frozenset(range(first, min(first + 7, 32))) for first in range(1, 32, 7))
FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
_BOUNDS = {"minute": (0, 59), "hour": (0, 23), "day_of_month": (1, 31), "month_of_year": (1, 12), "day_of_week": (0, 6)}


def translate(fields: dict[str, str]) -> str:
    """The crontab of a job from Celery's five fields, each a text; a field left out is `*`. Raises LeftOut, with the reason."""
    values = {}
    for name in FIELDS:
        low, high = _BOUNDS[name]
        names = {"day_of_week": _WEEKDAYS, "month_of_year": MONTHS}.get(name, {})
        text = fields.get(name, "*").replace(" ", "")
        try:
            # Celery knows names by their first three letters, and a Sunday by 0 alone.
            values[name] = expand(_short_names(text), low, high, names)
        except ValueError as error:
            raise LeftOut(name, f"{text!r:.60}: {error}") from None
    minute, hour, month = (write(values[name], *_BOUNDS[name]) for name in ("minute", "hour", "month_of_year"))
    days, weekdays = _both(values["day_of_month"], values["day_of_week"])
    return f"{minute} {hour} {days} {month} {weekdays}"


def _short_names(text: str) -> str:
    words = "".join(character if character.isalpha() else f" {character} " for character in text).split()
    return "".join(word[:3] if word.isalpha() else word for word in words)


def _both(days: Set[int], weekdays: Set[int]) -> tuple[str, str]:
    """The two day fields such that both must match. The dialect vixie demands both where one begins with `*`."""
    month_days, names = write(days, 1, 31), write_days(weekdays)
    numbers = write(weekdays, 0, 6)
    if names == "*" or month_days.startswith("*"):
        return month_days, names
    if numbers.startswith("*"):
        return month_days, numbers
    weeks = [number for number, week in enumerate(_WEEKS, start=1) if week <= days]
    if frozenset().union(*(_WEEKS[number - 1] for number in weeks)) == days:
        return "*", ",".join(f"{DAYS[day]}#{week}" for day in sorted(weekdays) for week in weeks)
    if 1 in days:  # */31 names the 1st alone
        return f"*/31,{write(days - {1}, 1, 31)}" if len(days) > 1 else "*/31", names
    if 0 in weekdays:  # */7 names Sunday alone
        return month_days, f"*/7,{write(weekdays - {0}, 0, 6)}" if len(weekdays) > 1 else "*/7"
    reason = "Celery runs it when both day fields match; a crontab here, when either does. Write two jobs, or let the target check the day"
    raise LeftOut("day_of_month", reason)
