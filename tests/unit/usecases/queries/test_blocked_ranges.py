"""Ranges that calendars block."""

from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest

from minutehand.domain.policies import OnBlocked
from minutehand.usecases.queries.blocked_ranges import MOST_BLOCKED_RANGES, MOST_COUNTED, BlockedRange, blocked_ranges
from tests.unit.domain.test_calendar_filter import at, calendar, random_calendar, under

WEEKEND = calendar(weekly=[(0b1000001,)], name="weekend")
FEAST = calendar(
    dates=[(date(2026, 12, 24), date(2026, 12, 25)), (date(2026, 12, 30), date(2026, 12, 31))], name="feast"
)
START, END = at("2026-12-21T00:00"), at("2027-01-01T00:00")


def test_consecutive_occurrences_that_a_calendar_blocks_are_one_range() -> None:
    found = blocked_ranges(under("0 9,17 * * *", FEAST), START, END)
    assert found == [
        BlockedRange(at("2026-12-24T09:00"), at("2026-12-26T00:00"), "feast", 4, None),
        BlockedRange(at("2026-12-30T09:00"), at("2027-01-01T00:00"), "feast", 4, None),
    ]


def test_each_calendar_has_ranges_of_its_own() -> None:
    found = blocked_ranges(under("0 9 * * *", FEAST, WEEKEND), START, at("2026-12-28T09:00"))
    assert [(each.calendar, each.first, each.times) for each in found] == [
        ("feast", at("2026-12-24T09:00"), 2),
        ("weekend", at("2026-12-26T09:00"), 2),
    ]


def test_each_block_ends_for_itself_though_nothing_runs_before_the_next() -> None:
    found = blocked_ranges(under("0 9 * * SAT", WEEKEND), START, at("2027-01-03T00:00"))
    assert [(each.first, each.until, each.times) for each in found] == [
        (at("2026-12-26T09:00"), at("2026-12-28T00:00"), 1),
        (at("2027-01-02T09:00"), at("2027-01-04T00:00"), 1),
    ]


def test_a_block_ends_when_no_calendar_blocks_any_more() -> None:
    monday = calendar(dates=[(date(2026, 12, 28), date(2026, 12, 28))], name="monday")
    [saturday, *_] = blocked_ranges(under("0 9 * * SAT", WEEKEND, monday), START, END)
    assert (saturday.calendar, saturday.until) == ("weekend", at("2026-12-29T00:00"))


def test_calendars_that_block_all_the_week_together_end_somewhere() -> None:
    week = calendar(weekly=[(0b0111110,)], name="week")
    found = blocked_ranges(under("0 9 * * SAT", WEEKEND, week), START, END)
    assert found[0].until > at("2030-01-01T00:00")


def test_a_range_shows_where_its_first_occurrence_is_moved() -> None:
    [feast, _] = blocked_ranges(under("0 9 * * *", FEAST, on_blocked=OnBlocked.NEXT_DAY), START, END)
    assert feast.moved_to == at("2026-12-26T09:00")


def test_an_occurrence_is_not_moved_beyond_the_end() -> None:
    within = under("0 9 * * *", FEAST, on_blocked=OnBlocked.NEXT_DAY, end_at=at("2026-12-26T08:00"))
    assert [each.moved_to for each in blocked_ranges(within, START, END)] == [None]


def test_more_than_can_be_counted_are_not_counted() -> None:
    found = blocked_ranges(under("* * * * *", FEAST), START, at("2026-12-27T00:00"))
    assert [(each.until, each.times) for each in found] == [(at("2026-12-26T00:00"), None)]
    exact = calendar(periods=[(START, START + timedelta(minutes=MOST_COUNTED))], name="exact")
    [blocked_range] = blocked_ranges(under("* * * * *", exact), START - timedelta(minutes=1), END)
    assert blocked_range.times == MOST_COUNTED


def test_no_more_than_the_maximum_of_ranges_is_returned() -> None:
    found = blocked_ranges(under("0 9 * * *", WEEKEND), START, at("2036-01-01T00:00"))
    assert len(found) == MOST_BLOCKED_RANGES
    assert {each.times for each in found} == {2}


def test_nothing_is_blocked_where_nothing_is_named() -> None:
    assert blocked_ranges(under("0 9 * * MON", WEEKEND), START, END) == []


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.thorough
def test_every_named_occurrence_runs_is_blocked_or_is_moved_to_where_it_runs(seed: int) -> None:
    random = Random(seed)
    start, end = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 25, tzinfo=UTC)
    text = random.choice(("0 9 * * *", "30 2 * * *", "0 */6 * * *", "@every 7h"))
    zone = random.choice(("UTC", "America/New_York", "Australia/Lord_Howe"))
    closed = random_calendar(random)
    skipping = under(text, closed, zone=zone)
    ranges = blocked_ranges(skipping, start, end)
    named = skipping.rule.between(start, end, 1000)
    inside = [t for t in named if any(each.first <= t < each.until for each in ranges)]
    assert inside == [t for t in named if skipping.blocker(t)]
    assert sum(each.times or 0 for each in ranges) >= len(inside)
    moving = under(text, closed, zone=zone, on_blocked=OnBlocked.NEXT_DAY)
    runs = set(moving.between(start, end + timedelta(days=60), 1000))
    places = {moving.moved_to(t) for t in inside} - {None}
    assert places <= runs
    assert runs - set(named) - {t for t in runs if t > end} <= {
        moving.moved_to(t) for t in moving.rule.between(start - timedelta(days=93), end, 5000) if moving.blocker(t)
    }
