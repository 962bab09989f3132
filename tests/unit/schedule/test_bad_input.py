"""Invalid texts, time zones, dialects, anchors and names: field, column, message and hint of each refusal."""

from datetime import UTC, datetime, timedelta, timezone

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
    ("0 0 * * FRI-SUN", "day-of-week", 8, "backwards", "list them: FRI,SAT,SUN"),
    ("0 0 * * SAT-MON", "day-of-week", 8, "backwards", "list them: SAT,SUN,MON"),
    ("0 0 * * fri-mon/2", "day-of-week", 8, "backwards", "list them: FRI,SUN"),
    ("0 0 * NOV-FEB *", "month", 6, "backwards", "list them: NOV,DEC,JAN,FEB"),
    ("0 0 * * 5-1", "day-of-week", 8, "backwards", "write both parts: 5-6,0-1"),
    ("0 0 * * 5-0", "day-of-week", 8, "backwards", "write 5-7"),
    ("0 9 1 1 1 2027", "day-of-week", 10, "2027 is out of range", "only cron(…) takes a year"),
    ("30 9 25 12 * 2027-2029", "day-of-week", 13, "2027-2029 is out of range", "only cron(…) takes a year"),
    ("*/0 * * * *", "minute", 2, "step of 0", "1"),
    ("5/0 * * * *", "minute", 2, "step of 0", "1"),
    ("*/ * * * *", "minute", 1, "'/'", "*/5"),
    ("5- * * * *", "minute", 1, "'-'", "end of the range"),
    ("-5 * * * *", "minute", 0, "is not a value of this field", "0 to 59"),
    ("*-5 * * * *", "minute", 0, "cannot start a range", "0-5"),
    ("1-5-9 * * * *", "minute", 3, "'-9'", "ranges a-b"),
    ("1/2/3 * * * *", "minute", 3, "'/3'", "steps"),
    ("*/1-5 * * * *", "minute", 3, "'-5'", "steps"),
    ("*5 * * * *", "minute", 1, "'5'", "numbers"),
    ("** * * * *", "minute", 1, "'*'", "numbers"),
    ("1.5 * * * *", "minute", 1, "'.5'", "numbers"),
    ("+5 * * * *", "minute", 0, "is not a value of this field", "0 to 59"),
    ("5, * * * *", "minute", 2, "empty", "comma"),
    (",5 * * * *", "minute", 0, "empty", "comma"),
    ("0 0 * * MONDAY", "day-of-week", 8, "MONDAY", "write MON"),
    ("0 0 * JANUARY *", "month", 6, "JANUARY", "write JAN"),
    ("0 0 * FOO *", "month", 6, "FOO", "JAN, FEB"),
    ("0 noon * * *", "hour", 2, "noon", "numbers from 0 to 23"),
    ("0 0 * * 1-MOO", "day-of-week", 10, "MOO", "SUN, MON"),
    ("0 0 * MON *", "month", 6, "MON", "JAN, FEB"),
    # Texts that croniter accepts: random values, and special characters without a meaning there.
    ("R * * * *", "minute", 0, "'R'", "write H"),
    ("R(0-5) * * * *", "minute", 0, "'R'", "write H"),
    ("0-30~5 * * * *", "minute", 4, "'~'", "H(a-b)"),
    ("L * * * *", "minute", 0, "'L'", "L in day-of-month"),
    ("0 0 * L *", "month", 6, "'L'", "L in day-of-month"),
    ("0 0 L-3 * *", "day-of-month", 4, "L-3", "write L"),
    ("0 0 * * L", "day-of-week", 8, "'L'", "5L"),
    ("0 0 * * L5", "day-of-week", 8, "'L'", "5L"),
    ("0 0 * * 8L", "day-of-week", 8, "8 is out of range", "0 to 7"),
    ("0 0 W31 * *", "day-of-month", 4, "'W'", "15W"),
    ("0 0 32W * *", "day-of-month", 4, "32 is out of range", "1 to 31"),
    ("0 0 * * 1W", "day-of-week", 9, "'W'", "15W"),
    ("0 0 * * FRI#6", "day-of-week", 12, "6 is out of range", "1 to 5"),
    ("0 0 * * FRI#0", "day-of-week", 12, "0 is out of range", "1 to 5"),
    ("0 0 * * FOO#1", "day-of-week", 8, "FOO", "SUN, MON"),
    ("0 0 1#1 * *", "day-of-month", 5, "'#'", "MON#2"),
    ("? * * * *", "minute", 0, "'?'", "write *"),
    ("0 0 ?,1 * *", "day-of-month", 4, "'?' must be the whole field", "list days"),
    ("0 0 ?/2 * *", "day-of-month", 4, "'?'", "write *"),
    # H needs a name, and its values are within the field.
    ("H * * * *", "minute", 0, "none is given", "give the name"),
    ("h * * * *", "minute", 0, "'H'", "write H"),
    ("H(50-70) * * * *", "minute", 5, "70 is out of range", "0 to 59"),
    ("0 H(7-0) * * *", "hour", 4, "backwards", "H takes one ascending range: write H(0-7)"),
    ("H(30-10)/5 * * * *", "minute", 2, "backwards", "write H(10-30)/5"),
    ("0 0 * * H(5-0)", "day-of-week", 10, "backwards", "write H(5-7)"),
    ("H/0 * * * *", "minute", 2, "step of 0", "1"),
    ("H-5 * * * *", "minute", 0, "'H'", "H(a-b)"),
    # Dates that do not exist.
    ("0 0 30 2 *", "day-of-month", 4, "never runs", "last day of these months is 29"),
    ("0 0 31 4,6,9,11 *", "day-of-month", 4, "never runs", "last day of these months is 30"),
    ("0 0 0 30 FEB */2", "day-of-month", 6, "never runs", "last day of these months is 29"),
    # Wrong spellings, and forms of other systems.
    ("@Daily", "schedule", 0, "@Daily", "@daily"),
    ("@dayly", "schedule", 0, "@dayly", "@daily"),
    ("@", "schedule", 0, "'@'", "@yearly"),
    ("@daily extra", "schedule", 7, "extra", "@daily alone"),
    ("@reboot", "schedule", 0, "@reboot", "at_start: true"),
    ("@After 10m", "schedule", 0, "@After", "@after"),
    ("@after", "schedule", 6, "needs a duration", "@after 5m"),
    ("@after 0s", "schedule", 7, "shorter than a second", "1s"),
    ("@manual now", "schedule", 8, "unexpected 'now' after @manual", "@manual alone"),
    ("CRON_TZ=Asia/Tokio 0 9 * * *", "timezone", 8, "Asia/Tokio", "Asia/Tokyo"),
    ("cron_tz=Asia/Tokyo 0 9 * * *", "schedule", 0, "cron_tz=", "CRON_TZ="),
    ("TZ=Asia/Tokyo", "schedule", 13, "no schedule follows", "TZ=Asia/Tokyo 0 9"),
    ("TZ=UTC CRON_TZ=UTC 0 9 * * *", "schedule", 7, "second time zone", "one time zone"),
    # EventBridge's own.
    ("cron(0 10 * * MON *)", "day-of-week", 14, "must be ?", "and only there"),
    ("cron(0 10 ? * ? *)", "day-of-month", 10, "must be ?", "and only there"),
    ("cron(0 10 ? * MON)", "schedule", 5, "this has 5", "year"),
    ("cron(0 10 ? * MON * *)", "schedule", 20, "this has 7", "year"),
    ("cron(0 10 ? * 0 *)", "day-of-week", 14, "0 is out of range", "1 is Sunday"),
    ("cron(0 10 ? * 8 *)", "day-of-week", 14, "8 is out of range", "1 to 7"),
    ("cron(0 10 ? * 2/2 *)", "day-of-week", 15, "'/'", "list the days"),
    ("cron(0 10 ? * 2#1,3#1 *)", "day-of-week", 14, "must be the only value", "second schedule"),
    ("cron(0 10 1 * ? 1969)", "year", 16, "1969 is out of range", "1970 to 2199"),
    ("cron(0 10 1 * ? 2030-2020)", "year", 16, "backwards", "2030-2199,1970-2020"),
    ("cron(0 10 29 2 ? 2027)", "day-of-month", 10, "never runs", "last day of these months is 28"),
    ("cron(0 10 29 2 ? 2026,2027,2100)", "day-of-month", 10, "never runs", "last day of these months is 28"),
    ("cron(0 10 31 2,4,6,9,11 ? 1970-2198)", "day-of-month", 10, "never runs", "last day of these months is 30"),
    ("cron(H 10 1 * ? *)", "minute", 5, "'H'", "H"),
    ("cron(0 10 1 * ? *", "schedule", 17, "not closed", ")"),
    ("cron(0 10 1 * ? *) *", "schedule", 18, "unexpected '*' after cron(…)", "alone"),
    ("CRON(0 10 1 * ? *)", "schedule", 0, "'CRON('", "write cron("),
    ("cron (0 10 1 * ? *)", "schedule", 0, "'cron ('", "write cron("),
    (" rate(5 minute)", "schedule", 8, "'minutes', not 'minute'", "rate(5 minutes)"),
    ("rate(1 hours)", "schedule", 7, "'hour', not 'hours'", "rate(1 hour)"),
    ("rate(0 minutes)", "schedule", 5, "rate of 0 is not possible", "rate(1 minute)"),
    ("rate(-1 minutes)", "schedule", 5, "whole number", "rate(5 minutes)"),
    ("rate(1.5 hours)", "schedule", 5, "whole number", "rate(5 minutes)"),
    ("rate(5 seconds)", "schedule", 7, "not a unit", "minutes, hours and days"),
    ("rate(5)", "schedule", 5, "a number and a unit", "rate(5 minutes)"),
    ("rate(99999 days)", "schedule", 5, "40 years", "14610"),
    ("at(2026-12-01)", "schedule", 3, "not a local date and time", "at(2026-12-01T09:00:00)"),
    ("at(2026-12-01T09:00:00Z)", "schedule", 3, "not a local date and time", "give the time zone separately"),
    ("at(2026-02-30T09:00:00)", "schedule", 3, "2026-02-30T09:00:00 does not exist", "at(2026-12-01T09:00:00)"),
    ("at(2200-01-01T00:00:00)", "schedule", 3, "year 2200 is out of range", "1970 to 2199"),
    ("at(9999-12-31T23:59:59)", "schedule", 3, "year 9999 is out of range", "1970 to 2199"),
    ("at(1969-12-31T23:59:59)", "schedule", 3, "1969 is out of range", "1970 to 2199"),
    ("at(0000-01-01T00:00:00)", "schedule", 3, "0000-01-01T00:00:00 does not exist", "at(2026-12-01T09:00:00)"),
    ("0 9 * * * # daily", "schedule", 12, "this has 7", "minute, hour"),
    ("0 9 * * *|1", "day-of-week", 9, "'|1'", "lists"),
    ("0 9 * * *\n0 10 * * *", "schedule", 9, "\\n", "ASCII"),
    ("0 9 * * *\x00", "schedule", 9, "\\x00", "ASCII"),
    ("٣ * * * *", "schedule", 0, "\\u0663", "ASCII"),
    ("5\u00a0* * * *", "schedule", 1, "\\xa0", "ASCII"),
    ("µ * * * *", "minute", 0, "is not a value of this field", "0 to 59"),
    # @every
    ("@every", "schedule", 6, "needs a duration", "@every 5m"),
    ("@every 90", "schedule", 9, "no unit", "90s"),
    ("@every 1d", "schedule", 8, "'d'", "write 24h"),
    ("@after 1d12h", "schedule", 8, "'d'", "write 36h"),
    ("@after 0.5d", "schedule", 10, "'d'", "write 12h"),
    ("@every 1w", "schedule", 8, "'w'", "write 168h"),
    ("@every 5min30sec", "schedule", 8, "'min'", "write 5m30s"),
    ("@every 1H", "schedule", 8, "'H'", "write 1h"),
    ("@every 5 minutes", "schedule", 9, "one word", "write 5m"),
    ("@every 1 day 12 hours", "schedule", 9, "one word", "write 36h"),
    ("@after 1h @every 5m", "schedule", 10, "unexpected '@every' after the duration", "such as @after 5m, alone"),
    ("@every 1h 0 * * * *", "schedule", 10, "unexpected '0' after the duration", "a list joins several schedules"),
    ("@every 5M", "schedule", 8, "'M'", "units are h, m and s"),
    ("@every 5x", "schedule", 8, "'x'", "units are h, m and s"),
    ("@every 9999999d", "schedule", 14, "'d'", "units are h, m and s"),
    ("@every 0", "schedule", 7, "zero", "duration"),
    ("@every 0s", "schedule", 7, "shorter than a second", "1s"),
    ("@every 999ms", "schedule", 7, "shorter than a second", "1s"),
    ("@every -5m", "schedule", 7, "negative", "5m"),
    ("@every 1.5s", "schedule", 7, "whole number of seconds", "1s or 2s"),
    ("@every 1h1ns", "schedule", 7, "whole number of seconds", "3600s or 3601s"),
    ("@every 350641h", "schedule", 7, "40 years", "350640h"),
    ("@every .h", "schedule", 7, "'.'", "duration"),
    ("@every x", "schedule", 7, "'x'", "duration"),
    ("@every +", "schedule", 8, "missing", "duration"),
    # Hostile sizes.
    ("0," * 100_000 + "0 * * * *", "schedule", 1024, "too long", "1024"),
    ("* " * 5_000, "schedule", 1024, "too long", "1024"),
    ("TZ=" * 300 + " * * * * *", "timezone", 3, "no time zone", "IANA"),
    ("9" * 1000 + " * * * *", "minute", 0, "out of range", "0 to 59"),
    ("@every " + "9" * 500 + ".123456789h", "schedule", 7, "40 years", "350640h"),
    ("@every " + "9" * 1000 + "h", "schedule", 7, "40 years", "350640h"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "field", "column", "message", "hint"), ROWS, ids=[repr(row[0])[:40] for row in ROWS])
