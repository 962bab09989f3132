"""Which occurrences a backfill replays, in which order, and how it counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.domain.backfill import (
    MOST_OCCURRENCES,
    Backfill,
    BackfillState,
    Extent,
    Order,
    extent,
    latest,
    replayed,
)
from minutehand.domain.calendar import Calendar, CalendarKey, Period
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.policies import OnBlocked
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.schedule import Schedule
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, compiled

EVERY_MINUTE = OccurrenceRule(schedule=Schedule.parse("* * * * *"))
HOLIDAYS = CalendarKey(KEY.namespace, "holidays")


def backfill(**fields: Any) -> Backfill:
    """A backfill of the minutes from nine up to ten."""
    return replace(
        Backfill(
            job=KEY,
            id="abc",
            rule=compiled("* * * * *"),
            start=at("09:00"),
            end=at("10:00"),
            order=Order.OLDEST,
            concurrency=2,
            ignore_overlap=False,
            total=60,
            job_created_at=at("08:00"),
            created_at=at("11:00"),
            created_by="ada",
            next_at=at("11:02"),
        ),
        **fields,
    )


def blocking(start: str, end: str) -> dict[CalendarKey, Calendar]:
    """Holidays that block a stretch of the day."""
    period = Period(at(start), at(end))
    holidays = Calendar(
        key=HOLIDAYS,
        description="",
        dates=(),
        weekly=(),
        periods=(period,),
        revision=1,
        updated_at=at("08:00"),
        updated_by="ada",
    )
    return {HOLIDAYS: holidays}


def clocks(instants: Any) -> list[str]:
    return [f"{instant:%H:%M}" for instant in instants]


def test_its_first_instant_is_replayed_and_its_end_is_not() -> None:
    named = replayed(rule_of(backfill().rule), KEY.namespace, {})
    assert clocks(backfill().coming(named, 2)) == ["09:00", "09:01"]
    assert clocks(backfill(cursor=at("09:58")).coming(named, 5)) == ["09:59"]
    assert clocks(backfill(cursor=at("09:59")).coming(named, 5)) == []


def test_the_newest_may_come_first() -> None:
    named = replayed(rule_of(backfill().rule), KEY.namespace, {})
    newest = backfill(order=Order.NEWEST)
    assert clocks(newest.coming(named, 3)) == ["09:59", "09:58", "09:57"]
    assert clocks(replace(newest, cursor=at("09:01")).coming(named, 3)) == ["09:00"]
    assert clocks(replace(newest, cursor=at("09:00")).coming(named, 3)) == []


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("text", ["* * * * *", "*/7 9,11 * * *", "0 9 * * *", "30 9 20 11 *", "@every 45s"])
@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_every_named_occurrence_is_replayed_once(order: Order, text: str, at_once: int) -> None:
    one = backfill(order=order, rule=compiled(text), end=at("12:00"), concurrency=at_once)
    named = replayed(rule_of(one.rule), KEY.namespace, {})
    found: list[datetime] = []
    while coming := one.coming(named, at_once):
        found += coming
        one = replace(one.taking(coming), active=())
    wanted = Schedule.parse(text).between(one.start - SECOND, one.end - SECOND, 1000)
    assert found == (wanted if order is Order.OLDEST else wanted[::-1])


def test_the_last_instants_are_found_however_far_apart_they_are() -> None:
    start, end = at("09:00") - timedelta(days=4000), at("09:00")
    yearly = OccurrenceRule(schedule=Schedule.parse("0 0 1 1 *"))
    assert [found.year for found in latest(yearly, start, end, 3)] == [2026, 2025, 2024]
    assert latest(yearly, end - timedelta(days=30), end, 3) == []


def test_blocked_occurrences_are_left_out_and_none_is_moved() -> None:
    rule = replace(EVERY_MINUTE, calendars=("holidays",), on_blocked=OnBlocked.NEXT_DAY, moves_from=at("08:00"))
    named = replayed(rule, KEY.namespace, blocking("09:01", "09:58"))
    assert clocks(named.between(at("09:00") - SECOND, at("09:59"), 100)) == ["09:00", "09:58", "09:59"]


def test_a_deleted_calendar_blocks_nothing() -> None:
    rule = replace(EVERY_MINUTE, calendars=("holidays",))
    assert len(replayed(rule, KEY.namespace, {}).between(at("09:00"), at("10:00"), 100)) == 60


def test_a_window_of_the_job_counts() -> None:
    named = replayed(replace(EVERY_MINUTE, start_at=at("09:58")), KEY.namespace, {})
    assert extent(named, at("09:00"), at("10:00")) == Extent(total=2, first=at("09:58"), last=at("09:59"), exact=True)


def test_its_extent_is_counted_up_to_the_maximum() -> None:
    end = at("09:00") + MOST_OCCURRENCES * MINUTE
    assert extent(EVERY_MINUTE, at("09:00"), end) == Extent(MOST_OCCURRENCES, at("09:00"), end - MINUTE, exact=True)
    over = extent(EVERY_MINUTE, at("09:00"), end + SECOND)
    assert over is not None
    assert (over.total, over.exact) == (10_000, False)


def test_the_number_of_very_many_is_estimated() -> None:
    found = extent(EVERY_MINUTE, at("09:00") - timedelta(days=730), at("09:00"))
    assert found is not None
    assert (found.total, found.exact) == (1_050_000, False)


def test_a_range_without_instants_has_no_extent() -> None:
    assert extent(EVERY_MINUTE, at("09:00:01"), at("09:00:59")) is None


def test_it_counts_what_ended_and_keeps_what_is_active() -> None:
    active = backfill(active=(at("09:00"), at("09:01"), at("09:02")), counts={RunState.FAILED: 1})
    counted = active.counting({at("09:00"): RunState.FAILED, at("09:02"): RunState.SUCCEEDED})
    assert clocks(counted.active) == ["09:01"]
    assert counted.counts == {RunState.FAILED: 2, RunState.SUCCEEDED: 1}
    assert (counted.ended, counted.remaining) == (3, 56)


def test_nothing_remains_of_one_that_is_over_nor_less_than_nothing_of_one_whose_calendars_were_opened() -> None:
    assert backfill(state=BackfillState.CANCELLED).remaining == 0
    assert backfill(counts={RunState.SUCCEEDED: 61}).remaining == 0


def test_its_runs_are_known_by_its_id() -> None:
    key = backfill().run(at("09:00"))
    assert key == RunKey(KEY, "20261120T090000Z~backfill-abc")
    assert (key.backfill, key.named_by_schedule, key.scheduled_for) == ("abc", False, at("09:00"))
