"""Crontab texts, 5 and 6 fields and EventBridge's cron(), to what they compile to."""

import re
from calendar import isleap
from collections.abc import Iterable, Sequence

from minutehand.schedule.clocktime import bits_of
from minutehand.schedule.crontab import EVERY_YEAR, FIRST_YEAR, CrontabTiming, crontab_timing
from minutehand.schedule.days import day_number, month_length, weekday_of
from minutehand.schedule.dialect import Dialect
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.expand import masks
from minutehand.schedule.fields import CALL_FIELDS, CRONTAB_FIELDS, DAY, WEEKDAY
from minutehand.schedule.items import Field, Range, read_field
from minutehand.schedule.month_days import MonthDays
from minutehand.schedule.words import Word, wrong

# Every kind of year comes within these: leap years and others, beginning on each weekday.
_ALL_KINDS = range(2000, 2028)
_YEAR = re.compile(r"(?:19|20|21)[0-9]{2}(?![0-9])")
_ZERO = Field(ranges=(Range(0, 0, 1),))


def crontab_of(words: Sequence[Word], rules: Dialect, *, name: str | None) -> CrontabTiming:
    """The timing of 5 fields, or 6 with seconds first. Raises ScheduleError."""
    if len(words) not in (5, 6):
        raise _wrong_count(words)
    kinds = CRONTAB_FIELDS[-len(words) :]
    if len(words) == 6 and _YEAR.match(words[5].text):
        raise _year_last(words)
    fields = [read_field(kind, word.text, word.column, name=name) for kind, word in zip(kinds, words, strict=True)]
    written = [word.text for word in words]
    if len(words) == 5:
        fields.insert(0, _ZERO)
        written.insert(0, "0")
    return _timing(fields, written, rules, day_column=words[-3].column)


def call_of(words: Sequence[Word], rules: Dialect, *, column: int) -> CrontabTiming:
    """The timing of the words between cron( and ), whose `(` is at `column`. Raises ScheduleError.

    The rules are those of the EventBridge user guide, "Cron expressions reference": six fields, the year last, one of the two
    day fields `?` and the other not.
    """
    if len(words) != 6:
        hint = "cron() takes minute, hour, day-of-month, month, day-of-week and year, such as cron(0 10 ? * MON *)"
        at = words[6].column if len(words) > 6 else column
        raise wrong(f"cron() has 6 fields, this has {len(words)}", at, hint)
    fields = [
        read_field(kind, word.text, word.column, name=None) for kind, word in zip(CALL_FIELDS, words, strict=True)
    ]
    *clock, day, month, weekday, year = fields
    if day.open == weekday.open:
        hint = "write ? in the day field that is to be left open, and only in that one"
        raise ScheduleError(
            "one of day-of-month and day-of-week must be ?, and the other not",
            field=DAY.name if day.open else "day-of-week",
            column=words[2].column if day.open else words[4].column,
            hint=hint,
        )
    from_sunday = tuple(Range(one.low - 1, one.high - 1, one.step) for one in weekday.ranges)
    years = sum({1 << value - FIRST_YEAR for r in year.ranges for value in range(r.low, r.high + 1, r.step)})
    return _timing(
        [_ZERO, *clock, day, month, weekday._replace(ranges=from_sunday)],
        ["0", *(word.text for word in words[:5])],
        rules,
        day_column=words[2].column,
        years=None if years == EVERY_YEAR else years,
    )


def _timing(
    fields: Sequence[Field], written: Sequence[str], rules: Dialect, *, day_column: int, years: int | None = None
) -> CrontabTiming:
    """The timing of the six fields from the second to the weekday."""
    dates, weekdays = fields[3].marks, fields[5].marks
    marks = dates._replace(last_of=weekdays.last_of, nth=weekdays.nth)
    timing = crontab_timing(
        masks([field.ranges for field in fields]),
        either_day=not (rules.leaves_open(written[3]) or rules.leaves_open(written[5])),
        repeats=any(field.startswith("*") for field in written[:3]),
        marks=None if marks == MonthDays() else marks,
        years=years,
    )
    kinds = _ALL_KINDS if years is None else _kinds_of(years)
    if not any(_comes_in(timing, year) for year in kinds):
        raise ScheduleError(
            f"the months{' and years' * (years is not None)} named have no such day, so this never comes",
            field=DAY.name,
            column=day_column,
            hint=f"their last day is {_longest(timing, kinds)}",
        )
    return timing


def _kinds_of(years: int) -> Iterable[int]:
    """One of the years of each kind; all of one kind have the same days."""
    named = (FIRST_YEAR + n for n in bits_of(years))
    return {(isleap(year), weekday_of(day_number(year, 1, 1))): year for year in named}.values()


def _comes_in(timing: CrontabTiming, year: int) -> bool:
    """Whether any day of this year, which must be one that is named, is named too."""
    first, last = (day_number(year, *day) * 86400 for day in ((1, 1), (12, 31)))
    return timing.wall_at_or_after(first, last) is not None


def _longest(timing: CrontabTiming, years: Iterable[int]) -> int:
    """The last day of the longest month that is named."""
    return max(month_length(year, month) for year in years for month in bits_of(timing.months))


def _year_last(words: Sequence[Word]) -> ScheduleError:
    *_, year = words
    return ScheduleError(
        f"{year.text:.20} is out of range",
        field=WEEKDAY.name,
        column=year.column,
        hint="a year is read in cron(…) alone, such as cron(0 9 1 1 ? 2027); with six fields the seconds come first",
    )


def _wrong_count(words: Sequence[Word]) -> ScheduleError:
    count = len(words)
    hint = "a crontab is minute, hour, day-of-month, month, day-of-week, with seconds before them if there are six"
    if count == 7:
        hint = "a year is read in cron(…) alone; " + hint
    column = words[-1].column + len(words[-1].text) if count < 5 else words[6].column
    return wrong(f"a crontab has 5 or 6 fields, this has {count}", column, hint)