def test_invalid_text_is_refused_with_field_column_and_hint(text, field, column, message, hint):
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
def test_unknown_time_zone_is_refused_with_similar_names(timezone, hint):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 9 * * *", timezone=timezone)
    assert (refusal.value.field, refusal.value.column) == ("timezone", None)
    assert hint in refusal.value.hint


def test_at_in_a_clock_gap_is_refused():
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("at(2026-03-08T02:30:00)", timezone="America/New_York")
    assert (refusal.value.field, refusal.value.column) == ("schedule", 3)
    assert "jump over" in refusal.value.message


@pytest.mark.parametrize(
    ("texts", "part", "field", "column", "message"),
    [
        (["0 9 * * *", "0 24 * * *"], 1, "hour", 2, "24 is out of range"),
        (["@manual", "0 9 * * *"], 0, "schedule", 0, "cannot be joined"),
        (["0 9 * * *", "@after 5m"], 1, "schedule", 0, "cannot be joined"),
        (["0 9 * * *", 5], 1, "schedule", None, "not int"),
        ([], None, "schedule", None, "empty"),
        (["0 9 * * *"] * 17, None, "schedule", None, "17 schedules"),
        (["0 9 * * *" + " " * 1000] * 2, None, "schedule", None, "too long"),
        (["* * * * *"] * 100_000, None, "schedule", None, "100000 schedules"),
    ],
)
def test_error_in_joined_texts_has_the_number_of_the_wrong_text(texts, part, field, column, message):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse(texts)
    error = refusal.value
    assert (error.part, error.field, error.column) == (part, field, column)
    assert message in error.message


