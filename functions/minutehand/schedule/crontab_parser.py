"""Compiles crontab texts of 5 or 6 fields, and EventBridge's cron(), to crontab timings.

The library croniter expands the ranges. It gets only forms that its version 7.0.0 expands correctly: ranges with low < high, single
values and `*`. Others it gets wrong: it reads `10-10` and `0-7` as the whole field, carries a step across Sunday written as 7, and
accepts `R` and `31W`.
"""

import re
from calendar import isleap
from collections.abc import Iterable, Sequence

from croniter import croniter

from minutehand.schedule.clocktime import set_bits
from minutehand.schedule.crontab import EVERY_YEAR, FIRST_YEAR, CrontabTiming, crontab_timing
from minutehand.schedule.days import MonthDays, day_number, month_length, weekday_of
from minutehand.schedule.dialect import Dialect
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.field_parser import Field, Range, parse_field
from minutehand.schedule.fields import CALL_FIELDS, CRONTAB_FIELDS, DAY, WEEKDAY, FieldKind
from minutehand.schedule.words import Word, schedule_error

# These years include leap years and others that start on each weekday, so any year is like one of them.
_YEARS_OF_EVERY_KIND = range(2000, 2028)
_YEAR = re.compile(r"(?:19|20|21)[0-9]{2}(?![0-9])")
# croniter takes the seconds as the last field.
_CRONITER_ORDER = (1, 2, 3, 4, 5, 0)
_ZERO = Field(ranges=(Range(0, 0, 1),))


def parse_crontab(words: Sequence[Word], rules: Dialect, *, name: str | None) -> CrontabTiming:
    """Compile 5 fields, or 6 with seconds first. name: the job's full name, for `H`. Raises ScheduleError."""
    if len(words) not in (5, 6):
        raise _field_count_error(words)
    kinds = CRONTAB_FIELDS[-len(words) :]
    if len(words) == 6 and _YEAR.match(words[5].text):
        raise _year_error(words[5])
    fields = [parse_field(kind, word.text, word.column, name=name) for kind, word in zip(kinds, words, strict=True)]
    texts = [word.text for word in words]
    if len(words) == 5:
        fields.insert(0, _ZERO)
        texts.insert(0, "0")
    return _timing(fields, texts, rules, day_column=words[-3].column)


def parse_cron_call(words: Sequence[Word], rules: Dialect, *, column: int) -> CrontabTiming:
    """Compile the words between cron( and ). column: where they start. Raises ScheduleError.

    Source: EventBridge user guide, "Cron expressions reference": six fields, the year last, and `?` in exactly one of the two day
    fields.
    """
    if len(words) != 6:
        hint = "cron() takes minute, hour, day-of-month, month, day-of-week and year, such as cron(0 10 ? * MON *)"
        at = words[6].column if len(words) > 6 else column
        raise schedule_error(f"cron() has 6 fields, this has {len(words)}", at, hint)
    fields = [
        parse_field(kind, word.text, word.column, name=None) for kind, word in zip(CALL_FIELDS, words, strict=True)
    ]
    *clock, day, month, weekday, year = fields
    if day.open == weekday.open:
        raise ScheduleError(
            "exactly one of day-of-month and day-of-week must be ?",
            field=DAY.name if day.open else WEEKDAY.name,
            column=words[2].column if day.open else words[4].column,
            hint="write ? in the day field that you do not use, and only there",
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
    fields: Sequence[Field], texts: Sequence[str], rules: Dialect, *, day_column: int, years: int | None = None
) -> CrontabTiming:
    """Timing of the six fields from second to weekday. Refuses a date that no year has, such as 30 February."""
    dates, weekdays = fields[3].month_days, fields[5].month_days
    month_days = dates._replace(last_of=weekdays.last_of, nth=weekdays.nth)
    timing = crontab_timing(
        _masks([field.ranges for field in fields]),
        either_day=not (rules.is_open(texts[3]) or rules.is_open(texts[5])),
        repeats=any(text.startswith("*") for text in texts[:3]),
        month_days=None if month_days == MonthDays() else month_days,
        years=years,
    )
    examples = _YEARS_OF_EVERY_KIND if years is None else _one_year_of_each_kind(years)
    if not any(_has_day_in(timing, year) for year in examples):
        raise ScheduleError(
            f"no month{' and year' * (years is not None)} given has such a day, so this never runs",
            field=DAY.name,
            column=day_column,
            hint=f"the last day of these months is {_last_day(timing, examples)}",
        )
    return timing


def _masks(ranges: Sequence[Sequence[Range]]) -> tuple[int, ...]:
    """Bit masks of second, minute, hour, day, month and weekday: bit n is value n, weekday 0 is Sunday.

    A field without ranges has mask 0.
    """
    texts = [_croniter_text(kind, field) for kind, field in zip(CRONTAB_FIELDS, ranges, strict=True)]
    expanded, _ = croniter.expand(" ".join(texts[n] for n in _CRONITER_ORDER))
    found = [0] * len(CRONTAB_FIELDS)
    for n, values in zip(_CRONITER_ORDER, expanded, strict=True):
        kind = CRONTAB_FIELDS[n]
        if ranges[n]:
            found[n] = _full_mask(kind) if values == ["*"] else sum(1 << value for value in values)
    return tuple(found)


def _full_mask(kind: FieldKind) -> int:
    return (2 << kind.high) - (1 << kind.low)


def _croniter_text(kind: FieldKind, ranges: Sequence[Range]) -> str:
    items = [item for one in ranges for item in _croniter_items(kind, one)]
    whole = f"{kind.low}-{kind.high}/1"
    return "*" if whole in items or not items else ",".join(dict.fromkeys(items))


def _croniter_items(kind: FieldKind, one: Range) -> list[str]:
    sunday = []
    high = one.high
    if high > kind.high:
        sunday = ["0"] if (high - one.low) % one.step == 0 else []
        high = kind.high
    if one.low > high:
        return sunday
    last = high - (high - one.low) % one.step
    return [str(last) if one.low == last else f"{one.low}-{last}/{one.step}", *sunday]


def _one_year_of_each_kind(years: int) -> Iterable[int]:
    """One year of each kind in the mask; all years of a kind have the same days."""
    named = (FIRST_YEAR + n for n in set_bits(years))
    return {(isleap(year), weekday_of(day_number(year, 1, 1))): year for year in named}.values()


def _has_day_in(timing: CrontabTiming, year: int) -> bool:
    """Whether the timing names any day of this year, which must be a year that it names."""
    first, last = (day_number(year, *day) * 86400 for day in ((1, 1), (12, 31)))
    return timing.wall_at_or_after(first, last) is not None


def _last_day(timing: CrontabTiming, years: Iterable[int]) -> int:
    """Last day of the longest month that the timing names."""
    return max(month_length(year, month) for year in years for month in set_bits(timing.months))


def _year_error(year: Word) -> ScheduleError:
    return ScheduleError(
        f"{year.text:.20} is out of range",
        field=WEEKDAY.name,
        column=year.column,
        hint="only cron(…) takes a year, such as cron(0 9 1 1 ? 2027); with six fields the seconds come first",
    )


def _field_count_error(words: Sequence[Word]) -> ScheduleError:
    count = len(words)
    hint = "write minute, hour, day-of-month, month and day-of-week; with six fields the seconds come first"
    if count == 7:
        hint = f"only cron(…) takes a year; {hint}"
    column = words[-1].column + len(words[-1].text) if count < 5 else words[6].column
    return schedule_error(f"a crontab has 5 or 6 fields, this has {count}", column, hint)
