"""Descriptions of schedules in one English sentence."""

from calendar import monthrange
from datetime import UTC, datetime
from functools import cache
from itertools import product

import pytest
from cron_descriptor import ExpressionDescriptor, Options

from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.days import day_number
from minutehand.schedule.description.sentence import zone_words
from minutehand.schedule.zones import zone_names
from tests.unit.schedule.oracle import random_job, seeded

NEW_YORK, KOLKATA = "America/New_York", "Asia/Kolkata"

SENTENCES = [
    ("0 9 * * *", "UTC", None, "At 09:00 every day, UTC"),
    ("30 9,17 * * *", "UTC", None, "At 09:30 and 17:30 every day, UTC"),
    ("0 9 * * MON-FRI", "UTC", None, "At 09:00 on weekdays, UTC"),
    ("0 9 * * 1-5", "UTC", None, "At 09:00 on weekdays, UTC"),
    ("0 9 * * SAT,SUN", "UTC", None, "At 09:00 at weekends, UTC"),
    ("0 9 * * 1", "UTC", None, "At 09:00 on Mondays, UTC"),
    ("0 9 * * 1,3,5", "UTC", None, "At 09:00 on Mondays, Wednesdays and Fridays, UTC"),
    ("0 9 * * 2-6", "UTC", None, "At 09:00 on Tuesdays to Saturdays, UTC"),
    ("0 9 * * 1-6", "UTC", None, "At 09:00 on Mondays to Saturdays, UTC"),
    ("0 9 * * 0,1,2,4,5,6", "UTC", None, "At 09:00 on all days except Wednesdays, UTC"),
    ("0 9 * * 7", "UTC", None, "At 09:00 on Sundays, UTC"),
    ("* * * * *", "UTC", None, "Every minute"),
    ("*/5 * * * *", "UTC", None, "Every 5 minutes"),
    ("0-59/5 * * * *", "UTC", None, "Every 5 minutes"),
    ("*/40 * * * *", "UTC", None, "At 0 and 40 minutes past the hour"),
    ("*/90 * * * *", "UTC", None, "Every hour"),
    ("*/7 * * * *", "UTC", None, "Every 7 minutes from 0 to 56 minutes past the hour"),
    ("5/10 * * * *", "UTC", None, "Every 10 minutes from 5 to 55 minutes past the hour"),
    ("1 * * * *", "UTC", None, "At 1 minute past the hour"),
    ("15 * * * *", "UTC", None, "At 15 minutes past the hour"),
    ("0,30 * * * *", "UTC", None, "Every 30 minutes"),
    ("10-20 * * * *", "UTC", None, "Every minute from 10 to 20 minutes past the hour"),
    ("0 * * * *", "UTC", None, "Every hour"),
    ("0 */2 * * *", "UTC", None, "Every 2 hours, UTC"),
    ("0 */8 * * *", "UTC", None, "At 00:00, 08:00 and 16:00 every day, UTC"),
    ("30 */2 * * *", "UTC", None, "Every 2 hours from 00:30 to 22:30, UTC"),
    ("0 1-23/2 * * *", "UTC", None, "Every 2 hours from 01:00 to 23:00, UTC"),
    ("0 9-17 * * *", "UTC", None, "Every hour from 09:00 to 17:00, UTC"),
    ("* 9 * * *", "UTC", None, "Every minute, between 09:00 and 09:59, UTC"),
    ("* */1 * * *", "UTC", None, "Every minute"),
    ("* */2 * * *", "UTC", None, "Every minute, in every 2nd hour from 00:00 to 22:59, UTC"),
    ("*/15 9-17 * * MON-FRI", "UTC", None, "Every 15 minutes, between 09:00 and 17:59, on weekdays, UTC"),
    ("*/10 9-11,14-16 * * *", "UTC", None, "Every 10 minutes, between 09:00 and 11:59 and between 14:00 and 16:59, UTC"),
    ("*/15 9 * * *", "UTC", None, "Every 15 minutes, between 09:00 and 09:59, UTC"),
    ("0-10 9 * * *", "UTC", None, "Every minute from 09:00 to 09:10, UTC"),
    ("0,7 9-17 * * *", "UTC", None, "At 0 and 7 minutes past the hour, between 09:00 and 17:59, UTC"),
    ("*/10 1,3,7,10,17 * * *", "UTC", None, "Every 10 minutes, in the hours that begin at 01:00, 03:00, 07:00, 10:00 and 17:00, UTC"),
    ("0 0 1 * *", "UTC", None, "At 00:00 on the 1st of the month, UTC"),
    ("0 0 1,15 * *", "UTC", None, "At 00:00 on the 1st and the 15th of the month, UTC"),
    ("0 0 28-31 * *", "UTC", None, "At 00:00 on the 28th to 31st of the month, UTC"),
    ("0 0 31 * *", "UTC", None, "At 00:00 on the 31st of the month, UTC"),
    ("0 0 */2 * *", "UTC", None, "At 00:00 on every 2nd day from the 1st to the 31st of the month, UTC"),
    ("0 0 L * *", "UTC", None, "At 00:00 on the last day of the month, UTC"),
    ("0 0 LW * *", "UTC", None, "At 00:00 on the last weekday of the month, UTC"),
    ("0 0 15W * *", "UTC", None, "At 00:00 on the weekday nearest the 15th of the month, UTC"),
    ("0 0 1,15W,L * *", "UTC", None, "At 00:00 on the 1st, the last day and the weekday nearest the 15th of the month, UTC"),
    ("0 9 * * MON#1", "UTC", None, "At 09:00 on the first Monday of the month, UTC"),
    ("0 9 * * MON#1,MON#3", "UTC", None, "At 09:00 on the first Monday and the third Monday of the month, UTC"),
    ("0 9 * * 5L", "UTC", None, "At 09:00 on the last Friday of the month, UTC"),
    ("0 9 * * MON,5L", "UTC", None, "At 09:00 on Mondays and on the last Friday of the month, UTC"),
    ("0 0 1 1 *", "UTC", None, "At 00:00 on 1 January, UTC"),
    ("0 0 29 2 *", "UTC", None, "At 00:00 on 29 February, UTC"),
    ("0 0 1 */3 *", "UTC", None, "At 00:00 on the 1st of every 3rd month from January to October, UTC"),
    ("0 0 1 */2 *", "UTC", None, "At 00:00 on the 1st of every 2nd month from January to November, UTC"),
    ("0 9 * 4-9 *", "UTC", None, "At 09:00 every day in every month from April to September, UTC"),
    ("0 9 * JAN,JUL MON", "UTC", None, "At 09:00 on Mondays in January and July, UTC"),
    ("0 0 5 1,6 *", "UTC", None, "At 00:00 on the 5th of January and June, UTC"),
    ("*/15 * * DEC *", "UTC", None, "Every 15 minutes in December, UTC"),
    ("0 0 1,15 * 5", "UTC", None, "At 00:00 on the 1st and the 15th of the month, and also on Fridays, UTC"),
    ("0 0 */2 * 1", "UTC", None, "At 00:00 on every 2nd day from the 1st to the 31st of the month, but only on Mondays, UTC"),
    ("0 0 1-7 * 1", "UTC", None, "At 00:00 on the 1st to 7th of the month, and also on Mondays, UTC"),
    ("0 0 1-31 * 1", "UTC", None, "At 00:00 every day, UTC"),
    ("0 0 L * 5L", "UTC", None, "At 00:00 on the last day of the month, and also on the last Friday of the month, UTC"),
    ("@daily", "UTC", None, "At 00:00 every day, UTC"),
    ("@hourly", "UTC", None, "Every hour"),
    ("@weekly", "UTC", None, "At 00:00 on Sundays, UTC"),
    ("@monthly", "UTC", None, "At 00:00 on the 1st of the month, UTC"),
    ("@yearly", "UTC", None, "At 00:00 on 1 January, UTC"),
    ("15 30 9 * * *", "UTC", None, "At 09:30:15 every day, UTC"),
    ("*/10 * * * * *", "UTC", None, "Every 10 seconds"),
    ("0,30 * * * * *", "UTC", None, "Every 30 seconds"),
    ("* * * * * *", "UTC", None, "Every second"),
    ("0 */5 * * * *", "UTC", None, "Every 5 minutes"),
    ("30 */5 * * * *", "UTC", None, "Every 5 minutes, at 30 seconds past the minute"),
    ("*/10 * 9-17 * * *", "UTC", None, "Every 10 seconds, between 09:00 and 17:59, UTC"),
    ("* 30 9 * * *", "UTC", None, "Every second for a minute, at 09:30, UTC"),
    ("5,20 0 9 * * *", "UTC", None, "At 5 and 20 seconds of a single minute, at 09:00, UTC"),
    ("30 0 * * * *", "UTC", None, "At 0 minutes and 30 seconds past the hour"),
    ("cron(0 10 * * ? *)", "UTC", None, "At 10:00 every day, UTC"),
    ("cron(0 10 ? * MON-FRI *)", "UTC", None, "At 10:00 on weekdays, UTC"),
    ("cron(0 10 ? * 1 *)", "UTC", None, "At 10:00 on Sundays, UTC"),
    ("cron(0 10 ? * L *)", "UTC", None, "At 10:00 on Saturdays, UTC"),
    ("cron(0 10 1 1 ? 2027)", "UTC", None, "At 10:00 on 1 January 2027, UTC"),
    ("cron(0 10 ? * 2#1 2026-2028)", "UTC", None, "At 10:00 on the first Monday of the month, from 2026 to 2028, UTC"),
    ("cron(0 22-2 * * ? *)", "UTC", None, "At 00:00, 01:00, 02:00, 22:00 and 23:00 every day, UTC"),
    ("cron(0/10 * ? * FRI-MON *)", "UTC", None, "Every 10 minutes on Mondays, Fridays, Saturdays and Sundays, UTC"),
    ("cron(0 12 L * ? 2026,2028)", "UTC", None, "At 12:00 on the last day of the month, in 2026 and 2028, UTC"),
    ("rate(5 minutes)", "UTC", None, "Every 5 minutes"),
    ("rate(1 hour)", "UTC", None, "Every hour"),
    ("rate(1 day)", "UTC", None, "Every day, counted from 00:00 UTC"),
    ("rate(7 days)", "UTC", None, "Every 7 days, counted from 1970-01-01 00:00 UTC"),
    ("@every 90s", "UTC", None, "Every 90 seconds"),
    ("@every 100m", "UTC", None, "Every 100 minutes, counted from 1970-01-01 00:00 UTC"),
    ("@every 1h30m", "UTC", None, "Every 90 minutes, counted from 00:00 UTC"),
    ("@every 25h", "UTC", None, "Every 25 hours, counted from 1970-01-01 00:00 UTC"),
    ("@every 1m", "UTC", None, "Every minute"),
    ("@every 1s", "UTC", None, "Every second"),
    ("@every 24h1m", "UTC", None, "Every 1 day and 1 minute, counted from 1970-01-01 00:00 UTC"),
    ("at(2026-12-01T09:00:00)", "UTC", None, "Once, at 09:00 on 1 December 2026, UTC"),
    ("@after 10m", "UTC", None, "10 minutes after the last run has ended"),
    ("@after 90s", "UTC", None, "90 seconds after the last run has ended"),
    ("@after 1h", "UTC", None, "1 hour after the last run has ended"),
    ("@manual", "UTC", None, "Only when asked"),
    ("0 9 * * MON-FRI", NEW_YORK, None, "At 09:00 on weekdays, New York time"),
    ("*/5 * * * *", NEW_YORK, None, "Every 5 minutes"),
    ("0 * * * *", NEW_YORK, None, "Every hour"),
    ("0 * * * *", KOLKATA, None, "Every hour, Kolkata time"),
    ("@every 1h", KOLKATA, None, "Every hour, counted from 00:00 UTC"),
    ("cron(0 * * * ? *)", NEW_YORK, None, "Every hour, New York time"),
    ("rate(1 hour)", NEW_YORK, None, "Every hour"),
    ("at(2026-12-01T09:00:00)", "Asia/Tokyo", None, "Once, at 09:00 on 1 December 2026, Tokyo time"),
    ("CRON_TZ=Asia/Tokyo 0 9 * * *", NEW_YORK, None, "At 09:00 every day, Tokyo time"),
    ("0 0 */2 * 1", "UTC", "robfig", "At 00:00 on every 2nd day from the 1st to the 31st of the month, and also on Mondays, UTC"),
    ("0,15,30,45 1-5 * * *", NEW_YORK, None, "Every 15 minutes, between 01:00 and 05:59, as fixed times when the clocks change, New York time"),
    ("0,15,30,45 9-17 * * *", NEW_YORK, None, "Every 15 minutes, between 09:00 and 17:59, New York time"),
    ("*/60 2 * * *", NEW_YORK, None, "At 02:00 every day, following the clock when it changes, New York time"),
    ("*/60 2 * * *", NEW_YORK, "robfig", "At 02:00 every day, New York time"),
    ("0 9 * * *", "Etc/GMT+5", None, "At 09:00 every day, UTC-05:00"),
    ("0 9 * * *", "Etc/UTC", None, "At 09:00 every day, UTC"),
    ("0 9 * * *", "America/Indiana/Knox", None, "At 09:00 every day, Knox (Indiana) time"),
    ("0 9 * * *", "America/Argentina/Buenos_Aires", None, "At 09:00 every day, Buenos Aires time"),
    ("0 9 * * *", "US/Eastern", None, "At 09:00 every day, US Eastern time"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "timezone", "dialect", "sentence"), SENTENCES)
