"""Instants that an edit of a schedule adds and removes."""

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.difference import difference
from tests.unit.schedule.oracle import random_job, seeded

START = datetime(2026, 10, 20, 8, 30, tzinfo=UTC)


def compare(old, new, zone="UTC", *, days=30, **how):
    return difference(Schedule.parse(old, zone), Schedule.parse(new, zone), START, START + timedelta(days=days), **how)


def test_change_from_hourly_to_every_minute_adds_59_instants_an_hour():
    found = compare("0 * * * *", "* * * * *", days=1, first=2)
    assert (found.added, found.removed, found.kept) == (59 * 24, 0, 24)
    assert found.first_added == (START + timedelta(minutes=1), START + timedelta(minutes=2))
    assert (found.first_removed, found.cut, found.until) == ((), False, START + timedelta(days=1))


def test_change_of_a_daily_time_removes_and_adds_one_instant_a_day():
    found = compare("0 9 * * *", "30 9 * * *", "Europe/Paris", first=1)
    assert (found.added, found.removed, found.kept) == (30, 30, 0)
    assert found.first_added == (datetime(2026, 10, 21, 7, 30, tzinfo=UTC),)
    assert found.first_removed == (datetime(2026, 10, 21, 7, tzinfo=UTC),)


def test_equivalent_texts_have_no_difference():
    found = compare("*/30 * * * *", ["0 * * * *", "30 * * * *"])
    assert (found.added, found.removed, found.kept) == (0, 0, 1440)


def test_manual_schedule_has_no_instants_to_compare():
    assert compare("@manual", "@daily").added == 30
    assert compare("@daily", "@manual").removed == 30
    found = compare("@manual", "@manual")
    assert (found.added, found.removed, found.kept, found.cut) == (0, 0, 0, False)


def test_comparison_stops_at_its_maximum_and_is_marked_as_cut():
    found = compare("* * * * * *", "* * * * *", most=100_000)
    assert found.cut
    assert START < found.until < START + timedelta(days=3)
    whole = compare("* * * * * *", "* * * * *", days=30, most=100_000)
    span = int((whole.until - START).total_seconds())
    assert (whole.removed, whole.kept) == (span - span // 60, span // 60)


def test_span_that_ends_before_its_start_is_refused():
    with pytest.raises(ValueError, match="before its start"):
        compare("@daily", "@hourly", days=-1)


@pytest.mark.thorough
def test_difference_matches_a_comparison_of_complete_sets():
    random = seeded(20261020)
    tried = 0
    while tried < 60:
        with_seconds = random.random() < 0.5
        try:
            old, new = (
                Schedule.parse(random_job(random, with_seconds=with_seconds).text, "America/New_York") for _ in "ab"
            )
        except ScheduleError:  # a date that does not exist
            continue
        tried += 1
        end = START + timedelta(days=random.choice((1, 20)))
        found = difference(old, new, START, end, first=7, most=10**9)
        before, after = (set(schedule.between(START, end, 10**7)) for schedule in (old, new))
        assert (found.added, found.removed, found.kept) == (
            len(after - before),
            len(before - after),
            len(before & after),
        )
        assert list(found.first_added) == sorted(after - before)[:7]
        assert list(found.first_removed) == sorted(before - after)[:7]
        assert not found.cut
