"""@every: whole multiples of a period from an anchor, independent of clock changes."""

from datetime import timedelta
from itertools import pairwise

import pytest

from minutehand.schedule import Schedule
from tests.unit.schedule.oracle import utc


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [
        ("90s", 90),
        ("1h30m10s", 5410),
        ("1.5h", 5400),
        (".5h", 1800),
        ("5.m", 300),
        ("5m5m", 600),
        ("1500ms500ms", 2),
        ("1000000us", 1),
        ("1000000µs", 1),
        ("1000000\u03bcs", 1),
        ("1000000000ns", 1),
        ("0.1h", 360),
        ("+5m", 300),
        ("0h1s", 1),
        ("350640h", 350640 * 3600),
    ],
)
def test_durations_have_the_meaning_of_go(duration, seconds):
    schedule = Schedule.parse(f"@every {duration}")
    assert schedule.next(utc("1970-01-01T00:00")) == utc("1970-01-01T00:00") + timedelta(seconds=seconds)


def test_interval_without_an_anchor_counts_from_the_epoch():
    schedule = Schedule.parse("@every 1h")
    assert schedule.next(utc("2026-11-20T11:00")) == utc("2026-11-20T12:00")
    assert schedule.next(utc("2026-11-20T11:59:59.5")) == utc("2026-11-20T12:00")


def test_interval_counts_from_its_anchor_in_both_directions():
    schedule = Schedule.parse("@every 7m", anchor=utc("2026-11-20T11:00:30"))
    assert schedule.next(utc("2026-11-20T11:00:29")) == utc("2026-11-20T11:00:30")
    assert schedule.next(utc("2026-11-20T11:00:30")) == utc("2026-11-20T11:07:30")
    assert schedule.next(utc("2026-11-20T10:50:00")) == utc("2026-11-20T10:53:30")
    assert schedule.names(utc("2026-11-20T10:53:30"))


def test_clock_change_does_not_shift_an_interval():
    schedule = Schedule.parse("@every 45m", timezone="America/New_York")
    found = schedule.between(utc("2026-11-01T03:00"), utc("2026-11-01T09:00"), 100)
    assert [later - earlier for earlier, later in pairwise(found)] == [timedelta(minutes=45)] * 7


def test_anchor_is_stored_and_part_of_equality():
    anchored = Schedule.parse("@every 7m", anchor=utc("2026-11-20T11:00:30"))
    again = Schedule.decode(anchored.encode())
    assert again == anchored
    assert again.next(utc("2026-11-20T11:00:30")) == utc("2026-11-20T11:07:30")
    assert anchored != Schedule.parse("@every 7m")


def test_anchor_has_no_effect_on_a_crontab():
    assert Schedule.parse("0 9 * * *", anchor=utc("2026-11-20T11:00:30")) == Schedule.parse("0 9 * * *")
