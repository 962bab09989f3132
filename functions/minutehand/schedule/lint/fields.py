"""Warnings about combinations of crontab fields."""

from calendar import monthrange
from collections.abc import Iterator

from minutehand.schedule.clocktime import set_bits
from minutehand.schedule.crontab import EVERY_HOUR, EVERY_MINUTE, CrontabTiming
from minutehand.schedule.description.days import date_words, weekday_words
from minutehand.schedule.description.english import MONTHS, listed, ordinal
from minutehand.schedule.fields import DAY, HOUR, MINUTE, SECOND
from minutehand.schedule.lint.source_text import SourceText
from minutehand.schedule.part import Part
from minutehand.schedule.warning import ScheduleWarning

_LEAP_YEAR = 2028


def field_warnings(part: Part, source: SourceText) -> Iterator[ScheduleWarning]:
    """Warnings of one part; none unless it has crontab fields."""
    if not source.fields or not isinstance(part.timing, CrontabTiming):
        return
    yield from _seconds(part.timing, source)
    yield from _minutes(part.timing, source)
    yield from _day_fields(part, part.timing, source)
    yield from _short_months(part.timing, source)


def _seconds(timing: CrontabTiming, source: SourceText) -> Iterator[ScheduleWarning]:
    count = timing.seconds.bit_count()
    if count > 1:
        hint = f"with six fields the seconds come first: write 0 there for one run a minute, as in {source.rewritten(second='0')}"
        yield ScheduleWarning(f"this runs {count} times a minute", SECOND.name, source.column(SECOND.name), hint)


def _minutes(timing: CrontabTiming, source: SourceText) -> Iterator[ScheduleWarning]:
    """Minute `*` with an hour that is neither `*` nor a range; the author usually means minute 0."""
    minute, hour = source.fields[MINUTE.name].text, source.fields[HOUR.name].text
    if timing.minutes != EVERY_MINUTE or timing.seconds.bit_count() > 1:
        return
    if not minute.startswith("*") or hour == "*" or _plain_range(hour):
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


def _plain_range(hour: str) -> bool:
    """Whether the hour has a range such as `9-17`, which with minute `*` usually means every minute."""
    return any("-" in item and "/" not in item and "(" not in item for item in hour.split(","))


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
        hint = f"if you mean both, join {date_only} and {weekday_only}; the first Monday of a month is * * MON#1"
        yield ScheduleWarning(message, DAY.name, column, hint)
    elif dates and weekdays:
        message = f"both day fields must match under {part.dialect}: this runs {dates}, but only {weekdays}"
        hint = f"if either is enough, join {date_only} and {weekday_only}"
        yield ScheduleWarning(message, DAY.name, column, hint)


def _short_months(timing: CrontabTiming, source: SourceText) -> Iterator[ScheduleWarning]:
    """Day 29, 30 or 31, in months that may not have it."""
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
