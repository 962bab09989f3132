"""Days of a crontab in words: weekdays, days of the month, months and years."""

from collections.abc import Sequence

from minutehand.schedule.clocktime import set_bits
from minutehand.schedule.crontab import EVERY_DAY, EVERY_MONTH, EVERY_WEEKDAY, FIRST_YEAR, CrontabTiming
from minutehand.schedule.days import MONDAY_TO_FRIDAY, MonthDays
from minutehand.schedule.description.english import MONTHS, WEEKDAYS, listed, ordinal, progression, ranges

_NO_MONTH_DAYS = MonthDays()
_WEEKEND = 0b1000001
_NTH = ("first", "second", "third", "fourth", "fifth")


def day_words(timing: CrontabTiming) -> str:
    """All day fields in words: `on weekdays`, `on the 1st of the month`, `on 1 January 2027`; empty for every day."""
    dates, weekdays, months = date_words(timing), weekday_words(timing), set_bits(timing.months)
    if timing.either_day and not (dates and weekdays):
        dates = weekdays = ""
    if dates and weekdays:
        words = f"{dates}, {'and also' if timing.either_day else 'but only'} {weekdays}"
    else:
        words = dates or weekdays or ("" if timing.months == EVERY_MONTH else f"in {_months(months)}")
    if timing.years is None:
        return words
    years = [FIRST_YEAR + bit for bit in set_bits(timing.years)]
    if words == dates and len(years) == 1 and _one_date(timing):
        return f"{words} {years[0]}"
    return f"{words}, {_years(years)}" if words else _years(years)


def date_words(timing: CrontabTiming) -> str:
    """Day-of-month in words; empty for every day."""
    if timing.days == EVERY_DAY:
        return ""
    days, month_days = set_bits(timing.days), timing.month_days or _NO_MONTH_DAYS
    months = set_bits(timing.months)
    if _one_date(timing):
        return f"on {days[0]} {MONTHS[months[0] - 1]}"
    step = progression(days, 4)
    if step and step > 1:
        items = [f"every {ordinal(step)} day from the {ordinal(days[0])} to the {ordinal(days[-1])}"]
    else:
        items = [f"the {item}" for item in _dates(days)]
    items += ["the last day"] * month_days.last + ["the last weekday"] * month_days.last_weekday
    items += [f"the weekday nearest the {ordinal(day)}" for day in set_bits(month_days.nearest)]
    return f"on {listed(items)} of {_months(months)}"


def weekday_words(timing: CrontabTiming) -> str:
    """Day-of-week in words; empty for every day."""
    if timing.weekdays == EVERY_WEEKDAY:
        return ""
    month_days, months = timing.month_days or _NO_MONTH_DAYS, set_bits(timing.months)
    of = _months(months)
    phrases = []
    if timing.weekdays:
        within = "" if timing.months == EVERY_MONTH else f" in {of}"
        phrases.append(_weekdays(timing.weekdays) + within)
    ranked = [f"the {_NTH[bit // 7]} {WEEKDAYS[bit % 7]}" for bit in set_bits(month_days.nth)]
    ranked += [f"the last {WEEKDAYS[day]}" for day in set_bits(month_days.last_of)]
    if ranked:
        phrases.append(f"on {listed(ranked)} of {of}")
    return listed(phrases)


def _one_date(timing: CrontabTiming) -> bool:
    """Whether day-of-month and month name one date of the year."""
    special = timing.month_days is not None and timing.month_days.dates
    return not special and timing.days.bit_count() == timing.months.bit_count() == 1


def _weekdays(mask: int) -> str:
    if mask == MONDAY_TO_FRIDAY:
        return "on weekdays"
    if mask == _WEEKEND:
        return "at weekends"
    # Numbered from Monday, 0, so that a range may end on Sunday.
    days = sorted((day - 1) % 7 for day in set_bits(mask))
    names = [f"{WEEKDAYS[(day + 1) % 7]}s" for day in days]
    if len(ranges(days)) == 1 and len(days) > 2:
        return f"on {names[0]} to {names[-1]}"
    if len(days) == 6:
        missing = next(day for day in range(7) if day not in days)
        return f"on all days except {WEEKDAYS[(missing + 1) % 7]}s"
    return f"on {listed(names)}"


def _dates(days: Sequence[int]) -> list[str]:
    """Days of the month in words, consecutive ones as a range: `1st`, `10th to 20th`."""
    items = []
    for first, last in ranges(days):
        if last - first > 1:
            items.append(f"{ordinal(first)} to {ordinal(last)}")
        else:
            items += [ordinal(day) for day in range(first, last + 1)]
    return items


def _months(months: Sequence[int]) -> str:
    """Months after `of` or `in`: `the month`, `January and July`, `every month from April to December`."""
    if len(months) == 12:
        return "the month"
    names = [MONTHS[month - 1] for month in months]
    step = progression(months, 4)
    if step:
        return f"every {'' if step == 1 else f'{ordinal(step)} '}month from {names[0]} to {names[-1]}"
    return listed(names)


def _years(years: Sequence[int]) -> str:
    step = progression(years, 3)
    if step == 1:
        return f"from {years[0]} to {years[-1]}"
    if step:
        return f"in every {ordinal(step)} year from {years[0]} to {years[-1]}"
    return f"in {listed([str(year) for year in years])}"
