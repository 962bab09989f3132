"""Random crontabs compared with cronsim, another implementation of Debian's cron; ERRORS lists what cronsim gets wrong."""

import re
from datetime import UTC, timedelta
from itertools import takewhile

import pytest
from cronsim import CronSim

from minutehand.schedule import Schedule
from tests.unit.schedule.oracle import never_runs, random_job, seeded, utc, zone

SPAN = timedelta(hours=72)
# Clocks that move by whole hours, on the hour, not onto midnight, and by less than three hours.
PLAIN = [
    ("America/New_York", "2026-03-08T07:00"),
    ("America/New_York", "2026-11-01T06:00"),
    ("Europe/London", "2026-10-25T01:00"),
    ("America/Sao_Paulo", "2018-02-18T02:00"),
    ("Africa/Casablanca", "2026-02-15T02:00"),
    ("Africa/Casablanca", "2026-03-22T02:00"),
    ("Europe/Dublin", "2026-03-29T01:00"),
    ("Europe/Dublin", "2026-10-25T01:00"),
    ("Antarctica/Troll", "2026-03-29T01:00"),
    ("Antarctica/Troll", "2026-10-25T01:00"),
    ("America/Asuncion", "2024-03-24T03:00"),
    ("America/Havana", "2026-11-01T05:00"),
    ("Asia/Kolkata", "2026-06-01T00:00"),
]
# Here cronsim is right only about fixed times: for starred fields it steps by whole hours and days.
FOR_FIXED_TIMES = [
    ("Australia/Lord_Howe", "2018-10-06T15:30"),
    ("Australia/Lord_Howe", "2026-04-04T15:00"),
    ("Australia/Lord_Howe", "2026-10-03T15:30"),
    ("America/Asuncion", "2018-10-07T04:00"),
    ("America/Caracas", "2016-05-01T07:00"),
    ("America/Sao_Paulo", "2018-11-04T03:00"),
    ("Asia/Beirut", "2026-03-28T22:00"),
    ("Asia/Pyongyang", "2018-05-04T15:00"),
    ("Pacific/Chatham", "2026-09-26T14:00"),
]


def is_read_wrongly(job):
    """`4-4/2`, `5-5` with a step, is read as 5/2; weekday steps without an end run to 7, which is Sunday again."""
    spans = [re.fullmatch(r"(\d+)-(\d+)/\d+", item) for text in job.written for item in text.split(",")]
    weekdays = job.written[5].split(",")
    # `*` is 0 to 7 there, so that a step over it may count Sunday twice.
    return any(span and span[1] == span[2] for span in spans) or any(
        "/" in item and "-" not in item for item in weekdays
    )


def theirs(text, start, name, until):
    found = (at.astimezone(UTC) for at in CronSim(text, start.astimezone(zone(name))))
    return list(takewhile(lambda at: at <= until, found))


def jobs(random, **kinds):
    while True:
        job = random_job(random, **kinds)
        if not is_read_wrongly(job) and not never_runs(job, "vixie"):
            yield job


@pytest.mark.thorough
@pytest.mark.parametrize("changes", [PLAIN, PLAIN + FOR_FIXED_TIMES], ids=["followed", "fixed"])
def test_random_crontabs_around_clock_changes_match_cronsim(changes):
    random = seeded(20261120)
    fixed = len(changes) > len(PLAIN)
    for name, change in changes:
        drawn = (job for job in jobs(random) if job.follows_the_clock != fixed)
        start = utc(change) - SPAN / 2
        for job, _ in zip(drawn, range(6), strict=False):
            # A small number, because cronsim steps minute by minute.
            expected = theirs(job.text, start, name, start + SPAN)
            assert Schedule.parse(job.text, timezone=name).between(start, start + SPAN, 10_000) == expected, (
                f"{job.text!r} in {name}"
            )


@pytest.mark.thorough
def test_random_crontabs_without_clock_changes_match_cronsim():
    random, drawn = seeded(4), jobs(seeded(5))
    for _ in range(150):
        name = random.choice(PLAIN)[0]
        start = utc("2000-01-01T12:00") + timedelta(minutes=random.randrange(40 * 525_960))
        job, at = next(drawn), start
        iterator = CronSim(job.text, start.astimezone(zone(name)))
        for _ in range(3):
            at = Schedule.parse(job.text, timezone=name).next(at)
            assert at == next(iterator).astimezone(UTC), f"{job.text!r} in {name} after {start}"


@pytest.mark.thorough
def test_random_crontabs_with_seconds_and_special_days_match_cronsim():
    random = seeded(6)
    drawn = (
        job for job in jobs(random, with_seconds=True, specials=True)
        # cronsim supports neither nW nor ?, and dL only with a number.
        if "?" not in job.text and "W" not in job.text.replace("LW", "").replace("Wed", "").upper().replace("WED", "")
        and not re.search(r"[A-Za-z]{3}L", job.text)
    )  # fmt: skip
    for job, _ in zip(drawn, range(150), strict=False):
        start = utc("2026-11-20T11:00") + timedelta(minutes=random.randrange(5_000_000))
        iterator, at = CronSim(job.text, start), start
        for _ in range(4):
            at = Schedule.parse(job.text).next(at)
            assert at == next(iterator), f"{job.text!r} after {start}"


# One row for each kind of text or change left out above: the local time at our instant, and our instant.
ERRORS = [
    ("a followed job after half an hour is skipped: hour 11 is passed over", "*/12 */11 * * *", "Australia/Lord_Howe", "2018-10-06T14:30", "2018-10-07T11:00", "2018-10-07T00:00"),
    ("and after half an hour is repeated", "22 */12 * * *", "Australia/Lord_Howe", "2026-04-04T14:00", "2026-04-05T12:22", "2026-04-05T01:52"),
    ("a followed job after a midnight that was skipped: 00:00 is answered as if it were shown", "* */2 * * SUN", "America/Asuncion", "2018-10-06T12:00", "2018-10-07T02:00", "2018-10-07T05:00"),
    ("a change at 02:45 lets it pass over the hour's end", "* 2,4 * * *", "Pacific/Chatham", "2026-09-26T13:59", "2026-09-27T04:00", "2026-09-26T14:15"),
    ("a jump of a day is caught up, where cron(8) takes three hours and more for a correction", "0 12 30 12 *", "Pacific/Apia", "2011-12-29T00:00", "2012-12-30T12:00", "2012-12-29T22:00"),
    ("one value with a step is read as running on", "5-5/20 * * * *", "UTC", "2026-11-20T11:10", "2026-11-20T12:05", "2026-11-20T12:05"),
    ("a weekday with a step runs on to Sunday", "0 0 * * 1/3", "UTC", "2026-11-20T11:00", "2026-11-23T00:00", "2026-11-23T00:00"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "after", "wall", "instant"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS]
)
def test_known_errors_of_cronsim_are_not_shared(text, name, after, wall, instant):
    found = Schedule.parse(text, timezone=name).next(utc(after))
    assert found == utc(instant)
    assert f"{found.astimezone(zone(name)):%Y-%m-%dT%H:%M}" == wall
    assert next(CronSim(text, utc(after).astimezone(zone(name)))).astimezone(UTC) != found
