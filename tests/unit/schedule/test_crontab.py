"""Fields, descriptors and day rules in UTC, with the reason for each row; limits of next() and between()."""

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta

import pytest

from minutehand.schedule import Schedule
from tests.unit.schedule.expressions import is_special
from tests.unit.schedule.oracle import utc

# After Friday 2026-11-20 11:00:00 UTC.
ROWS = [
    ("the current minute has begun, so the next one", "* * * * *", ["2026-11-20T11:01", "2026-11-20T11:02"]),
    ("steps start at the field's first value", "*/25 * * * *", ["2026-11-20T11:25", "2026-11-20T11:50", "2026-11-20T12:00"]),
    ("a step beyond the field leaves its first value", "*/90 * * * *", ["2026-11-20T12:00", "2026-11-20T13:00"]),
    ("a range with a step", "10-30/10 12 * * *", ["2026-11-20T12:10", "2026-11-20T12:20", "2026-11-20T12:30", "2026-11-21T12:10"]),
    ("a value with a step runs to the end of the field", "50/5 12 * * *", ["2026-11-20T12:50", "2026-11-20T12:55", "2026-11-21T12:50"]),
    ("a range of one value is that value", "10-10 * * * *", ["2026-11-20T11:10", "2026-11-20T12:10"]),
    ("the last value with a step is that value", "59/15 * * * *", ["2026-11-20T11:59", "2026-11-20T12:59"]),
    ("a list may be out of order and repeat itself", "30,10,30 12 * * *", ["2026-11-20T12:10", "2026-11-20T12:30", "2026-11-21T12:10"]),
    ("leading zeros are decimal", "08 09 * * *", ["2026-11-21T09:08"]),
    ("names in any case, in lists and ranges", "0 0 1 jan,Mar-APR *", ["2027-01-01T00:00", "2027-03-01T00:00", "2027-04-01T00:00"]),
    ("weekday names", "0 0 * * mon-WED", ["2026-11-23T00:00", "2026-11-24T00:00", "2026-11-25T00:00", "2026-11-30T00:00"]),
    ("Sunday is 0", "0 0 * * 0", ["2026-11-22T00:00"]),
    ("Sunday is 7", "0 0 * * 7", ["2026-11-22T00:00"]),
    ("Sunday is 7 in a range", "0 0 * * 5-7", ["2026-11-21T00:00", "2026-11-22T00:00", "2026-11-27T00:00"]),
    ("Sunday is 7 for a step", "0 0 * * 1-7/2", ["2026-11-22T00:00", "2026-11-23T00:00", "2026-11-25T00:00", "2026-11-27T00:00"]),
    ("0-7 is every day, once", "0 0 * * 0-7", ["2026-11-21T00:00", "2026-11-22T00:00", "2026-11-23T00:00"]),
    ("both day fields named: either is enough", "0 0 25 * SAT", ["2026-11-21T00:00", "2026-11-25T00:00", "2026-11-28T00:00"]),
    ("a day of the month that starts with a star: both must match", "0 0 */2 * 1", ["2026-11-23T00:00", "2026-12-07T00:00"]),
    ("a weekday that starts with a star: both must match", "0 0 1-7 * */6", ["2026-12-05T00:00", "2026-12-06T00:00"]),
    ("a star later in the list does not open the field", "0 0 25 * 6,*", ["2026-11-21T00:00", "2026-11-22T00:00", "2026-11-23T00:00"]),
    ("an impossible date is no harm beside a weekday", "0 0 30 2 MON", ["2027-02-01T00:00", "2027-02-08T00:00"]),
    ("months without a 31st are passed over", "0 0 31 * *", ["2026-12-31T00:00", "2027-01-31T00:00", "2027-03-31T00:00"]),
    ("29 February", "0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00"]),
    ("seconds come first", "15,45 30 12 * * *", ["2026-11-20T12:30:15", "2026-11-20T12:30:45", "2026-11-21T12:30:15"]),
    ("every second", "* * * * * *", ["2026-11-20T11:00:01", "2026-11-20T11:00:02"]),
    ("one second of every minute", "30 * * * * *", ["2026-11-20T11:00:30", "2026-11-20T11:01:30"]),
    ("@yearly", "@yearly", ["2027-01-01T00:00", "2028-01-01T00:00"]),
    ("@annually", "@annually", ["2027-01-01T00:00", "2028-01-01T00:00"]),
    ("@monthly", "@monthly", ["2026-12-01T00:00", "2027-01-01T00:00"]),
    ("@weekly is Sunday", "@weekly", ["2026-11-22T00:00", "2026-11-29T00:00"]),
    ("@daily", "@daily", ["2026-11-21T00:00", "2026-11-22T00:00"]),
    ("@midnight", "@midnight", ["2026-11-21T00:00", "2026-11-22T00:00"]),
    ("@hourly", "@hourly", ["2026-11-20T12:00", "2026-11-20T13:00"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "instants"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_next_instants_of_a_crontab(text, instants):
    schedule, at = Schedule.parse(text), utc("2026-11-20T11:00")
    for expected in instants:
        at = schedule.next(at)
        assert at == utc(expected)


SPECIAL_DAYS = [
    ("0 0 L * *", ("last",)),
    ("0 0 LW * *", ("last weekday",)),
    *((f"0 0 {day}W * *", ("nearest", day)) for day in range(1, 32)),
    *((f"0 0 * * {day}L", ("last of", day % 7)) for day in range(1, 8)),
    *((f"0 0 * * {day}#{nth}", ("nth", day, nth)) for day in range(7) for nth in range(1, 6)),
]


@pytest.mark.thorough
def test_special_days_match_the_calendar():
    # Thirteen years hold a month of each length that begins on each weekday, but for February.
    dates = [date(2020, 1, 1) + timedelta(days=n) for n in range(4_749)]
    for text, special in SPECIAL_DAYS:
        found = Schedule.parse(text).between(utc("2019-12-31T12:00"), utc("2032-12-31T12:00"), 10_000)
        assert [at.date() for at in found] == [day for day in dates if is_special(day, special)], text


def test_extra_blanks_are_ignored():
    schedule = Schedule.parse("\t 0  9\t* *  * ")
    assert schedule.text == "0  9\t* *  *"
    assert schedule.next(utc("2026-11-20T11:00")) == utc("2026-11-21T09:00")


def test_hourly_runs_in_both_passes_of_a_repeated_hour():
    schedule = Schedule.parse("@hourly", timezone="America/New_York")
    assert schedule.next(utc("2026-11-01T05:00")) == utc("2026-11-01T06:00")


def test_next_accepts_fractions_of_a_second():
    schedule = Schedule.parse("0 9 * * *")
    assert schedule.next(utc("2026-11-20T08:59:59.999999")) == utc("2026-11-20T09:00")
    assert schedule.next(utc("2026-11-20T09:00:00.000001")) == utc("2026-11-21T09:00")


def test_next_accepts_any_zone_and_returns_utc():
    eastern = datetime.fromisoformat("2026-11-20T03:59:00-05:00")
    found = Schedule.parse("0 9 * * *").next(eastern)
    assert found == utc("2026-11-20T09:00")
    assert found.tzinfo is UTC


@pytest.mark.parametrize("ask", [lambda s, t: s.next(t), lambda s, t: s.names(t), lambda s, t: s.between(t, t, 1)])
def test_naive_datetime_and_other_types_are_refused(ask):
    with pytest.raises(ValueError, match=r"no time zone; pass an aware datetime such as datetime\.now\(UTC\)"):
        ask(Schedule.parse("0 9 * * *"), datetime(2026, 11, 20))  # noqa: DTZ001 - naive is what is refused
    with pytest.raises(TypeError, match="not str"):
        ask(Schedule.parse("0 9 * * *"), "2026-11-20")


def test_names_is_true_only_for_the_exact_second():
    schedule = Schedule.parse("0 9 * * *")
    assert schedule.names(utc("2026-11-20T09:00"))
    assert not schedule.names(utc("2026-11-20T09:00:00.5"))
    assert not schedule.names(utc("2026-11-20T09:00:01"))


def test_between_excludes_its_start_and_includes_its_end():
    schedule = Schedule.parse("0 * * * *")
    found = schedule.between(utc("2026-11-20T09:00"), utc("2026-11-20T11:00"), 10)
    assert found == [utc("2026-11-20T10:00"), utc("2026-11-20T11:00")]


def test_between_stops_at_its_limit():
    schedule = Schedule.parse("*/10 * * * * *")
    found = schedule.between(utc("2026-11-20T09:00"), utc("2027-11-20T09:00"), 7)
    assert found == [utc("2026-11-20T09:00") + timedelta(seconds=10 * n) for n in range(1, 8)]
    assert schedule.between(utc("2026-11-20T09:00"), utc("2027-11-20T09:00"), 0) == []
    assert schedule.between(utc("2027-11-20T09:00"), utc("2026-11-20T09:00"), 5) == []
    with pytest.raises(ValueError, match="0 or more"):
        schedule.between(utc("2026-11-20T09:00"), utc("2027-11-20T09:00"), -1)


def test_date_forty_years_ahead_is_found():
    leap_sundays = Schedule.parse("0 0 29 2 */7")
    assert leap_sundays.next(utc("2088-02-29T00:00")) == utc("2128-02-29T00:00")


def test_next_after_the_year_9999_is_none():
    assert Schedule.parse("0 0 1 1 *").next(utc("9999-06-01T00:00")) is None
    assert Schedule.parse("0 0 1 1 *", timezone="America/New_York").next(utc("9999-06-01T00:00")) is None
    assert Schedule.parse("* * * * *", timezone="Asia/Tokyo").next(datetime.max.replace(tzinfo=UTC)) is None
    assert Schedule.parse("@every 1s").next(datetime.max.replace(tzinfo=UTC)) is None
    for zone in ("UTC", "Pacific/Kiritimati"):
        assert Schedule.parse("0 0 1 * *", timezone=zone).next(datetime.max.replace(tzinfo=UTC)) is None


@pytest.mark.parametrize(
    "text",
    [
        "* * * * * *",
        "0 9 * * *",
        "0 0 1 * *",
        "0 0 * JAN *",
        "0 0 * * MON#1",
        "cron(0 0 1 1 ? *)",
        "at(2026-01-01T00:00:00)",
        "@every 1s",
        "@after 1s",
        "@manual",
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/New_York"])
def test_last_instant_of_the_calendar_is_accepted(text, zone):
    last = datetime.max.replace(tzinfo=UTC)
    schedule = Schedule.parse(text, timezone=zone)
    assert schedule.next(last) is None
    assert schedule.between(last - timedelta(days=1), last, 5) == []
    assert not schedule.names(last.replace(microsecond=0))


def test_between_stops_before_a_gap_of_more_than_forty_years():
    far_apart = Schedule.parse("cron(0 0 1 1 ? 2027,2100)")
    assert far_apart.next(utc("2027-01-01T00:00")) is None
    assert far_apart.between(utc("2026-01-01T00:00"), utc("2199-01-01T00:00"), 9) == [utc("2027-01-01T00:00")]


def test_joined_part_beyond_forty_years_is_found_after_an_instant_of_another_part():
    joined = Schedule.parse(["cron(0 0 1 1 ? 2060)", "cron(0 0 1 1 ? 2030)"])
    both = [utc("2030-01-01T00:00"), utc("2060-01-01T00:00")]
    assert [joined.next(utc("2015-01-01T00:00")), joined.next(both[0])] == both
    assert joined.between(utc("2015-01-01T00:00"), utc("2100-01-01T00:00"), 9) == both
    assert joined.between(utc("2015-01-01T00:00"), utc("2100-01-01T00:00"), 1) == both[:1]


def test_forty_year_limit_applies_to_caught_up_times():
    owed = Schedule.parse("cron(30 2 14 3 ? 2066)", timezone="America/New_York", dialect="vixie")
    gap_ends = utc("2066-03-14T07:00")
    assert owed.next(gap_ends - timedelta(days=14_610)) == gap_ends
    assert owed.next(gap_ends - timedelta(days=14_610, seconds=1)) is None


def test_first_years_of_the_calendar_are_accepted():
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        schedule = Schedule.parse("0 0 * * MON", timezone=zone)
        found = schedule.between(datetime.min.replace(tzinfo=UTC), utc("0001-02-01T00:00"), 10)
        assert len(found) == 4


def test_decoding_and_using_a_schedule_loads_no_parser():
    stored = Schedule.parse("0 9 * * 1-5", timezone="America/New_York").encode()
    script = f"""
import sys
import minutehand.schedule
from datetime import UTC, datetime
schedule = minutehand.schedule.Schedule.decode({stored!r})
schedule.next(datetime(2026, 11, 20, tzinfo=UTC))
schedule.between(datetime(2026, 11, 20, tzinfo=UTC), datetime(2026, 12, 20, tzinfo=UTC), 5)
loaded = [name for name in ("croniter", "dateutil", "minutehand.schedule.parser", "difflib", "zoneinfo", "cron_descriptor", "minutehand.schedule.description.sentence", "minutehand.schedule.lint") if name in sys.modules]
assert not loaded, loaded
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_years_that_the_text_leaves_out_are_skipped():
    schedule = Schedule.parse("cron(0 0 1 6 ? 2030,2060)")
    assert schedule.next(utc("2026-11-20T00:00")) == utc("2030-06-01T00:00")
    assert schedule.next(utc("2030-06-01T00:00")) == utc("2060-06-01T00:00")
    assert schedule.next(utc("2060-06-01T00:00")) is None
    assert Schedule.parse("cron(0 0 29 2 ? 1970-2199)").next(utc("2097-01-01T00:00")) == utc("2104-02-29T00:00")
