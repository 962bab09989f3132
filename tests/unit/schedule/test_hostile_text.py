"""Texts and options designed to be slow. Work is measured in function calls, not in time."""

import sys

import pytest

from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.words import LONGEST
from tests.unit.schedule.oracle import utc

AFTER = utc("2026-11-20T11:00")


def calls_of(work):
    """Number of Python and C calls, and the error raised. 25,000 calls take about 4 ms."""
    counted = 0

    def count(frame, event, arg):
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    except ScheduleError as error:
        return counted, error
    finally:
        sys.setprofile(before)
    return counted, None


def field(item, count):
    return ",".join([item] * count)


# Far too long: only the length is checked.
TOO_LONG = {
    "10 kB of items": "0," * 5_000 + "0 * * * *",
    "100,000 items": field("0", 100_000) + " * * * *",
    "10 MB of one letter": "x" * 10_000_000,
    "digits of other scripts": "٣" * 100_000,
    "prefixes": "TZ=UTC " * 100_000,
    "blanks": " " * 100_000,
    "brackets": "H(" * 100_000,
    "a duration": "@every " + "9" * 100_000 + "h",
}


@pytest.mark.parametrize("text", TOO_LONG.values(), ids=TOO_LONG)
def test_text_that_is_too_long_is_refused_by_its_length(text):
    Schedule.parse("0 9 * * *")
    counted, error = calls_of(lambda: Schedule.parse(text))
    assert error is not None
    assert "too long" in error.message
    assert counted < 40


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["* * * * *"] * 100_000, "100000 schedules"),
        (["x" * 10_000_000] * 16, "too long"),
        ([["* * * * *"] * 100_000], "not list"),
        ([None] * 100_000, "100000 schedules"),
    ],
)
def test_list_that_is_too_long_is_refused_by_its_size(texts, message):
    Schedule.parse(["0 9 * * *"])
    counted, error = calls_of(lambda: Schedule.parse(texts))
    assert error is not None
    assert message in error.message
    assert counted < 100


def filled(start, middle, end=""):
    """A text of just LONGEST characters."""
    room = LONGEST - len(start) - len(end)
    return start + (middle * room)[:room] + end


# Of maximum length. Lists take the most work, item by item.
AS_LONG_AS_ALLOWED = {
    "commas": filled("", ",", " * * * *"),
    "single values, the last wrong": filled("", "0,", "x * * * *"),
    "stars, the last wrong": filled("", "*,", "** * * * *"),
    "ranges and steps, the last wrong": filled("", "0-59/7,", "x * * * *"),
    "nearest weekdays, the last wrong": filled("0 0 ", "15W,", "W * *"),
    "nth weekdays, the last wrong": filled("0 0 * * ", "1#1,", "#"),
    "last weekdays, the last wrong": filled("0 0 * * ", "5L,", ",8L"),
    "names, none of this field": filled("", "MON,", " * * * *"),
    "a number": filled("", "9", " * * * *"),
    "a name": filled("", "a", " * * * *"),
    "ranges of ranges": filled("", "1-", " * * * *"),
    "steps of steps": filled("", "1/", " * * * *"),
    "question marks": filled("", "?", " * * * *"),
    "open brackets": filled("", "H(", " * * * *"),
    "brackets in brackets": filled("H(" * 300, ")", " * * * *"),
    "hashes, the last wrong": filled("", "H(1-2)/3,", "h * * * *"),
    "micro signs": filled("", "µ"),
    "fields": filled("", "* "),
    "prefixes": filled("", "TZ=UTC "),
    "prefixes in prefixes": filled("", "TZ="),
    "an unknown time zone": filled("CRON_TZ=", "a", " * * * * *"),
    "calls in calls": filled("", "cron("),
    "a call of many fields": filled("cron(", "* ", ")"),
    "a call that is not closed": filled("cron(", "("),
    "a rate's number": filled("rate(", "9", " days)"),
    "a rate's words": filled("rate(", "1 ", ")"),
    "a time": filled("at(", "2026-12-01T", ")"),
    "a descriptor": filled("@", "every"),
    "a duration's number": filled("@every ", "9", "h"),
    "a duration's fraction": filled("@every .", "1", "h"),
    "a duration's parts, the last wrong": filled("@every ", "1h"),
    "a duration's small parts": filled("@every ", ".1ns", "s"),
    "a duration's unit": filled("@every 1", "x"),
    "blanks and one word": filled("", " ", "x"),
    "dates that never come": filled("0 0 ", "31W,", "31W 2 *"),
    "years that never come": filled("cron(0 0 30 2 ? ", "1970-2199,", "1970)"),
}


@pytest.mark.parametrize("text", AS_LONG_AS_ALLOWED.values(), ids=AS_LONG_AS_ALLOWED)
def test_invalid_text_of_maximum_length_is_refused_with_little_work(text):
    assert len(text) == LONGEST
    Schedule.parse("0 9 * * *")
    counted, error = calls_of(lambda: Schedule.parse(text, name="shop/nightly"))
    assert error is not None
    assert len(str(error)) < 400
    assert counted < 25_000


@pytest.mark.parametrize(
    "options",
    [
        {"timezone": "America/Nwe_Yrok" * 4},
        {"timezone": "x" * 10_000_000},
        {"timezone": "\ud800" * 64},
        {"timezone": "../" * 21},
        {"timezone": ["UTC"] * 100_000},
        {"dialect": "x" * 10_000_000},
        {"dialect": ["vixie"] * 100_000},
        {"dialect": {"vixie": "x" * 10_000_000}},
        {"anchor": "2" * 10_000_000},
        {"anchor": [0] * 100_000},
        {"name": "x" * 10_000_000},
        {"name": ["x"] * 100_000},
    ],
    ids=lambda options: f"{options!r:.40}",
)
def test_hostile_option_is_refused_with_little_work_and_a_short_message(options):
    Schedule.parse("0 9 * * *")
    counted, error = calls_of(lambda: Schedule.parse("H 9 * * *", **({"name": "shop/nightly"} | options)))
    assert error is not None
    assert error.field in options
    assert len(str(error)) < 400
    assert counted < 25_000


def test_search_for_past_years_ends_with_little_work():
    over = Schedule.parse("cron(0 0 29 2 ? 2024)")
    counted, _ = calls_of(lambda: over.next(AFTER))
    assert over.next(AFTER) is None
    assert counted < 3_000


def test_text_with_the_year_9999_does_not_build_the_longest_zone_table():
    # A table of New York to the year 9999 has 16,000 changes and takes 100 ms, so it is built only for calls about such years.
    counted, error = calls_of(lambda: Schedule.parse("at(9999-12-31T00:00:00)", timezone="America/New_York"))
    assert error is not None
    assert counted < 1_000
