"""Random schedules around the clock changes of many zones, in every dialect, against a simulation minute by minute."""

from datetime import timedelta

import pytest

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.calls import random_call, random_once
from tests.unit.schedule.oracle import DIALECTS, WallClock, never_runs, random_job, seeded, simulate, utc

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
NAME = "shop/nightly"

pytestmark = pytest.mark.thorough


def spans(*, margin, step, changes=CHANGES):
    for name, change in changes:
        start, end = utc(change) - margin, utc(change) + margin
        yield name, start, end, WallClock(name, start, end, step)


def check(job, name, start, end, clock):
    """Compare the job's instants with the simulation in each dialect; returns the number of dialects that accept the text."""
    read = 0
    for dialect in DIALECTS:
        schedule = parsed(job, name, dialect, clock)
        if schedule is not None:
            found = schedule.between(start - SECOND, end, 100_000)
            assert found == simulate(job, clock, dialect), f"{job.text!r} in {name}, {dialect}"
            read += 1
    return read


def parsed(job, name, dialect, clock):
    """The compiled schedule; None for one that never runs, which must be refused."""
    try:
        return Schedule.parse(job.text, timezone=name, dialect=dialect, name=NAME)
    except ScheduleError as error:
        refusal = error
    if "jump over" in refusal.message:
        assert not simulate(job, clock, dialect), job.text
    else:
        assert "never runs" in refusal.message, f"{job.text!r}: {refusal}"
        assert never_runs(job, dialect), job.text
    return None


def test_crontab_minutes_around_clock_changes_match_the_simulation():
    random = seeded(20261120)
    for name, start, end, clock in spans(margin=timedelta(hours=36), step=MINUTE):
        for n in range(20):
            check(random_job(random, specials=n % 2, name=NAME if n % 3 == 0 else None), name, start, end, clock)


def test_crontab_seconds_around_clock_changes_match_the_simulation():
    random = seeded(7)
    for name, start, end, clock in spans(margin=timedelta(hours=2, minutes=10), step=SECOND, changes=CHANGES[::2]):
        for _ in range(5):
            check(random_job(random, with_seconds=True, specials=True, name=NAME), name, start, end, clock)


def test_eventbridge_cron_around_clock_changes_matches_the_simulation():
    random = seeded(3)
    for name, start, end, clock in spans(margin=timedelta(hours=36), step=MINUTE):
        assert sum(check(random_call(random, start.year), name, start, end, clock) for _ in range(10))


def test_at_runs_once_or_is_refused_in_a_gap_that_is_not_caught_up():
    random, read = seeded(11), []
    for name, start, end, clock in spans(margin=timedelta(hours=30), step=MINUTE):
        walls = [wall for _, wall, _ in clock.shown]
        around = walls[len(walls) // 2 - 180 : len(walls) // 2 + 180]
        read += [check(random_once(random, around), name, start, end, clock) for _ in range(12)]
    # Jumped over everywhere; jumped over, but caught up by cron; shown everywhere.
    assert {0, 1, 3} == set(read)


def test_joined_schedule_is_the_sorted_union_of_its_parts_each_in_its_zone():
    random = seeded(5)
    elsewhere = "Australia/Lord_Howe"
    for name, start, end, clock in spans(margin=timedelta(hours=20), step=MINUTE):
        away, walls = WallClock(elsewhere, start, end, MINUTE), [wall for _, wall, _ in clock.shown]
        for dialect in DIALECTS:
            jobs = [random_job(random, specials=True), random_call(random, start.year), random_once(random, walls)]
            jobs = [job for job in jobs if parsed(job, name, dialect, clock)]
            guest = random_job(random)
            if not jobs or never_runs(guest, dialect):
                continue
            texts = [*(job.text for job in jobs), f"CRON_TZ={elsewhere} {guest.text}"]
            expected = set(simulate(guest, away, dialect)).union(*(simulate(job, clock, dialect) for job in jobs))
            joined = Schedule.parse(texts, timezone=name, dialect=dialect)
            assert joined.between(start - SECOND, end, 100_000) == sorted(expected), f"{texts} in {name}"
            assert joined.between(start - SECOND, end, 7) == sorted(expected)[:7], f"{texts} in {name}"
