"""What calendars leave of a month."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from minutehand.domain.calendar_filter import Unblocked
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.policies import OnBlocked
from minutehand.schedule import wall_clock
from minutehand.tools.costs.definition import Calendars, DefinitionError, calendar_of
from minutehand.tools.costs.estimate import estimate
from minutehand.tools.costs.forecast import Assumed, forecast
from minutehand.tools.costs.prices import shipped_prices
from minutehand.tools.costs.timetable import Timetable, rate, timetable_of
from minutehand.tools.costs.units import Unit
from tests.unit.tools.costs.jobs import NOW, job


def known(**calendars: Any) -> Calendars:
    """Calendars of the namespace `shop`, by their names."""
    return {f"shop/{name}": calendar_of({"namespace": "shop", "name": name} | says) for name, says in calendars.items()}


def runs(schedule: Any, calendars: Calendars, **fields: Any) -> float:
    named = [name.partition("/")[2] for name in calendars]
    return rate(timetable_of(job(schedule=schedule, calendars=named, **fields), NOW, calendars), NOW).runs


def test_what_calendars_block_does_not_run() -> None:
    weekends = known(weekends={"weekly": ["SAT,SUN"]})
    assert runs("0 9 * * *", weekends) == pytest.approx(365 / 12 * 5 / 7, rel=0.01)
    assert runs("0 9 * * *", weekends) == pytest.approx(runs("0 9 * * MON-FRI", {}), rel=0.01)
    nights = known(nights={"weekly": ["MON-SUN 00:00-06:00"]})
    assert runs("0 * * * *", nights) == 15 + 29 * 18 + 13, "from 08:30 on the first day to 18:30 on the last"
    assert runs("0 9 * * *", known(closed={"dates": ["2026-12-01..2026-12-31"]})) == pytest.approx((365 - 31) / 12)


def test_dates_and_hours_are_those_of_the_jobs_own_clock() -> None:
    quiet = known(quiet={"dates": ["2026-12-01"]})
    open_for = {
        zone: timetable_of(job(timezone=zone, calendars=["quiet"]), NOW, quiet) for zone in ("UTC", "Asia/Tokyo")
    }
    first = NOW.replace(month=12, day=1, hour=0, minute=0)
    blocked = {
        zone: {first + timedelta(hours=hour) for hour in range(-12, 36)}
        - set(timetable.between(NOW, NOW + timedelta(30), 999))
        for zone, timetable in open_for.items()
    }
    assert (min(blocked["UTC"]), max(blocked["UTC"])) == (first, first + timedelta(hours=23))
    assert (min(blocked["Asia/Tokyo"]), len(blocked["Asia/Tokyo"])) == (first - timedelta(hours=9), 24)


def test_what_is_moved_to_the_next_day_that_is_open_runs_once_there() -> None:
    weekends = known(weekends={"weekly": ["SAT,SUN"]})
    moved = {"on_blocked": "next_day"}
    assert runs("0 9 * * SAT", weekends, **moved) == pytest.approx(52 / 12, rel=0.02)
    assert runs("0 9 * * SAT", weekends) == 0
    assert runs("0 9 * * *", weekends, **moved) == runs("0 9 * * *", weekends), "it falls together with Monday's own"


@pytest.mark.parametrize("schedule", ["*/7 * * * *", "*/2 * * * *", "*/5 9-17 * * MON-FRI"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Paris", "Australia/Lord_Howe", "America/New_York", "Asia/Tokyo"])
@pytest.mark.thorough
def test_what_is_dense_is_blocked_where_the_tick_blocks_it(schedule: str, zone: str) -> None:
    calendars = known(
        holidays={"dates": ["2026-10-28..2026-10-30", "2026-11-04"]},
        quiet={
            "weekly": ["SAT 00:30-13:00", "MON-FRI 00:00-06:00", "TUE 05:00-07:15:30", "SUN 01:00-03:00"],
            "periods": ["2026-10-24T22:10:00Z..2026-10-25T01:20:00Z", "2026-11-02T22:00:00Z..2026-11-03T12:00:00Z"],
        },
    )
    timetable = timetable_of(job(schedule=schedule, timezone=zone, calendars=["holidays", "quiet"]), NOW, calendars)
    start = datetime(2026, 9, 30, 11, 11, tzinfo=UTC)  # over the nights in which clocks are put back, or put forward
    end = start + timedelta(days=36)
    blocked = Unblocked(OccurrenceRule(schedule=timetable.schedule), timetable.calendars, wall_clock(zone))
    expected = [at for at in timetable.schedule.between(start, end, 500_000) if blocked.blocker(at) is None]
    assert timetable.between(start, end, 500_000) == expected
    assert timetable.between(start, end, 300) == expected[:300]


@pytest.mark.parametrize(
    "schedule", ["30 9 * * *", "0 */5 * * SAT,SUN,MON", "15 23 1,15 * *", ["0 9 * * *", "0 10 * * SUN"]]
)
@pytest.mark.parametrize("limits", [{}, {"start_at": "2026-12-05T10:00:00Z", "end_at": "2027-01-10T08:00:00Z"}])
def test_it_is_moved_where_the_tick_moves_it(schedule: Any, limits: dict[str, str]) -> None:
    calendars = known(
        holidays={"dates": ["2026-12-24..2027-01-03", "2027-02-01"]},
        quiet={"weekly": ["SAT,SUN", "MON 00:00-12:00"], "periods": ["2026-12-01T05:00:00Z..2026-12-02T12:00:00Z"]},
    )
    named = job(
        schedule=schedule, timezone="Europe/Paris", calendars=["holidays", "quiet"], on_blocked="next_day", **limits
    )
    timetable = timetable_of(named, NOW, calendars)
    end = NOW + timedelta(days=120)
    rule = OccurrenceRule(
        schedule=named.schedule, start_at=timetable.first, end_at=named.last, on_blocked=OnBlocked.NEXT_DAY
    )
    known_last = Timetable(
        schedule=named.schedule, first=timetable.first, last=named.last, moved=True, calendars=timetable.calendars
    )
    expected = Unblocked(rule, timetable.calendars, wall_clock("Europe/Paris")).between(NOW, end, 999)
    assert known_last.between(NOW, end, 999) == expected
    assert known_last.between(NOW, end, 7) == expected[:7]


def test_a_job_that_is_due_too_often_to_be_moved_is_counted_as_if_it_were_skipped() -> None:
    weekends = known(weekends={"weekly": ["SAT,SUN"]})
    assert runs("* * * * *", weekends, on_blocked="next_day") == runs("* * * * *", weekends)


def test_a_long_block_of_a_dense_schedule_is_passed_over_at_once() -> None:
    assert runs("* * * * * *", known(closed={"periods": ["2020-01-01T00:00:00Z..2400-01-01T00:00:00Z"]})) == 0
    month = known(closed={"dates": ["2026-11-20..2026-12-19"]})
    assert runs("* * * * * *", month) == 18.5 * 3600 + 1, "on 20 December, from midnight on"


def test_each_calendar_that_is_known_counts_and_others_block_nothing() -> None:
    named = job(calendars=["weekends", "away"])
    weekends = known(weekends={"weekly": ["SAT,SUN"]})
    assert timetable_of(named, NOW, weekends).closed == ("shop/weekends",)
    assert forecast([named], NOW, Assumed(), weekends)["shop/report"].runs < 730 * 0.8
    assert forecast([named], NOW, Assumed())["shop/report"].runs == 730
    assert forecast([named], NOW, Assumed(), {"other/weekends": weekends["shop/weekends"]})["shop/report"].runs == 730


def test_what_is_blocked_shares_no_batch() -> None:
    weekends = known(weekends={"weekly": ["MON-SAT"]})
    jobs = [
        job("open", "0 9 * * *"),
        *(job(f"shut-{number}", "0 9 * * *", calendars=["weekends"]) for number in range(9)),
    ]
    found = estimate(
        jobs, forecast(jobs, NOW, Assumed(), weekends), shipped_prices().region("us-east-1"), NOW, calendars=weekends
    )
    calls = found.jobs[0].usage.of(Unit.SQS_CALL) / found.jobs[0].month.runs
    assert calls == pytest.approx(4 * (6 + 0.1) / 7, rel=0.01), "alone on six days of seven"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("dates", {"dates": "2026-12-25"}),
        ("dates[1]", {"dates": ["2026-12-25", "2026-02-30"]}),
        ("weekly[0]", {"weekly": ["SATURDAY"]}),
        ("periods[0]", {"periods": ["2026-12-01"]}),
        ("periods", {"periods": [5]}),
    ],
)
def test_a_calendar_that_cannot_be_read_says_where(path: str, says: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError) as refused:
        known(wrong=says)
    assert refused.value.path == path
    assert refused.value.hint or "2026-02-30" in refused.value.message
