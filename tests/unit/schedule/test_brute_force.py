"""Random expressions around the clock changes of many zones, against cron acted out minute by minute."""

from datetime import timedelta

import pytest

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.oracle import act_out, never_comes, random_job, seeded, utc, wall_clock

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
CHANGES = [
    ("America/New_York", "2026-03-08T07:00"),
    ("America/New_York", "2026-11-01T06:00"),
    ("Europe/London", "2026-10-25T01:00"),
    ("Australia/Lord_Howe", "2026-10-03T15:30"),
    ("Australia/Lord_Howe", "2026-04-04T15:00"),
    ("America/Sao_Paulo", "2018-11-04T03:00"),
    ("America/Sao_Paulo", "2018-02-18T02:00"),
    ("Pacific/Apia", "2011-12-30T10:00"),
    ("Africa/Casablanca", "2026-02-15T02:00"),
    ("Africa/Casablanca", "2026-03-22T02:00"),
    ("Europe/Dublin", "2026-03-29T01:00"),
    ("Europe/Dublin", "2026-10-25T01:00"),
    ("Antarctica/Troll", "2026-03-29T01:00"),
    ("Antarctica/Troll", "2026-10-25T01:00"),
    ("America/Asuncion", "2024-03-24T03:00"),
    ("Antarctica/Casey", "2009-10-17T18:00"),
    ("America/Caracas", "2016-05-01T07:00"),
    ("Asia/Pyongyang", "2018-05-04T15:00"),
    ("Asia/Beirut", "2026-03-28T22:00"),
    ("America/Havana", "2026-11-01T05:00"),
    ("Pacific/Chatham", "2026-09-26T14:00"),
    ("Asia/Kolkata", "2026-06-01T00:00"),
    ("Pacific/Kwajalein", "1993-08-21T12:00"),
]


def spans(seed, count, *, margin, step):
    random = seeded(seed)
    for name, change in CHANGES:
        start, end = utc(change) - margin, utc(change) + margin
        shown = wall_clock(name, start, end, step)
        for _ in range(count):
            yield name, start, end, shown, random_job(random, with_seconds=step == SECOND)


def test_minutes_around_every_change_are_those_that_cron_would_run():
    for name, start, end, shown, job in spans(20261120, 40, margin=timedelta(hours=40), step=MINUTE):
        schedule = parsed(job, name)
        if schedule is not None:
            found = schedule.between(start - SECOND, end, 100_000)
            assert found == act_out(job, shown, MINUTE), f"{job.text!r} in {name}"


def test_seconds_around_every_change_are_those_that_cron_would_run():
    for name, start, end, shown, job in spans(7, 4, margin=timedelta(hours=2, minutes=40), step=SECOND):
        schedule = parsed(job, name)
        if schedule is not None:
            found = schedule.between(start - SECOND, end, 100_000)
            assert found == act_out(job, shown, SECOND), f"{job.text!r} in {name}"


def parsed(job, name):
    """The compiled schedule; None for a date that never comes, such as 31 April, which must be refused."""
    if never_comes(job):
        with pytest.raises(ScheduleError, match="never comes"):
            Schedule.parse(job.text, timezone=name)
        return None
    return Schedule.parse(job.text, timezone=name)
