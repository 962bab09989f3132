"""Warnings about valid schedules, and usual schedules without a warning."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.oracle import random_job, seeded

NEW_YORK, LONDON, LORD_HOWE = "America/New_York", "Europe/London", "Australia/Lord_Howe"
NOW = datetime(2026, 11, 20, 11, tzinfo=UTC)


def warnings_of(text, timezone="UTC", dialect=None, now=NOW, name="tests/job"):
    return Schedule.parse(text, timezone=timezone, dialect=dialect, name=name).warnings(now)


# Text, part of the message, field, the text from the column on, part of the hint.
WARNINGS = [
    ("0 0 1,15 * 5", "either day field is enough under vixie: this runs on the 1st and the 15th of the month, and also on Fridays", "day-of-month", "1,15 * 5", "join 0 0 1,15 * * and 0 0 * * 5"),
    ("0 0 1-31/2 * 1", "either day field is enough under vixie: this runs on every 2nd day", "day-of-month", "1-31/2 * 1", "join 0 0 1-31/2 * * and 0 0 * * 1"),
    ("0 0 */2 * 1", "both day fields must match under vixie: this runs on every 2nd day from the 1st to the 31st of the month, but only on Mondays", "day-of-month", "*/2 * 1", "if either is enough, join 0 0 */2 * * and 0 0 * * 1"),
    ("0 0 1-31 * 1", "day-of-month names every day, so this runs every day", "day-of-month", "1-31 * 1", "write 0 0 * * 1 to run only on Mondays"),
    ("0 0 1 * 0-6", "day-of-week names every day, so this runs every day", "day-of-week", "0-6", "write 0 0 1 * * to run only on the 1st of the month, or 0 0 * * * to run every day"),
    ("*/40 * * * *", "*/40 begins again each hour: 40 is followed by 0, 20 minutes later", "minute", "40 * * * *", "such as 20 or 30, or @every 40m"),
    ("*/7 9-17 * * *", "*/7 begins again each hour: 56 is followed by 0, 4 minutes later", "minute", "7 9-17 * * *", "such as 5 or 6"),
    ("*/7 0,23 * * *", "*/7 begins again each hour: 56 is followed by 0, 4 minutes later", "minute", "7 0,23 * * *", "such as 5 or 6"),
    ("0 */5 * * MON,TUE", "*/5 begins again each day: 20 is followed by 0, 4 hours later", "hour", "5 * * MON,TUE", "such as 4 or 6"),
    ("*/90 * * * *", "a step of 90 exceeds the field, so */90 names only 0", "minute", "90 * * * *", "write 0, or @every 90m"),
    ("10-20/30 * * * *", "10-20/30 names only 10", "minute", "30 * * * *", "write 10"),
    ("5/70 * * * *", "5/70 names only 5", "minute", "70 * * * *", "write 5"),
    ("0 */5 * * *", "*/5 begins again each day: 20 is followed by 0, 4 hours later", "hour", "5 * * *", "@every 5h"),
    ("0 0 */2 * *", "*/2 begins again each month: the 31st is followed by the 1st", "day-of-month", "2 * *", "@every 48h"),
    ("0 0 1 */5 *", "November is followed by January, 2 months later", "month", "5 *", "such as 4 or 6"),
    ("0 0 * * */2", "Saturday is followed by Sunday, 1 day later", "day-of-week", "2", "MON,WED,FRI"),
    ("0 0 * * MON-7/2", "Sunday is followed by Monday, 1 day later", "day-of-week", "2", "MON,WED,FRI"),
    ("H/7 * * * *", "H/7 begins again each hour: 59 is followed by 3, 4 minutes later", "minute", "7 * * * *", "such as 5 or 6"),
    ("H/90 * * * *", "a step of 90 is larger than the field, so H/90 is a single minute", "minute", "90 * * * *", "write H for one minute"),
    ("0 H(0-9)/20 * * *", "H(0-9)/20 is a single hour", "hour", "20 * * *", "write H(0-9) for one hour"),
    ("5/10 * * * *", "5/10 is 5, 15 and so on to 55 here; Debian's cron refuses it, and others read only 5", "minute", "10 * * * *", "write 5-59/10"),
    ("* */1 * * *", "*/1 in the hour is every hour, so this runs every minute", "minute", "* */1 * * *", "write 0 * * * * for once an hour, * * * * * for every minute"),
    ("* 9 * * *", "this runs every minute of that hour: 60 times a day", "minute", "* 9 * * *", "write 0 9 * * * for once an hour"),
    ("* 9,12 * * *", "this runs every minute of these 2 hours: 120 times a day", "minute", "* 9,12 * * *", "write 0 9,12 * * *"),
    ("cron(* 9 * * ? *)", "this runs every minute of that hour: 60 times a day", "minute", "* 9 * * ? *)", "write cron(0 9 * * ? *)"),
    ("*/10 * * * * *", "this runs 6 times a minute", "second", "*/10 * * * * *", "write 0 there for one run a minute, as in 0 * * * * *"),
    ("* 30 9 * * *", "this runs 60 times a minute", "second", "* 30 9 * * *", "as in 0 30 9 * * *"),
    ("@every 10s", "this runs 6 times a minute", "schedule", "@every 10s", "write @every 1m"),
    ("@every 45s", "this runs more than once a minute", "schedule", "@every 45s", "write @every 1m"),
    ("@after 5s", "this may run 12 times a minute, since runs may end at once", "schedule", "@after 5s", "write @after 1m"),
    ("@after 45s", "this may run more than once a minute, since runs may end at once", "schedule", "@after 45s", "write @after 1m"),
    ("0 0 31 * *", "5 months of the year have no 31st, and nothing runs then", "day-of-month", "31 * *", "write L for the last day"),
    ("0 0 1,30 * *", "February has no 30th, and nothing runs then", "day-of-month", "30 * *", "write L for the last day"),
    ("0 0 31 4,6,7 *", "April and June have no 31st", "day-of-month", "31 4,6,7 *", "write L"),
    ("0 0 31W * *", "5 months of the year have no 31st", "day-of-month", "31W * *", "write L"),
    ("0 0 29 * *", "29 February exists only in leap years", "day-of-month", "29 * *", "write L"),
    ("at(2026-01-01T09:00:00)", "this has no runs after 2026-11-20 11:00 UTC", "schedule", "at(2026-01-01T09:00:00)", "a time in the future"),
    ("cron(0 9 1 1 ? 2020)", "this has no runs after 2026-11-20 11:00 UTC", "schedule", "cron(0 9 1 1 ? 2020)", "a time in the future"),
    ("0 9 * 2 MON#5", "this does not run before 29 February 2044", "day-of-month", "* 2 MON#5", "check the day and the month"),
    ("rate(14000 days)", "this does not run before", "schedule", "rate(14000 days)", "choose an earlier time"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "field", "at", "hint"), WARNINGS)
def test_warning_has_message_field_column_and_hint(text, message, field, at, hint):
    found = [one for one in warnings_of(text) if message in one.message]
    assert len(found) == 1, warnings_of(text)
    assert found[0].field == field
    assert text[found[0].column :] == at
    assert hint in found[0].hint
    assert found[0].part is None


@pytest.mark.parametrize(
    "text",
    ["H/7 * * * *", "0 H/5 * * *", "0 0 1 H/5 *", "0 0 * * H/2", "0 0 * * H(1-7)/2", "H/7 * * * * *"],
)
def test_gap_in_a_warning_about_h_is_a_gap_between_instants(text):
    for name in (f"tests/job-{n}" for n in range(24)):
        schedule = Schedule.parse(text, name=name)
        (warning,) = (one for one in schedule.warnings(NOW) if "begins again" in one.message)
        length = warning.message.partition(", ")[2].removesuffix(" later")
        number, unit = length.split()
        least = {"minute": 60, "hour": 3600, "day": 86400, "second": 1, "month": 28 * 86400}[unit.removesuffix("s")]
        runs = schedule.between(NOW, NOW + timedelta(days=800), 200)
        gaps = {int((later - one).total_seconds()) for one, later in pairwise(runs)}
        assert any(int(number) * least <= gap <= int(number) * least * 1.11 for gap in gaps), (name, warning)


@pytest.mark.parametrize("name", ["a/b", "tests/job", "tests/other"])
def test_days_in_a_warning_about_h_are_the_days_chosen(name):
    schedule = Schedule.parse("0 0 H/7 * *", name=name)
    (warning,) = schedule.warnings(NOW)
    days = [
        run.day for run in schedule.between(datetime(2026, 12, 1, tzinfo=UTC) - timedelta(1), NOW + timedelta(40), 5)
    ]
    ordinals = {1: "1st", 2: "2nd", 3: "3rd", 22: "22nd", 23: "23rd", 31: "31st"}
    first, last = (ordinals.get(day, f"{day}th") for day in (days[0], max(days)))
    assert f"the {last} is followed by the {first}" in warning.message


def test_29_february_has_one_warning():
    (warning,) = warnings_of("0 0 29 2 *")
    assert warning.message == "29 February exists only in leap years"


@pytest.mark.parametrize("text", ["cron(0 10 L * ? 2028)", "cron(0 9 1 1 ? 2030-2032)", "at(2029-01-01T09:00:00)"])
def test_text_with_a_distant_year_has_no_warning(text):
    assert warnings_of(text) == ()


@pytest.mark.parametrize(
    "text", ["*/7 9 * * *", "*/7 9,12 * * *", "H/7 H * * *", "*/7 30 * * * *", "0 */5 * * MON", "0 */5 1,15 * *", "15/10 9 * * *"]
)  # fmt: skip
def test_uneven_step_that_never_wraps_has_no_warning(text):
    assert [one for one in warnings_of(text, dialect="robfig") if "begins again" in one.message] == []


def test_warning_about_both_day_fields_depends_on_the_dialect():
    assert "both day fields must match under vixie" in warnings_of("0 0 */2 * 1")[0].message
    assert "either day field is enough under robfig" in warnings_of("0 0 */2 * 1", dialect="robfig")[0].message


@pytest.mark.parametrize("text", ["0 3 */31 * MON", "0 3 1 * */7"])
def test_a_star_that_joins_the_day_fields_has_no_hint_to_write_its_only_value(text):
    [warning] = warnings_of(text)
    assert "both day fields must match" in warning.message


def test_open_step_has_a_warning_only_under_vixie():
    assert len(warnings_of("5/10 * * * *")) == 1
    assert warnings_of("5/10 * * * *", dialect="robfig") == ()
    assert warnings_of("cron(5/10 * * * ? *)") == ()


# Zone, text, dialect, part of the message.
CLOCKS = [
    (NEW_YORK, "30 2 * * *", "vixie", "clocks jump from 02:00 to 03:00 on 14 March 2027, over 02:30: vixie runs it at 03:00"),
    (NEW_YORK, "30 2 * * *", "robfig", "clocks jump from 02:00 to 03:00 on 14 March 2027, over 02:30: robfig skips it"),
    (NEW_YORK, "30 2 * * *", "eventbridge", "over 02:30: eventbridge skips it"),
    (NEW_YORK, "*/30 2 * * *", "vixie", "over 02:00: vixie skips it"),
    (NEW_YORK, "30 1 * * *", "vixie", "clocks go from 01:00 to 02:00 twice on 7 November 2027: vixie runs 01:30 only the first time"),
    (NEW_YORK, "30 1 * * *", "robfig", "robfig runs 01:30 both times"),
    (NEW_YORK, "30 1 * * *", "eventbridge", "eventbridge runs 01:30 only the first time"),
    (NEW_YORK, "cron(0/5 * * * ? *)", None, "eventbridge counts only the first pass, and nothing runs in the second pass, for 1 hour"),
    (NEW_YORK, "at(2027-03-14T02:30:00)", "vixie", "over 02:30: vixie runs it at 03:00"),
    (NEW_YORK, "at(2027-11-07T01:30:00)", None, "eventbridge runs 01:30 only the first time"),
    (NEW_YORK, "at(2027-11-07T01:30:00)", "robfig", "robfig runs 01:30 only the first time"),
    (LONDON, "15 1 * * *", "vixie", "Europe/London's clocks jump from 01:00 to 02:00 on 28 March 2027, over 01:15: vixie runs it at 02:00"),
    (LORD_HOWE, "15 2 * * *", "robfig", "clocks jump from 02:00 to 02:30 on 3 October 2027, over 02:15: robfig skips it"),
    (LORD_HOWE, "45 1 * * *", "robfig", "clocks go from 01:30 to 02:00 twice on 4 April 2027: robfig runs 01:45 both times"),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "text", "dialect", "message"), CLOCKS)
def test_warning_about_a_clock_change_says_what_the_dialect_does(zone, text, dialect, message):
    found = [one for one in warnings_of(text, zone, dialect) if message in one.message]
    assert len(found) == 1, warnings_of(text, zone, dialect)
    assert found[0].message.startswith(zone)
    assert found[0].field == ("schedule" if text.startswith("at(") else "hour")


def test_warning_about_a_clock_change_matches_the_instants():
    for text, dialect in [
        ("30 2 * * *", "vixie"),
        ("30 2 * * *", "robfig"),
        ("30 1 * * *", "vixie"),
        ("30 1 * * *", "robfig"),
    ]:
        schedule = Schedule.parse(text, timezone=NEW_YORK, dialect=dialect)
        (warning,) = schedule.warnings(NOW)
        day = (
            datetime(2027, 3, 14, 5, tzinfo=UTC) if "jump" in warning.message else datetime(2027, 11, 7, 4, tzinfo=UTC)
        )
        runs = len(schedule.between(day, day + timedelta(hours=20), 9))
        assert runs == (0 if "skips" in warning.message else 2 if "both" in warning.message else 1), warning.message


def test_warning_about_a_change_across_midnight_has_both_dates():
    (warning,) = warnings_of("0 12 * * *", "Pacific/Apia", now=datetime(2011, 11, 1, tzinfo=UTC))
    jump = "from 00:00 on 30 December 2011 to 00:00 on 31 December 2011"
    assert warning.message == f"Pacific/Apia's clocks jump {jump}, over 12:00: vixie skips it"
    assert warning.hint == "choose another day than 30 December 2011 if that matters, or the time zone UTC"
    (warning,) = warnings_of("30 23 * * *", "America/Asuncion", now=datetime(2023, 11, 1, tzinfo=UTC))
    passes = "from 23:00 on 23 March 2024 to 00:00 on 24 March 2024 twice"
    assert warning.message.startswith(f"America/Asuncion's clocks go {passes}: vixie runs 23:30 only the first time")
    assert "outside 23:00 to 00:00" in warning.hint


def test_clock_change_on_other_days_has_no_warning():
    assert warnings_of("30 2 * * MON", NEW_YORK) == ()
    assert warnings_of("30 2 1 * *", NEW_YORK) == ()


def test_an_hour_that_h_chose_has_no_warning_about_a_clock_change():
    for n in range(60):
        for text in ("H H * * *", "15 H(0-3) * * *"):
            assert not [each for each in warnings_of(text, NEW_YORK, name=f"ops/job-{n}") if "clocks" in each.message]
    assert [each for each in warnings_of("H 2 * * *", NEW_YORK) if "clocks jump" in each.message]


def test_zone_in_the_text_that_overrides_the_given_one_has_a_warning():
    schedule = Schedule.parse("CRON_TZ=Asia/Tokyo 0 9 * * *", timezone=NEW_YORK)
    (warning,) = schedule.warnings(NOW, timezone=NEW_YORK)
    assert (warning.field, warning.column) == ("timezone", 8)
    assert warning.message == "this time zone overrides America/New_York, which is given separately"
    assert schedule.warnings(NOW, timezone="Asia/Tokyo") == schedule.warnings(NOW) == ()


def test_column_counts_from_the_start_of_the_text():
    text = "CRON_TZ=Asia/Tokyo   */40 * * * *"
    (warning,) = warnings_of(text)
    assert text[warning.column :] == "40 * * * *"


def test_warning_about_joined_texts_has_the_number_of_the_text():
    first, second = warnings_of(["0 9 * * *", "* 9 * * *", "0  9 * * *"])
    assert (first.part, first.field) == (1, "minute")
    assert (second.part, second.message) == (
        2,
        "this is the same as schedule 1; an instant that both name runs once",
    )


def test_naive_now_is_refused():
    with pytest.raises(ValueError, match="no time zone"):
        warnings_of("0 9 * * *", now=datetime(2026, 11, 20))  # noqa: DTZ001 - naive is what is refused


def test_a_schedule_has_at_most_ten_warnings():
    assert len(warnings_of([f"*/7 */5 */2 */5 {n}" for n in range(7)], NEW_YORK)) == 10


def test_decoded_schedule_has_the_same_warnings():
    for text, *_ in WARNINGS:
        schedule = Schedule.parse(text, name="tests/job")
        assert Schedule.decode(schedule.encode()).warnings(NOW) == schedule.warnings(NOW)


def test_random_warnings_have_a_column_within_the_text_and_a_hint():
    random = seeded(5)
    for _ in range(400):
        job = random_job(random, with_seconds=random.random() < 0.3)
        try:
            schedule = Schedule.parse(job.text, timezone=NEW_YORK)
        except ScheduleError:  # a date that does not exist
            continue
        for warning in schedule.warnings(NOW):
            assert 0 <= warning.column < len(job.text)
            assert warning.message
            assert warning.hint
            assert "." not in warning.message[-1:]


USUAL = [
    "* * * * *", "*/1 * * * *", "*/2 * * * *", "*/5 * * * *", "*/10 * * * *", "*/15 * * * *", "*/30 * * * *", "*/60 * * * *", "0,30 * * * *", "0 * * * *", "5 * * * *",
    "0 */2 * * *", "0 */6 * * *", "0 */12 * * *", "30 */4 * * *", "0 9 * * *", "0 9,17 * * *", "30 9 * * MON-FRI", "0 9-17 * * 1-5", "*/15 9-17 * * 1-5",
    "* 9-17 * * 1-5", "0 9-17/2 * * *", "10-50/20 * * * *", "0 0 * * *", "0 0 * * 0", "0 0 * * 7", "0 0 1 * *", "0 0 1,15 * *", "0 0 L * *", "0 0 LW * *", "0 0 15W * *",
    "0 0 1 1 *", "0 0 1 */3 *", "0 0 1 JAN,JUL *", "0 0 1-7 * *", "0 0 25-31 * *", "0 9 * * MON#1", "0 9 * * 5L", "0 9 ? * MON", "0 9 1 * ?", "H H * * *", "H/15 * * * *", "H H(0-6) * * *", "H H H * *",
    "0 30 9 * * *", "15 30 9 * * *", "0 */5 * * * *", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@every 1m", "@every 90s", "@every 36h", "@after 10m", "@manual",
    "rate(1 minute)", "rate(5 minutes)", "rate(1 day)", "cron(0 10 * * ? *)", "cron(0/15 * * * ? *)", "cron(0 18 ? * MON-FRI *)", "cron(0 8 1 * ? *)", "cron(15 10 ? * 6L 2026-2030)", "at(2026-12-01T09:00:00)",
]  # fmt: skip


@pytest.mark.parametrize("text", USUAL)
def test_usual_texts_have_no_warning(text):
    assert warnings_of(text) == ()


@pytest.mark.parametrize(
    "text", ["*/5 * * * *", "0 * * * *", "@hourly", "0 */2 * * *", "0 9 * * MON-FRI", "0 0 * * *", "@daily", "0 9-17 * * *", "rate(5 minutes)", "cron(0 9 * * ? *)"]
)  # fmt: skip
@pytest.mark.parametrize("zone", [NEW_YORK, LONDON, LORD_HOWE])
def test_clock_changes_that_do_not_matter_have_no_warning(text, zone):
    assert warnings_of(text, zone) == ()
