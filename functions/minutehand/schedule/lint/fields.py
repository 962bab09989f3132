"""Warnings about how a crontab's fields play together."""

from calendar import monthrange
from collections.abc import Iterator

from minutehand.schedule.clocktime import bits_of
from minutehand.schedule.crontab import EVERY_HOUR, EVERY_MINUTE, CrontabTiming
from minutehand.schedule.fields import DAY, HOUR, MINUTE, SECOND
from minutehand.schedule.lint.written import Written
from minutehand.schedule.part import Part
from minutehand.schedule.plain.days import date_words, weekday_words
from minutehand.schedule.plain.english import MONTHS, listed, ordinal
from minutehand.schedule.warning import ScheduleWarning

_LEAP_YEAR = 2028


def field_warnings(part: Part, read: Written) -> Iterator[ScheduleWarning]:
    """Those of one part; none unless it is written in fields."""
    if not read.fields or not isinstance(part.timing, CrontabTiming):
        return
    yield from _seconds(part.timing, read)
    yield from _minutes(part.timing, read)
    yield from _day_fields(part, part.timing, read)
    yield from _short_months(part.timing, read)


def _seconds(timing: CrontabTiming, read: Written) -> Iterator[ScheduleWarning]:
    count = timing.seconds.bit_count()
    if count > 1:
        hint = f"with six fields the seconds come first: write 0 there for one, as in {read.spelled(second='0')}"
        yield ScheduleWarning(f"this runs {count} times a minute", SECOND.name, read.column(SECOND.name), hint)


def _minutes(timing: CrontabTiming, read: Written) -> Iterator[ScheduleWarning]:
    """A minute of `*` beside an hour that is neither `*` nor a range: more often than not a 0 was meant."""
    minute, hour = read.fields[MINUTE.name].text, read.fields[HOUR.name].text
    if timing.minutes != EVERY_MINUTE or timing.seconds.bit_count() > 1:
        return
    if not minute.startswith("*") or hour == "*" or _plain_range(hour):
        return
    if timing.hours == EVERY_HOUR:
        message = f"{hour:.40} in the hour is every hour, so this runs every minute"
        hint = f"write {read.spelled(minute='0', hour='*')} for once an hour, {read.spelled(hour='*')} for every minute"
    else:
        count = timing.hours.bit_count()
        hours = "the hour named" if count == 1 else f"the {count} hours named"
        message = f"this runs at every minute of {hours}: {60 * count} times a day"
        hint = f"write {read.spelled(minute='0')} for once an hour; leave it if every minute is meant"
    yield ScheduleWarning(message, MINUTE.name, read.column(MINUTE.name), hint)


def _plain_range(hour: str) -> bool:
    """`9-17`: whoever writes that beside `*` means every minute within it."""
    return any("-" in item and "/" not in item and "(" not in item for item in hour.split(","))


def _day_fields(part: Part, timing: CrontabTiming, read: Written) -> Iterator[ScheduleWarning]:
    dates, weekdays = date_words(timing), weekday_words(timing)
    alone = [read.spelled(day_of_week="*"), read.spelled(day_of_month="*")]
    column = read.column(DAY.name)
    if timing.either_day and bool(dates) != bool(weekdays):
        names, kept = ("day-of-month", alone[1]) if weekdays else ("day-of-week", alone[0])
        message = (
            f"either day field is enough under {part.dialect}, and {names} names every day, so this runs every day"
        )
        hint = f"write {kept} to run {weekdays or dates} alone, or {read.spelled(day_of_month='*', day_of_week='*')}"
        yield ScheduleWarning(message, names, read.column(names), hint)
    elif dates and weekdays and timing.either_day:
        message = f"either day field is enough under {part.dialect}: this runs {dates}, and also {weekdays}"
        hint = f"if that is meant, join {alone[0]} and {alone[1]}; the first Monday of a month is * * MON#1"
        yield ScheduleWarning(message, DAY.name, column, hint)
    elif dates and weekdays:
        message = f"both day fields must match under {part.dialect}: this runs {dates}, but only {weekdays}"
        hint = f"if either is enough, join {alone[0]} and {alone[1]}"
        yield ScheduleWarning(message, DAY.name, column, hint)


def _short_months(timing: CrontabTiming, read: Written) -> Iterator[ScheduleWarning]:
    """A single day from the 29th on, in months that may not have it."""
    if timing.either_day and weekday_words(timing):
        return
    field = read.fields[DAY.name]
    for item, column in field.items():
        text = item.upper().removesuffix("W")
        if text.startswith("H(") and "/" not in text and len(field.items()) == 1:
            text = str(timing.days.bit_length() - 1)
        if not text.isdigit() or not 29 <= int(text) <= 31:
            continue
        months = bits_of(timing.months)
        short = [month for month in months if monthrange(_LEAP_YEAR, month)[1] < int(text)]
        leap = int(text) == 29 and 2 in months
        if not short and not leap:
            continue
        have = "have" if len(short) > 1 else "has"
        if leap:
            message = "29 February comes in leap years alone"
        elif len(short) > 4:
            message = f"{len(short)} months of the year {have} no {ordinal(int(text))}, and nothing runs then"
        else:
            message = f"{listed([MONTHS[n - 1] for n in short])} {have} no {ordinal(int(text))}, and nothing runs then"
        hint = "write L for the last day of each month, or a day up to 28"
        yield ScheduleWarning(message, DAY.name, column, hint)
        return