def test_description_of_a_schedule(text, timezone, dialect, sentence):
    assert Schedule.parse(text, timezone=timezone, dialect=dialect).describe() == sentence


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["0 9 * * 1-5", "0 12 * * 6,0"], "At 09:00 on weekdays; and at 12:00 at weekends, New York time"),
        (["0 9 * * 1-5", "@every 1h"], "At 09:00 on weekdays, New York time; and every hour"),
        (
            ["0 9 * * *", "CRON_TZ=Asia/Tokyo 0 9 * * *", "at(2026-12-01T09:00:00)"],
            "At 09:00 every day, New York time; and at 09:00 every day, Tokyo time; and once, at 09:00 on 1 December 2026, New York time",
        ),
    ],
)
def test_joined_schedules_are_one_sentence_with_a_common_time_zone_at_the_end(texts, sentence):
    assert Schedule.parse(texts, timezone=NEW_YORK).describe() == sentence


def test_description_of_h_shows_the_chosen_values():
    schedule = Schedule.parse("H H * * *", name="reports/morning")
    chosen = schedule.next(datetime(2026, 11, 20, tzinfo=UTC))
    assert schedule.describe() == f"At {chosen:%H:%M} every day, UTC"


def test_description_of_an_interval_shows_an_anchor_that_matters():
    def described(text, anchor):
        return Schedule.parse(text, anchor=anchor).describe()

    assert described("@every 1h", datetime(2026, 11, 20, 9, 7, tzinfo=UTC)) == "Every hour, counted from 00:07 UTC"
    assert described("@every 1h", datetime(2026, 11, 20, 9, tzinfo=UTC)) == "Every hour"
    assert (
        described("@every 36h", datetime(2026, 11, 20, 9, tzinfo=UTC))
        == "Every 36 hours, counted from 2026-11-20 09:00 UTC"
    )