@pytest.mark.parametrize("dialect", ["Vixie", "", "quartz", 5, ["vixie"]])
def test_unknown_dialect_is_refused_with_the_known_names(dialect):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 9 * * *", dialect=dialect)
    assert refusal.value.field == "dialect"
    assert "vixie" in refusal.value.hint


@pytest.mark.parametrize(
    ("anchor", "message"),
    [
        (datetime(2026, 1, 1), "no time zone"),  # noqa: DTZ001 - naive is what is refused
        (datetime(2026, 1, 1, microsecond=5, tzinfo=UTC), "fraction"),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(microseconds=5))), "fraction"),
        ("2026-01-01", "not str"),
    ],
)
def test_invalid_anchor_is_refused(anchor, message):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("@every 1h", anchor=anchor)
    assert (refusal.value.field, refusal.value.column) == ("anchor", None)
    assert message in refusal.value.message
    assert "tzinfo=UTC" in refusal.value.hint


@pytest.mark.parametrize(
    ("name", "message"),
    [(5, "not int"), (b"shop/nightly", "not bytes"), ("x" * 2000, "2000 characters"), ("\ud800", "\\ud800")],
)
@pytest.mark.parametrize("text", ["H * * * *", "0 9 * * *"])
def test_invalid_name_is_refused_even_if_the_text_has_no_h(text, name, message):
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse(text, name=name)
    assert (refusal.value.field, refusal.value.column) == ("name", None)
    assert message in refusal.value.message
    assert "shop/nightly" in refusal.value.hint


def test_error_about_a_whole_joined_text_shows_only_its_number():
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse(["0 9 * * *", "0 9 * *"])
    assert str(refusal.value).startswith("schedule 2, column 8: a crontab has 5 or 6 fields")


def test_str_of_an_error_has_place_message_and_hint_in_one_line():
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 24 * * *")
    assert str(refusal.value) == "hour, column 3: 24 is out of range (it goes from 0 to 23; midnight is 0)"
