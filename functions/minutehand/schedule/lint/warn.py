"""All warnings of a schedule, and those about combinations of crontab fields. Only `Schedule.warnings` imports this module."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from itertools import islice

from minutehand.schedule.clocktime import set_bits
from minutehand.schedule.crontab import EVERY_HOUR, EVERY_MINUTE, CrontabTiming
from minutehand.schedule.description.days import date_words, weekday_words
from minutehand.schedule.description.english import MONTHS, listed, ordinal
from minutehand.schedule.errors import ScheduleWarning
from minutehand.schedule.fields import DAY, HOUR, MINUTE, SECOND
from minutehand.schedule.lint.source_text import SourceText, source_text
from minutehand.schedule.lint.steps import step_warnings
from minutehand.schedule.lint.times import time_warnings
from minutehand.schedule.part import DelayTiming, IntervalTiming, Part

MOST = 10
"""Most warnings about one schedule."""
_LEAP_YEAR = 2028


def lint(parts: Sequence[Part], now: int, timezone: str | None) -> tuple[ScheduleWarning, ...]:
    """At most MOST warnings, in the order of the parts. now: epoch seconds. timezone: as given beside the text, or None."""
    return tuple(islice(_all_warnings(parts, now, timezone), MOST))


def _all_warnings(parts: Sequence[Part], now: int, timezone: str | None) -> Iterator[ScheduleWarning]:
    for n, part in enumerate(parts):
        source = source_text(part.text)
        number = n if len(parts) > 1 else None
        for one in _part_warnings(part, source, now, timezone):
            yield one._replace(part=number)
        same = (part.timing, part.timezone, part.dialect)
        earlier = (m for m, other in enumerate(parts[:n]) if (other.timing, other.timezone, other.dialect) == same)
        duplicate = next(earlier, None)
        if duplicate is not None:
            message = f"this is the same as schedule {duplicate + 1}; an instant that both name runs once"
            yield ScheduleWarning(message, "schedule", source.start, "leave one of them out", n)


def _part_warnings(part: Part, source: SourceText, now: int, timezone: str | None) -> Iterator[ScheduleWarning]:
    if source.zone is not None and timezone is not None and part.timezone != timezone:
        message = f"this time zone overrides {timezone}, which is given separately"
        yield ScheduleWarning(message, "timezone", source.zone, "give only one of them")
    if source.fields and isinstance(part.timing, CrontabTiming):
        yield from _times_of_day(part.timing, source)
        yield from _day_fields(part, part.timing, source)
        yield from _short_months(part.timing, source)
    yield from step_warnings(part, source)
    if isinstance(part.timing, IntervalTiming | DelayTiming) and part.timing.period < 60:
        times = f"{60 // part.timing.period} times" if 60 % part.timing.period == 0 else "more than once"
        message, word = f"this runs {times} a minute", "@every"
        if isinstance(part.timing, DelayTiming):
            message, word = f"this may run {times} a minute, since runs may end at once", "@after"
        hint = f"write {word} 1m, unless it is meant to run this often"
        yield ScheduleWarning(message, "schedule", source.start, hint)
    yield from time_warnings(part, source, now)


def _times_of_day(timing: CrontabTiming, source: SourceText) -> Iterator[ScheduleWarning]:
    """Warn of several seconds; or of minute `*` with an hour that is neither `*` nor a range: the author usually means minute 0."""
    count = timing.seconds.bit_count()
    if count > 1:
        hint = f"with six fields the seconds come first: write 0 there for one run a minute, as in {source.rewritten(second='0')}"
        yield ScheduleWarning(f"this runs {count} times a minute", SECOND.name, source.column(SECOND.name), hint)
        return
    minute, hour = source.fields[MINUTE.name].text, source.fields[HOUR.name].text
    # A range such as `9-17` with minute `*` usually means every minute.
    plain_range = any("-" in item and "/" not in item and "(" not in item for item in hour.split(","))
    if timing.minutes != EVERY_MINUTE or not minute.startswith("*") or hour == "*" or plain_range:
        return
    if timing.hours == EVERY_HOUR:
        message = f"{hour:.40} in the hour is every hour, so this runs every minute"
        hint = f"write {source.rewritten(minute='0', hour='*')} for once an hour, {source.rewritten(hour='*')} for every minute"
    else:
        count = timing.hours.bit_count()
        hours = "that hour" if count == 1 else f"these {count} hours"
        message = f"this runs every minute of {hours}: {60 * count} times a day"
        hint = f"write {source.rewritten(minute='0')} for once an hour; ignore this if you mean every minute"
    yield ScheduleWarning(message, MINUTE.name, source.column(MINUTE.name), hint)


def _day_fields(part: Part, timing: CrontabTiming, source: SourceText) -> Iterator[ScheduleWarning]:
    dates, weekdays = date_words(timing), weekday_words(timing)
    date_only, weekday_only = source.rewritten(day_of_week="*"), source.rewritten(day_of_month="*")
    column = source.column(DAY.name)
    if timing.either_day and bool(dates) != bool(weekdays):
        names, kept = ("day-of-month", weekday_only) if weekdays else ("day-of-week", date_only)
        message = (
            f"either day field is enough under {part.dialect}, and {names} names every day, so this runs every day"
        )
        every_day = source.rewritten(day_of_month="*", day_of_week="*")
        hint = f"write {kept} to run only {weekdays or dates}, or {every_day} to run every day"
        yield ScheduleWarning(message, names, source.column(names), hint)
    elif dates and weekdays and timing.either_day:
        message = f"either day field is enough under {part.dialect}: this runs {dates}, and also {weekdays}"
        hint = f"if you mean all of these days, join {date_only} and {weekday_only}; * * MON#1 is the first Monday of a month"
        yield ScheduleWarning(message, DAY.name, column, hint)
    elif dates and weekdays:
        message = f"both day fields must match under {part.dialect}: this runs {dates}, but only {weekdays}"
        hint = f"if either is enough, join {date_only} and {weekday_only}"
        yield ScheduleWarning(message, DAY.name, column, hint)


def _short_months(timing: CrontabTiming, source: SourceText) -> Iterator[ScheduleWarning]:
    """Warn of day 29, 30 or 31 in months that may not have it."""
    if timing.either_day and weekday_words(timing):
        return
    field = source.fields[DAY.name]
    for item, column in field.items():
        text = item.upper().removesuffix("W")
        if text.startswith("H(") and "/" not in text and len(field.items()) == 1:
            text = str(timing.days.bit_length() - 1)
        if not text.isdigit() or not 29 <= int(text) <= 31:
            continue
        months = set_bits(timing.months)
        short = [month for month in months if monthrange(_LEAP_YEAR, month)[1] < int(text)]
        leap = int(text) == 29 and 2 in months
        if not short and not leap:
            continue
        have = "have" if len(short) > 1 else "has"
        if leap:
            message = "29 February exists only in leap years"
        elif len(short) > 4:
            message = f"{len(short)} months of the year {have} no {ordinal(int(text))}, and nothing runs then"
        else:
            message = f"{listed([MONTHS[n - 1] for n in short])} {have} no {ordinal(int(text))}, and nothing runs then"
        hint = "write L for the last day of each month, or a day up to 28"
        yield ScheduleWarning(message, DAY.name, column, hint)
        return