def test_decoded_schedule_has_the_same_description():
    for text, timezone, dialect, _ in SENTENCES:
        schedule = Schedule.parse(text, timezone=timezone, dialect=dialect)
        assert Schedule.decode(schedule.encode()).describe() == schedule.describe()


def test_every_time_zone_has_a_readable_name():
    for name in zone_names():
        described = zone_words(name)
        assert described == "UTC" or described.startswith(("UTC+", "UTC-")) or described.endswith(" time")
        assert "_" not in described
        assert "/" not in described


MINUTES = [
    "*",
    "*/5",
    "*/7",
    "*/40",
    "0",
    "30",
    "0,30",
    "5-55/10",
    "5/10",
    "1-59/2",
    "10-20",
    "0,7,9",
    "*/60",
    "0-59/5",
]
HOURS = [
    "*",
    "*/2",
    "1-23/2",
    "*/8",
    "9",
    "9-17",
    "9,17",
    "0-4",
    "0,2,4",
    "1,2",
    "22-23,0-2",
    "*/24",
    "2",
    "1-3/2",
    "0-23",
]
DAYS = [
    "*",
    "1",
    "1,15",
    "1-7",
    "*/2",
    "1-31/2",
    "L",
    "LW",
    "15W",
    "1,L",
    "31",
    "28-31",
    "2-30/2",
    "1-31",
    "L,15W",
    "*/1,L",
]
MONTHS = ["*", "1", "1,7", "*/3", "4-9", "JAN-DEC/2", "2-12/2"]
WEEKDAYS = ["*", "1", "1-5", "6,0", "MON#1", "5L", "MON,5L", "MON#1,MON#3", "2-6", "*/2", "0-6", "1-6", "0-7/7"]
# In the third, eventbridge, day fields join as in robfig.
DIALECTS = ("vixie", "robfig")


