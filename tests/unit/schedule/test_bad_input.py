"""Texts that must be refused: where, and what the answer says. Nothing is read as something else."""

from datetime import UTC, datetime

import pytest

from minutehand.schedule import Schedule, ScheduleError

ROWS = [
    # text, field, column, in the message, in the hint
    ("", "schedule", None, "empty", "0 9 * * MON-FRI"),
    (" \t ", "schedule", None, "empty", "0 9 * * MON-FRI"),
    (None, "schedule", None, "not NoneType", "write a crontab"),
    (b"* * * * *", "schedule", None, "not bytes", "write a crontab"),
    ("* * * *", "schedule", 7, "this has 4", "minute, hour"),
    ("0 0 * * * * 2030", "schedule", 12, "this has 7", "year"),
    ("0 0 * * * * * *", "schedule", 12, "this has 8", "minute, hour"),
    ("60 * * * *", "minute", 0, "60 is out of range", "0 to 59"),
    ("0 24 * * *", "hour", 2, "24 is out of range", "midnight is 0"),
    ("0 0 0 * *", "day-of-month", 4, "0 is out of range", "1 to 31"),
    ("0 0 32 * *", "day-of-month", 4, "32 is out of range", "1 to 31"),
    ("0 0 1 13 *", "month", 6, "13 is out of range", "1 to 12"),
    ("0 0 1 0 *", "month", 6, "0 is out of range", "1 to 12"),
    ("0 0 * * 8", "day-of-week", 8, "8 is out of range", "0 to 7"),
    ("60 0 0 * * *", "second", 0, "60 is out of range", "0 to 59"),
    ("  5,61 * * * *", "minute", 4, "61 is out of range", "0 to 59"),
    ("0 1-25 * * *", "hour", 4, "25 is out of range", "0 to 23"),
    ("50-10 * * * *", "minute", 0, "backwards", "50-59,0-10"),
    ("0 0 * * FRI-SUN", "day-of-week", 8, "backwards", "5-7"),
    ("0 0 * * SAT-MON", "day-of-week", 8, "backwards", "6,0-1"),
    ("*/0 * * * *", "minute", 2, "step of 0", "1"),
    ("5/0 * * * *", "minute", 2, "step of 0", "1"),
    ("*/ * * * *", "minute", 1, "'/'", "*/5"),
    ("5- * * * *", "minute", 1, "'-'", "end of the range"),
    ("-5 * * * *", "minute", 0, "cannot be read", "0 to 59"),
    ("*-5 * * * *", "minute", 0, "cannot start a range", "0-5"),
    ("1-5-9 * * * *", "minute", 3, "'-9'", "ranges a-b"),
    ("1/2/3 * * * *", "minute", 3, "'/3'", "steps"),
    ("*/1-5 * * * *", "minute", 3, "'-5'", "steps"),
    ("*5 * * * *", "minute", 1, "'5'", "numbers"),
    ("** * * * *", "minute", 1, "'*'", "numbers"),
    ("1.5 * * * *", "minute", 1, "'.5'", "numbers"),
    ("+5 * * * *", "minute", 0, "cannot be read", "0 to 59"),
    ("5, * * * *", "minute", 2, "empty", "comma"),
    (",5 * * * *", "minute", 0, "empty", "comma"),
    ("0 0 * * MONDAY", "day-of-week", 8, "MONDAY", "write MON"),
    ("0 0 * JANUARY *", "month", 6, "JANUARY", "write JAN"),
    ("0 0 * FOO *", "month", 6, "FOO", "JAN, FEB"),
    ("0 noon * * *", "hour", 2, "noon", "numbers from 0 to 23"),
    ("0 0 * * 1-MOO", "day-of-week", 10, "MOO", "SUN, MON"),
    ("0 0 * MON *", "month", 6, "MON", "JAN, FEB"),
    # What croniter would take: random, hashed, nearest, last and nth.
    ("R * * * *", "minute", 0, "'R'", "number"),
    ("R(0-5) * * * *", "minute", 0, "'R'", "number"),
    ("H * * * *", "minute", 0, "'H'", "number"),
    ("H/15 * * * *", "minute", 0, "'H'", "number"),
    ("0 H(0-7) * * *", "hour", 2, "'H'", "number"),
    ("0-30~5 * * * *", "minute", 4, "'~'", "number"),
    ("0 0 L * *", "day-of-month", 4, "'L'", "days"),
    ("0 0 l * *", "day-of-month", 4, "'L'", "days"),
    ("0 0 L-3 * *", "day-of-month", 4, "'L'", "days"),
    ("0 0 1,L * *", "day-of-month", 6, "'L'", "days"),
    ("0 0 LW * *", "day-of-month", 4, "'W'", "days"),
    ("0 0 31W * *", "day-of-month", 6, "'W'", "days"),
    ("0 0 W31 * *", "day-of-month", 4, "'W'", "days"),
    ("0 0 * * 5L", "day-of-week", 9, "'L'", "days"),
    ("0 0 * * L5", "day-of-week", 8, "'L'", "days"),
    ("0 0 * * FRI#2", "day-of-week", 11, "'#'", "weekday"),
    ("0 0 ? * MON", "day-of-month", 4, "'?'", "write *"),
    ("0 0 * * ?", "day-of-week", 8, "'?'", "write *"),
    # Dates that never come.
    ("0 0 30 2 *", "day-of-month", 4, "never comes", "last day is 29"),
    ("0 0 31 4,6,9,11 *", "day-of-month", 4, "never comes", "last day is 30"),
    ("0 0 0 30 FEB */2", "day-of-month", 6, "never comes", "last day is 29"),
    # Other spellings of other systems.
    ("@Daily", "schedule", 0, "@Daily", "@daily"),
    ("@dayly", "schedule", 0, "@dayly", "@daily"),
    ("@", "schedule", 0, "'@'", "@yearly"),
    ("@daily extra", "schedule", 7, "extra", "@daily alone"),
    ("@reboot", "schedule", 0, "@reboot", "trigger"),
    ("@after 10m", "schedule", 0, "@after", "@every"),
    ("@manual", "schedule", 0, "@manual", "paused"),
    ("CRON_TZ=Asia/Tokyo 0 9 * * *", "schedule", 0, "CRON_TZ=", "Asia/Tokyo"),
    ("TZ=Asia/Tokyo 0 9 * * *", "schedule", 0, "TZ=", "Asia/Tokyo"),
    ("cron(0 10 ? * MON *)", "schedule", 0, "cron(", "crontab itself"),
    (" rate(5 minutes)", "schedule", 1, "rate(", "@every"),
    ("at(2026-12-01T09:00:00)", "schedule", 0, "at(", "crontab"),
    ("0 9 * * * # daily", "schedule", 12, "this has 7", "minute, hour"),
    ("0 9 * * *|1", "day-of-week", 9, "'|1'", "lists"),
    ("0 9 * * *\n0 10 * * *", "schedule", 9, "\\n", "ASCII"),
    ("0 9 * * *\x00", "schedule", 9, "\\x00", "ASCII"),
    ("٣ * * * *", "schedule", 0, "\\u0663", "ASCII"),
    ("5\u00a0* * * *", "schedule", 1, "\\xa0", "ASCII"),
    ("µ * * * *", "minute", 0, "cannot be read", "0 to 59"),
    # @every
    ("@every", "schedule", 6, "needs a duration", "@every 5m"),
    ("@every 90", "schedule", 9, "no unit", "90s"),
    ("@every 1d", "schedule", 8, "'d'", "24h"),
    ("@every 5 minutes", "schedule", 9, "one word", "5minutes"),
    ("@every 5M", "schedule", 8, "'M'", "h, m, s"),
    ("@every 0", "schedule", 7, "zero", "duration"),
    ("@every 0s", "schedule", 7, "shorter than a second", "1s"),
    ("@every 999ms", "schedule", 7, "shorter than a second", "1s"),
    ("@every -5m", "schedule", 7, "negative", "5m"),
    ("@every 1.5s", "schedule", 7, "whole seconds", "1s or 2s"),
    ("@every 1h1ns", "schedule", 7, "whole seconds", "3600s or 3601s"),
    ("@every 350641h", "schedule", 7, "40 years", "350640h"),
    ("@every .h", "schedule", 7, "'.'", "duration"),
    ("@every x", "schedule", 7, "'x'", "duration"),
    ("@every +", "schedule", 8, "missing", "duration"),
    # Hostile sizes.
    ("0," * 100_000 + "0 * * * *", "schedule", 1024, "too long", "1024"),
    ("* " * 5_000, "schedule", 1024, "too long", "1024"),
    ("TZ=" * 300 + " * * * * *", "schedule", 0, "TZ=", "apart"),
    ("9" * 1000 + " * * * *", "minute", 0, "out of range", "0 to 59"),
    ("@every " + "9" * 500 + ".123456789h", "schedule", 7, "40 years", "350640h"),
    ("@every " + "9" * 1000 + "h", "schedule", 7, "40 years", "350640h"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "field", "column", "message", "hint"), ROWS, ids=[repr(row[0])[:40] for row in ROWS])
