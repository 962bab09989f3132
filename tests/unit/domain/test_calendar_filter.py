"""Blocked and moved occurrences, compared with a plain second implementation."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from random import Random
from zoneinfo import ZoneInfo

import pytest

from minutehand.domain.calendar import (
    DAY,
    Calendar,
    CalendarKey,
    DateRange,
    Period,
    Weekly,
    merged_dates,
    merged_periods,
    merged_weekly,
)
from minutehand.domain.calendar_filter import MOST_DAYS_MOVED, Unblocked
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.policies import OnBlocked
from minutehand.schedule import Schedule, wall_clock

START, END = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 20, tzinfo=UTC)
SECOND, ONE_DAY = timedelta(seconds=1), timedelta(days=1)
ZONES = ("UTC", "America/New_York", "Australia/Lord_Howe", "Europe/London", "Asia/Kolkata", "America/Asuncion")
TEXTS = (
    "0 9 * * *",
    "30 2 * * *",
    "0 */6 * * *",
    "15 1,13 * * MON-FRI",
    "0 0 1,15 * *",
    "0 12 L * *",
    "@every 7h",
    "45 23 * * SUN",
)


def calendar(*, dates=(), weekly=(), periods=(), name="closed"):
    return Calendar(
        key=CalendarKey("demo", name),
        description="",
        dates=merged_dates(DateRange(*each) for each in dates),
        weekly=merged_weekly(Weekly(*each) for each in weekly),
        periods=merged_periods(Period(*each) for each in periods),
        revision=1,
        updated_at=START,
        updated_by="ada",
    )


def under(text, *calendars, zone="UTC", on_blocked=OnBlocked.SKIP, **limits):
    schedule = Schedule.parse(text, zone)
    names = tuple(each.key.name for each in calendars)
    return Unblocked(
        OccurrenceRule(schedule=schedule, calendars=names, on_blocked=on_blocked, **limits),
        calendars,
        wall_clock(schedule.timezone),
    )


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def zone_info(name):
    with files("tzdata").joinpath("zoneinfo", name).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


def random_calendar(random):
    first = date(2026, 3, 1)
    days = [first + timedelta(days=random.randint(0, 45)) for _ in range(random.randint(0, 5))]
    hours = [(random.randint(0, 20), random.randint(1, 4)) for _ in range(random.randint(0, 2))]
    begins = [START + timedelta(hours=random.randint(0, 1000)) for _ in range(random.randint(0, 2))]
    return calendar(
        dates=[(day, day + timedelta(days=random.choice((0, 0, 1, 4)))) for day in days],
        weekly=[
            *((random.randint(1, 127), low * 3600, (low + more) * 3600) for low, more in hours),
            *([(0b1000001, 0, DAY)] if random.random() < 0.5 else []),
        ],
        periods=[(begin, begin + timedelta(hours=random.randint(1, 60))) for begin in begins],
    )


def plainly(named, zone, start=START, end=END):
    """The instants of (start, end], by asking each occurrence and each day for itself."""
    info = zone_info(zone)

    def blocked(local):
        shown = named.clock.instant(local)
        seen = shown.astimezone(info).replace(tzinfo=None)
        return any(each.blocks(shown, seen) for each in named.calendars)

    kept = set()
    for instant in named.rule.between(start - 100 * ONE_DAY, end, 100_000):
        local = instant.astimezone(info).replace(tzinfo=None)
        if not any(each.blocks(instant, local) for each in named.calendars):
            kept.add(instant)
        elif named.rule.on_blocked is OnBlocked.NEXT_DAY:
            for distance in range(1, MOST_DAYS_MOVED + 1):
                if not blocked(local + distance * ONE_DAY):
                    kept.add(named.clock.instant(local + distance * ONE_DAY))
                    break
    return sorted(instant for instant in kept if start < instant <= end)


@pytest.mark.thorough
@pytest.mark.parametrize("on_blocked", list(OnBlocked))
@pytest.mark.parametrize("zone", ZONES)
def test_kept_and_moved_occurrences_equal_a_plain_count(zone, on_blocked):
    random = Random(f"{zone} {on_blocked}")
    for _ in range(12):
        named = under(
            random.choice(TEXTS), random_calendar(random), random_calendar(random), zone=zone, on_blocked=on_blocked
        )
        assert named.between(START, END, 10_000) == plainly(named, zone), named


@pytest.mark.thorough
@pytest.mark.parametrize("zone", ["Asia/Beirut", "Africa/Cairo", "America/Havana", "Atlantic/Azores"])
@pytest.mark.parametrize("text", ["*/15 * * * *", "@every 50m", "@every 7h"])
@pytest.mark.parametrize("month", [4, 11], ids=["put forward", "put back"])
def test_a_time_shown_around_a_change_at_midnight_belongs_to_the_day_shown(zone, text, month):
    start, end = (datetime(2026, each, 6, tzinfo=UTC) for each in (month - 1, month))
    random = Random(f"{zone} {text} {month}")
    days = [start.date() + timedelta(days=n) for n in range(31)]
    for _ in range(2):
        shut = calendar(dates=[(day, day) for day in days if random.random() < 0.5])
        named = under(text, shut, zone=zone, on_blocked=OnBlocked.NEXT_DAY)
        assert named.between(start, end, 10_000) == plainly(named, zone, start, end), shut.dates


@pytest.mark.thorough
@pytest.mark.parametrize("on_blocked", list(OnBlocked))
def test_a_mark_is_left_at_all_that_is_named_blocked_or_moved(on_blocked):
    random = Random(7)
    for _ in range(12):
        named = under(random.choice(TEXTS), random_calendar(random), zone="UTC", on_blocked=on_blocked)
        marks, mark = [], START
        while (mark := named.next_mark(mark)) is not None and mark <= END:
            marks.append(mark)
        expected = {*named.rule.between(START, END, 10_000), *named.between(START, END, 10_000)}
        if on_blocked is OnBlocked.SKIP:
            assert marks == sorted(expected)
        else:  # and at each day at which what waits may run, should the calendar be changed
            assert expected <= set(marks)
            assert all(any(named.rule.names(m - n * ONE_DAY) for n in range(1, 60)) for m in set(marks) - expected)


def test_a_holiday_is_a_day_of_the_jobs_own_clock():
    holiday = calendar(dates=[(date(2026, 3, 10), date(2026, 3, 10))])
    auckland = under("0 9 * * *", holiday, zone="Pacific/Auckland")
    assert auckland.between(at("2026-03-08T00:00"), at("2026-03-11T12:00"), 9) == [
        at("2026-03-08T20:00"),  # 9 March there
        at("2026-03-10T20:00"),  # 11 March
    ]
    assert auckland.blocker(at("2026-03-09T20:00")) == "closed"
    assert auckland.blocker(at("2026-03-10T20:00")) is None


def test_a_moved_occurrence_joins_one_that_the_schedule_names_at_that_time():
    weekend = calendar(weekly=[(0b1000001, 0, DAY)])
    daily = under("0 9 * * *", weekend, on_blocked=OnBlocked.NEXT_DAY)
    assert daily.between(at("2026-03-05T12:00"), at("2026-03-10T00:00"), 9) == [
        at("2026-03-06T09:00"),
        at("2026-03-09T09:00"),
    ]


def test_a_monthly_job_on_a_weekend_runs_on_monday_and_past_a_holiday_on_tuesday():
    weekend = calendar(weekly=[(0b1000001, 0, DAY)], name="weekend")
    holiday = calendar(dates=[(date(2026, 3, 2), date(2026, 3, 2))], name="holiday")
    first = under("0 9 1 * *", weekend, holiday, on_blocked=OnBlocked.NEXT_DAY)
    assert first.next(at("2026-02-28T00:00")) == at("2026-03-03T09:00")  # 1 March 2026 is a Sunday
    assert first.next(at("2026-03-03T09:00")) == at("2026-04-01T09:00")
    assert first.next(at("2026-07-30T00:00")) == at("2026-08-03T09:00")  # 1 August is a Saturday


def test_an_occurrence_blocked_beyond_the_maximum_move_is_skipped():
    freeze = calendar(dates=[(date(2026, 1, 2), date(2026, 6, 30))])
    yearly = under("0 9 3 1 *", freeze, on_blocked=OnBlocked.NEXT_DAY)
    assert yearly.next(at("2026-01-01T00:00")) == at("2027-01-03T09:00")


def test_a_moved_occurrence_does_not_pass_the_end_of_the_window():
    holiday = calendar(dates=[(date(2026, 3, 10), date(2026, 3, 10))])
    named = under("0 9 10 * *", holiday, on_blocked=OnBlocked.NEXT_DAY, end_at=at("2026-03-11T08:59"))
    assert named.next(at("2026-03-09T00:00")) is None


def test_a_job_that_calendars_block_for_ever_never_comes():
    never = calendar(weekly=[(0b1111111, 9 * 3600, 10 * 3600)])
    for on_blocked in OnBlocked:
        assert under("0 9 * * *", never, on_blocked=on_blocked).next(START) is None


def test_a_long_block_of_a_job_that_runs_every_second_is_passed_in_few_steps():
    freeze = calendar(dates=[(date(2026, 3, 2), date(2026, 12, 31))])
    every_second = under("* * * * * *", freeze, zone="America/New_York")
    assert every_second.next(at("2026-03-10T12:00")) == at("2027-01-01T05:00")
    nights = under("* * * * * *", calendar(weekly=[(0b1111111, 0, 6 * 3600)]), zone="America/New_York")
    assert nights.next(at("2026-03-10T06:30")) == at("2026-03-10T10:00")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("shut", "expected"),
    [
        (calendar(dates=[(date(2026, 1, 1), date.max)]), None),
        (calendar(dates=[(date(2026, 1, 1), date(2026, 5, 31))]), at("2026-06-01T00:00")),
        (calendar(dates=[(date(2026, 1, 1), date(2027, 5, 31))]), at("2027-06-01T00:00")),
        (calendar(weekly=[(0b1111111, 0, DAY - 1)]), None),
        (calendar(weekly=[(0b1111111, 0, 23 * 3600)]), at("2026-03-01T23:00")),
    ],
    ids=["for ever", "for months", "for a year", "for ever, but for a second", "for all but an hour of each day"],
)
def test_a_long_block_of_a_job_whose_occurrences_are_moved_is_passed_in_few_steps(shut, expected):
    """To ask at each time of each day for each day before it would be millions of questions."""
    quarters = under("*/15 * * * *", shut, on_blocked=OnBlocked.NEXT_DAY)
    asked = Counter()
    right = Unblocked.blocker
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Unblocked, "blocker", lambda self, instant: asked.update("b") or right(self, instant))
        assert quarters.next(START) == expected
    assert asked.total() < 60_000


def test_a_block_ends_with_the_time_that_the_clocks_show():
    """The night of 8 March has an hour less, that of 1 November one more."""
    nights = under("* * * * *", calendar(weekly=[(0b1111111, 0, 6 * 3600)]), zone="America/New_York")
    assert nights.next(at("2026-03-08T05:30")) == at("2026-03-08T10:00")
    assert nights.next(at("2026-11-01T04:30")) == at("2026-11-01T11:00")