@cache
def shapes_of_months():
    """Year, month and first day number of a month of each length that starts on each weekday."""
    found = {}
    for year, month in product(range(2000, 2030), range(1, 13)):
        first, length = day_number(year, month, 1), monthrange(year, month)[1]
        found.setdefault(((first + 4) % 7, length), (year, month, first))
    assert len(found) == 28
    return tuple(found.values())


def meaning(schedule):
    """What a crontab names, taken apart without words: times, days of every shape of month, and what a clock change does."""
    timing = schedule.parts[0].timing
    days = tuple(timing._days_of_month(*shape) for shape in shapes_of_months())
    # New York's clocks show 01:00 to 02:00 twice and jump over 02:00 to 03:00.
    follows = timing.repeats if schedule.dialect == "vixie" and timing.hours & 0b110 else None
    return timing.seconds, timing.minutes, timing.hours, timing.months, timing.years, days, follows


def assert_words_tell_meanings_apart(texts):
    meanings = {}
    for text, dialect in texts:
        try:
            schedule = Schedule.parse(text, timezone=NEW_YORK, dialect=dialect)
        except ScheduleError:  # a date that does not exist
            continue
        described, meant = schedule.describe(), meaning(schedule)
        other, before = meanings.setdefault((described, dialect), (text, meant))
        assert before == meant, f"{other} and {text} are both described as {described}"
    return len(meanings)


