"""Calendars: what they block, and one canonical form for all that block the same."""

# ruff: noqa: DTZ001, DTZ901 - what a wall clock shows has no zone

import random
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from minutehand.domain.calendar import (
    Calendar,
    CalendarKey,
    DateRange,
    Period,
    Weekly,
    merged_dates,
    merged_periods,
    merged_weekly,
    never_ends,
)

SUNDAY, MONDAY, TUESDAY, SATURDAY = 1, 2, 4, 64
HOUR = 3600
NEW_YORK = ZoneInfo("America/New_York")


def calendar(
    *, dates: tuple[DateRange, ...] = (), weekly: tuple[Weekly, ...] = (), periods: tuple[Period, ...] = ()
) -> Calendar:
    return Calendar(
        key=CalendarKey("shop", "holidays"),
        description="",
        dates=dates,
        weekly=weekly,
        periods=periods,
        revision=1,
        updated_at=datetime(2026, 11, 20, tzinfo=UTC),
        updated_by="ada",
    )


def blocks(blocking: Calendar, local: datetime, zone: ZoneInfo = NEW_YORK) -> bool:
    return blocking.blocks(local.replace(tzinfo=zone).astimezone(UTC), local)


@pytest.mark.parametrize(
    ("local", "blocked"),
    [
        (datetime(2026, 12, 23, 23, 59, 59), False),
        (datetime(2026, 12, 24), True),
        (datetime(2026, 12, 26, 23, 59, 59), True),
        (datetime(2026, 12, 27), False),
        (datetime(2027, 1, 1, 12), True),
    ],
)
def test_a_date_range_blocks_its_first_and_its_last_day_whole_on_the_clock_of_the_job(
    local: datetime, *, blocked: bool
) -> None:
    blocking = calendar(
        dates=(DateRange(date(2026, 12, 24), date(2026, 12, 26)), DateRange(date(2027, 1, 1), date(2027, 1, 1)))
    )

    assert blocks(blocking, local) is blocked


@pytest.mark.parametrize(
    ("local", "blocked"),
    [
        (datetime(2026, 11, 20, 17, 59, 59), False),
        (datetime(2026, 11, 20, 18), True),
        (datetime(2026, 11, 20, 23, 59, 59), True),
        (datetime(2026, 11, 21), False),
        (datetime(2026, 11, 22), True),
        (datetime(2026, 11, 23), False),
    ],
)
def test_a_weekly_rule_blocks_from_its_start_up_to_its_end(local: datetime, *, blocked: bool) -> None:
    friday = 1 << 5
    blocking = calendar(weekly=(Weekly(SUNDAY), Weekly(friday, 18 * HOUR, 24 * HOUR)))

    assert blocks(blocking, local) is blocked


def test_a_period_is_the_same_in_every_zone() -> None:
    start = datetime(2026, 12, 1, 10, tzinfo=UTC)
    blocking = calendar(periods=(Period(start, start + timedelta(hours=2)),))

    for zone in (NEW_YORK, ZoneInfo("Asia/Kolkata"), ZoneInfo("UTC")):
        for seconds, blocked in ((-1, False), (0, True), (7199, True), (7200, False)):
            instant = start + timedelta(seconds=seconds)
            assert blocking.blocks(instant, instant.astimezone(zone).replace(tzinfo=None)) is blocked


def test_an_empty_calendar_blocks_nothing() -> None:
    assert not blocks(calendar(), datetime(2026, 11, 20))


def test_dates_that_overlap_or_touch_become_one_range() -> None:
    def days(first: int, last: int) -> DateRange:
        return DateRange(date(2026, 12, first), date(2026, 12, last))

    assert merged_dates([days(9, 9), days(1, 5), days(2, 3), days(6, 7)]) == (days(1, 7), days(9, 9))


def test_the_last_day_of_the_calendar_can_be_blocked() -> None:
    whole = DateRange(date.max - timedelta(days=1), date.max)

    assert merged_dates([whole, DateRange(date.max, date.max)]) == (whole,)
    assert blocks(calendar(dates=(whole,)), datetime.max.replace(microsecond=0), ZoneInfo("UTC"))


def test_periods_that_overlap_or_touch_become_one() -> None:
    def hours(start: int, end: int) -> Period:
        return Period(datetime(2026, 12, 1, start, tzinfo=UTC), datetime(2026, 12, 1, end, tzinfo=UTC))

    assert merged_periods([hours(8, 9), hours(1, 4), hours(2, 3), hours(4, 5)]) == (hours(1, 5), hours(8, 9))


def test_weekly_rules_are_merged_day_by_day_and_days_alike_share_a_rule() -> None:
    given = [
        Weekly(MONDAY | TUESDAY, 0, 6 * HOUR),
        Weekly(MONDAY, 5 * HOUR, 7 * HOUR),
        Weekly(SUNDAY),
        Weekly(SATURDAY, 0, 12 * HOUR),
        Weekly(SATURDAY, 12 * HOUR),
    ]

    assert merged_weekly(given) == (
        Weekly(SUNDAY | SATURDAY),
        Weekly(MONDAY, 0, 7 * HOUR),
        Weekly(TUESDAY, 0, 6 * HOUR),
    )


@pytest.mark.thorough
def test_rules_merged_block_what_the_rules_blocked_and_merging_again_changes_nothing() -> None:
    chance = random.Random(4)
    for _ in range(200):
        rules = tuple(
            Weekly(chance.randrange(1, 128), start, chance.randrange(start + 1, 25))
            for start in (chance.randrange(24) for _ in range(chance.randrange(6)))
        )
        rules = tuple(rule._replace(start=rule.start * HOUR, end=rule.end * HOUR) for rule in rules)
        merged = merged_weekly(rules)

        assert merged_weekly(merged) == merged
        for hour in range(7 * 24):
            local = datetime(2026, 11, 15) + timedelta(hours=hour)
            assert blocks(calendar(weekly=merged), local) is blocks(calendar(weekly=rules), local)


def test_rules_that_block_the_whole_week_are_known_however_they_are_written() -> None:
    assert never_ends([Weekly(0b1111111, 0, 6 * HOUR), Weekly(0b0111111, 6 * HOUR), Weekly(SATURDAY, HOUR)])
    assert not never_ends([Weekly(0b1111111, 0, 24 * HOUR - 1)])
    assert not never_ends([])