def test_a_wrong_text_is_refused_at_its_place_with_a_hint(text, field, column, message, hint):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse(text)
    error = refusal.value
    assert (error.field, error.column) == (field, column)
    assert message in error.message
    assert hint in error.hint
    assert len(str(error)) < 400


@pytest.mark.parametrize(
    ("timezone", "hint"),
    [
        ("Europe/Pariss", "Europe/Paris"),
        ("america/new_york", "write America/New_York"),
        ("New York", "America/New_York"),
        ("tokyo", "Asia/Tokyo"),
        ("", "IANA"),
        ("../../etc/passwd", "IANA"),
        ("/usr/share/zoneinfo/UTC", "IANA"),
        ("zones", "IANA"),
        ("x" * 100_000, "IANA"),
        (None, "IANA"),
        (UTC, "IANA"),
    ],
)
def test_an_unknown_time_zone_is_refused_with_the_nearest_names(timezone, hint):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 9 * * *", timezone=timezone)
    assert (refusal.value.field, refusal.value.column) == ("timezone", None)
    assert hint in refusal.value.hint


@pytest.mark.parametrize("dialect", ["Vixie", "", "quartz", 5, ["vixie"]])
def test_an_unknown_dialect_is_refused_with_those_there_are(dialect):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 9 * * *", dialect=dialect)
    assert refusal.value.field == "dialect"
    assert "vixie" in refusal.value.hint


@pytest.mark.parametrize(
    ("anchor", "message"),
    [
        (datetime(2026, 1, 1), "no time zone"),  # noqa: DTZ001 - naive is what is refused
        (datetime(2026, 1, 1, microsecond=5, tzinfo=UTC), "fraction"),
        ("2026-01-01", "not str"),
    ],
)
def test_an_anchor_that_is_no_instant_is_refused(anchor, message):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("@every 1h", anchor=anchor)
    assert (refusal.value.field, refusal.value.column) == ("anchor", None)
    assert message in refusal.value.message
    assert "tzinfo=UTC" in refusal.value.hint


def test_an_error_says_its_place_and_its_hint_in_one_line():
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 24 * * *")
    assert str(refusal.value) == "hour, column 3: 24 is out of range (it goes from 0 to 23; midnight is 0)"