@pytest.mark.thorough
def test_different_times_have_different_descriptions():
    texts = [f"{minute} {hour} * * *" for minute, hour in product(MINUTES, HOURS)]
    texts += [
        f"{second} {minute} {hour} * * *"
        for second in ("30", "*", "*/10", "*/7", "5,20")
        for minute in MINUTES[::2]
        for hour in HOURS[::2]
    ]
    assert assert_words_tell_meanings_apart((text, "vixie") for text in texts) > 300


@pytest.mark.thorough
def test_different_days_have_different_descriptions():
    fields = product(DAYS, MONTHS, WEEKDAYS)
    texts = [(f"0 9 {day} {month} {weekday}", dialect) for day, month, weekday in fields for dialect in DIALECTS]
    assert assert_words_tell_meanings_apart(texts) > 1500


def test_different_years_have_different_descriptions():
    years = ["*", "2027", "2027,2028", "2027-2029", "2027-2035/2", "2027,2029,2030"]
    texts = [f"cron(0 9 {days} {year})" for days in ("1 1 ?", "1,2 1 ?", "? * MON", "* * ?", "* 1 ?") for year in years]
    assert assert_words_tell_meanings_apart((text, "eventbridge") for text in texts) == len(texts)


@pytest.mark.thorough
def test_different_random_schedules_have_different_descriptions():
    random = seeded(11)
    texts = [(random_job(random, with_seconds=random.random() < 0.3).text, "vixie") for _ in range(1000)]
    assert assert_words_tell_meanings_apart(texts) > 800


@pytest.mark.thorough
def test_different_periods_have_different_descriptions():
    described = {}
    for seconds in [*range(1, 3700), *range(3700, 200_000, 61)]:
        words = Schedule.parse(f"@every {seconds}s").describe()
        assert described.setdefault(words, seconds) == seconds


def test_description_starts_with_a_capital_and_has_no_full_stop():
    for text, timezone, dialect, _ in SENTENCES:
        described = Schedule.parse(text, timezone=timezone, dialect=dialect).describe()
        assert described[0].isupper() or described[0].isdigit()
        assert not described.endswith(".")
        assert "  " not in described
        assert ",," not in described


@pytest.mark.parametrize(
    ("expression", "wrong", "because"),
    [
        ("*/40 * * * *", "Every 40 minutes", "it is 0 and 40, and 20 minutes later 0 again"),
        ("*/90 * * * *", "Every 90 minutes", "it is every hour"),
        ("0 0 */2 * 1", "At 00:00, every 2 days, or on Monday", "a day field that starts with * makes cron want both"),
        ("* 9,12 * * *", "Every minute, at 09:00 and 12:00", "it is all of these hours"),
        ("1 * * * *", "At 1 minutes past the hour", "it is one minute"),
        ("0 0 1,15W * *", "At 00:00, on day 1 and 15W of the month", "it is the weekday nearest the 15th"),
        ("0 9 ? * 1 *", "At 09:00, only on Monday", "in cron(…) 1 is Sunday"),
    ],
)
def test_known_errors_of_cron_descriptor_are_not_shared(expression, wrong, because):
    options = Options(locale_code="en_US", use_24hour_time_format=True)
    assert ExpressionDescriptor(expression, options).get_description() == wrong, because
    if len(expression.split()) == 5:
        assert not Schedule.parse(expression).describe().startswith(wrong)
