"""The schedules to measure, and their form for APScheduler."""

from __future__ import annotations

from typing import NamedTuple

ZONES = ("UTC", "America/New_York")


class Expression(NamedTuple):
    """A cron expression and its meaning."""

    text: str
    meaning: str


USUAL = (
    Expression("* * * * *", "every minute"),
    Expression("*/5 * * * *", "every five minutes"),
    Expression("0 * * * *", "hourly"),
    Expression("0 9 * * *", "daily"),
    Expression("0 9-17 * * MON-FRI", "hourly, in office hours"),
    Expression("0,30 8,12,18 * * MON,WED,FRI", "lists"),
    Expression("0 0 * * SUN", "weekly"),
    Expression("0 0 1 * *", "monthly"),
    Expression("0 0 1 1 *", "yearly"),
    Expression("*/10 * * * * *", "every ten seconds"),
    Expression("0 0 L * *", "the last day of a month"),
    Expression("0 9 * * MON#1", "the first Monday"),
    Expression("0 12 1,15 * FRI", "two dates, and Fridays"),
)

STEPPED = tuple(USUAL[n] for n in (0, 1, 3, 4, 9))
"""For steps through a range: from dense to sparse."""

INVALID = {
    "10 kB of stars": "* " * 5_000,
    "a list of 100,000 items": "0," * 100_000 + "0 * * * *",
    "a list of 500 items, the last one wrong": "0," * 499 + "60 * * * *",
    "a list of 250 marks, the last one wrong": "0 0 " + "1W," * 249 + "32W * *",
    "1,000 commas": "," * 1_000 + " * * * *",
    "1,000 digits": "9" * 1_000 + " * * * *",
    "a step of 1,000 digits": "*/" + "9" * 1_000 + "x * * * *",
    "Unicode digits": "٣ * * * *",
    "300 nested prefixes": "TZ=" * 300 + " * * * * *",
    "an unknown zone of 64 letters": "CRON_TZ=" + "America/New_Yor" * 4 + "Pari * * * * *",
    "an unknown zone, nearly a known one": "CRON_TZ=America/Argentixa/Buenos_Aires * * * * *",
    "an unknown zone of the letters of many": "CRON_TZ=gmiraCmeAtarnaarAana/itcce/ * * * * *",
    "an unknown @word of 1,000 letters": "@" + "yearl" * 200,
    "a duration of 500 digits": "@every " + "9" * 500 + ".123456789h",
    "a duration of 500 parts": "@every " + "1h" * 500 + "x",
    "a call that is not closed": "cron(" * 200,
    "30 February": "0 0 30 2 *",
    "31st of short months, in all years but two": "cron(0 0 31 2,4,6,9,11 ? 1970-2198)",
}
"""Texts that must be refused quickly, by their mistake."""

LAST_INVALID = ("0 0 * * MON#1",) * 15 + ("0 0 30 2 *",)
"""The most texts that may be joined; the last one is wrong."""


class UnsupportedError(Exception):
    """A schedule that a library cannot express; the message says why."""


def apscheduler_fields(text: str) -> dict[str, str]:
    """Arguments of APScheduler's CronTrigger for an expression of 5 or 6 fields with weekday names.

    Raises:
        UnsupportedError: when both day fields are set: CronTrigger joins them by "and", cron by "or".
    """
    words = text.split()
    second = words.pop(0) if len(words) == 6 else "0"
    minute, hour, day, month, weekday = words
    if "*" not in (day, weekday):
        raise UnsupportedError("it joins day of month and weekday by `and`")
    if day == "L":
        day = "last"
    name, hashed, nth = weekday.partition("#")
    if hashed:
        day, weekday = f"{('1st', '2nd', '3rd', '4th', '5th')[int(nth) - 1]} {name}", "*"
    return {"second": second, "minute": minute, "hour": hour, "day": day, "month": month, "day_of_week": weekday}
