"""Texts of calendars: parsed, formatted, and refused with a hint."""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minutehand.domain.calendar import DAY, DateRange, Period, Weekly
from minutehand.domain.calendar_text import (
    format_dates,
    format_period,
    format_weekly,
    parse_dates,
    parse_period,
    parse_weekly,
)
from minutehand.domain.errors import Invalid

HOUR = 3600


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("2026-12-25", DateRange(date(2026, 12, 25), date(2026, 12, 25))),
        ("2026-12-24..2027-01-02", DateRange(date(2026, 12, 24), date(2027, 1, 2))),
        ("2028-02-29..2028-02-29", DateRange(date(2028, 2, 29), date(2028, 2, 29))),
    ],
)
def test_dates_are_a_day_or_a_range_with_its_last_day(text, dates):
    assert parse_dates(text) == dates


@pytest.mark.parametrize(
    ("text", "rule", "canonical"),
    [
        ("SAT,SUN", Weekly(0b1000001), "SAT,SUN"),
        ("sun-sat", Weekly(0b1111111), "MON-SUN"),
        ("FRI-MON", Weekly(0b1100011), "MON,FRI-SUN"),
        ("FRI 18:00-24:00", Weekly(0b0100000, 18 * HOUR, DAY), "FRI 18:00-24:00"),
        ("MON-FRI 00:00-06:00", Weekly(0b0111110, 0, 6 * HOUR), "MON-FRI 00:00-06:00"),
        ("MON-FRI 00:00-24:00", Weekly(0b0111110), "MON-FRI"),
        ("Wed,Mon 08:00:00-08:00:01", Weekly(0b0001010, 8 * HOUR, 8 * HOUR + 1), "MON,WED 08:00-08:00:01"),
        ("SUN,SUN", Weekly(1), "SUN"),
    ],
)
def test_a_weekly_rule_has_days_and_hours_and_one_text(text, rule, canonical):
    assert parse_weekly(text) == rule
    assert format_weekly(rule) == canonical


def test_a_period_is_read_in_any_offset_and_written_in_utc():
    period = Period(datetime(2026, 12, 1, 10, tzinfo=UTC), datetime(2026, 12, 1, 12, tzinfo=UTC))
    assert parse_period("2026-12-01T19:00:00+09:00..2026-12-01T12:00:00Z") == period
    assert format_period(period) == "2026-12-01T10:00:00Z..2026-12-01T12:00:00Z"


@given(st.integers(1, 127), st.integers(0, DAY - 1), st.integers(1, DAY))
def test_a_weekly_rule_that_is_written_is_read_as_itself(weekdays, start, length):
    rule = Weekly(weekdays, start, min(start + length, DAY))
    assert parse_weekly(format_weekly(rule)) == rule


@given(st.dates(), st.dates())
def test_dates_that_are_written_are_read_as_themselves(one, other):
    dates = DateRange(*sorted((one, other)))
    assert parse_dates(format_dates(dates)) == dates


@pytest.mark.parametrize(
    ("parse", "text", "message", "hint", "column"),
    [
        (parse_dates, "2026-02-30", "2026-02-30 is not a date: day", "", 0),
        (parse_dates, "2026-13-01", "is not a date: month", "", 0),
        (parse_dates, "25.12.2026", "'25.12.2026' is not a date", "write 2026-12-25", 0),
        (parse_dates, "\uff12\uff10\uff12\uff16-12-25", "is not a date", "write 2026-12-25", 0),
        (parse_dates, "2026-W52-5", "is not a date", "write 2026-12-25", 0),
        (parse_dates, "", "a date is missing", "write 2026-12-25", 0),
        (parse_dates, "2026-12-24..", "a date is missing", "write 2026-12-25", 12),
        (parse_dates, "2026-12-24..2026-12-32", "2026-12-32 is not a date", "", 12),
        (parse_dates, "2026-12-24...2026-12-26", "'.2026-12-26' is not a date", "for a range", 12),
        (parse_dates, "2027-01-02..2026-12-24", "the range runs backwards", "write 2026-12-24..2027-01-02", None),
        (parse_weekly, "", "a day of the week is missing", "SAT,SUN", 0),
        (parse_weekly, "SAT,", "a day of the week is missing", "SAT,SUN", 4),
        (parse_weekly, "SAT, SUN", "a day of the week is missing", "SAT,SUN", 4),
        (parse_weekly, "MON-FRY", "'FRY' is not a day", "FRI", 4),
        (parse_weekly, "SATURDAY", "'SATURDAY' is not a day", "write MON", 0),
        (parse_weekly, "\u017fUN", "is not a day", "write MON", 0),
        (parse_weekly, "5", "'5' is not a day", "write MON", 0),
        (parse_weekly, "FRI 18", "'18' is not a time range", "18:00-24:00", 4),
        (parse_weekly, "FRI  18:00-24:00", "' 18:00' is not a time", "18:00", 4),
        (parse_weekly, "FRI 18-24", "'18' is not a time", "write 18:00", 4),
        (parse_weekly, "FRI 18:00-", "'' is not a time", "write 18:00", 10),
        (parse_weekly, "FRI 18:00-24:30", "no clock shows 24:30", "to 24:00", 10),
        (parse_weekly, "FRI 18:60-19:00", "no clock shows 18:60", "00:00", 4),
        (parse_weekly, "FRI 18:00-18:00", "from 18:00 to 18:00 is empty", "days alone", 4),
        (
            parse_weekly,
            "FRI 22:00-06:00",
            "run backwards",
            "22:00-24:00 on its first day and 00:00-06:00 on the next",
            4,
        ),
        (parse_weekly, "FRI 22:00-00:00", "run backwards", "write 22:00-24:00 on its first day", 4),
        (parse_period, "2026-12-01", "is not a period", "write 2026-12-01T10:00:00Z..", None),
        (parse_period, "2026-12-01..2026-12-02", "'2026-12-01' is not an instant", "with its offset", 0),
        (parse_period, "2026-12-01T10:00:00..2026-12-01T12:00:00Z", "is not an instant", "with its offset", 0),
        (
            parse_period,
            "2026-12-01T10:00:00Z..2026-12-01T12:00:00.5Z",
            "is not an instant",
            "leave the fraction out",
            22,
        ),
        (parse_period, "2026-12-01T10:00:00Z..", "an instant is missing", "with its offset", 22),
        (parse_period, "2026-12-01T10:00:00Z..2026-12-01T25:00:00Z", "is not an instant: hour", "", 22),
        (parse_period, "0001-01-01T00:00:00+09:00..2026-12-01T12:00:00Z", "is not an instant", "", 0),
        (parse_period, "2026-12-01T10:00:00Z..2026-12-01T09:00:00Z", "runs backwards", "write 2026-12-01T09", None),
        (parse_period, "2026-12-01T10:00:00Z..2026-12-01T11:00:00+01:00", "is empty", "a second later", None),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place_and_what_would_be_right(parse, text, message, hint, column):
    with pytest.raises(Invalid) as refusal:
        parse(text)
    [problem] = refusal.value.problems
    assert message in problem.message
    assert hint in problem.hint
    assert problem.column == column


@given(st.text(max_size=60))
def test_whatever_the_text_it_is_read_or_refused(text):
    for parse in (parse_dates, parse_weekly, parse_period):
        with contextlib.suppress(Invalid):
            parse(text)
