"""New time zone data: each timer keeps its time of day, and no occurrence is doubled or lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from minutehand.domain import planning
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.schedule import zones
from minutehand.schedule.tzif import Changes
from minutehand.schedule.wall import wall_clock
from minutehand.usecases.ports.stores import Renewal
from minutehand.usecases.upkeep.renew import JOBS_AT_ONCE, renew
from minutehand.usecases.upkeep.rests import Upkept
from tests.unit.domain.examples import job
from tests.unit.usecases.dispatching.calendars.closing import NEXT_DAY, called, closed_days, run_until
from tests.unit.usecases.stage import Stage

PARIS = "Europe/Paris"
MINUTE = timedelta(minutes=1)
PLENTY = timedelta(minutes=1)


@contextmanager
def data(changes: dict[str, Changes]) -> Iterator[None]:
    """Other data for some zones, as a new release of the tzdata wheel would bring them."""
    read = zones._changes

    def other(name: str, through_year: int) -> Changes:
        return changes.get(name) or read(name, through_year)

    patch = pytest.MonkeyPatch()
    patch.setattr(zones, "_changes", other)
    _forget()
    try:
        yield
    finally:
        patch.undo()
        _forget()


def _forget() -> None:
    for cache in (zones.segments, rule_of, wall_clock, planning._named):
        cache.cache_clear()


def clocks(*changes: tuple[str, float]) -> Changes:
    """Clocks with no offset at first, and these from these instants on."""
    return Changes(
        first_offset=0,
        instants=tuple(int(utc(instant).timestamp()) for instant, _ in changes),
        offsets=tuple(int(hours * 3600) for _, hours in changes),
        for_ever=True,
    )


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


OLD = clocks(("1950-01-01T00:00", 1))
LATER_ONE = clocks(("1950-01-01T00:00", 1), ("2026-11-25T00:00", 0))
"""Clocks that are put back by an hour in five days: nine o'clock comes an hour later."""
EARLIER_ONE = clocks(("1950-01-01T00:00", 1), ("2026-11-25T00:00", 2))


def saved(stage: Stage, name: str = "daily", schedule: str = "0 9 * * *", **fields: object) -> JobKey:
    wanted = job(key=JobKey("shop", name), schedule=schedule, timezone=PARIS, **fields)
    stage.save(wanted)
    return wanted.key


def ran(stage: Stage, key: JobKey, until: str) -> list[str]:
    """Tick until then, each minute that something may be due in, and answer the instants that were dispatched."""
    end = utc(until)
    while (due := stage.next_at(key)) is not None and due <= end:
        stage.now = max(due - MINUTE, stage.now + MINUTE)
        stage.tick()
    return sorted(run_key.run_id for run_key in stage.state.runs if run_key.job == key)


def renewed(stage: Stage, time_left: timedelta = PLENTY, version: str = "next") -> int:
    return renew(stage.ports, time_left=lambda: time_left, version=version).moved


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (LATER_ONE, ["20261123T080000Z", "20261124T080000Z", "20261125T090000Z", "20261126T090000Z"]),
        (EARLIER_ONE, ["20261123T080000Z", "20261124T080000Z", "20261125T070000Z", "20261126T070000Z"]),
    ],
)
@pytest.mark.parametrize("known_at", ["2026-11-20T09:00", "2026-11-24T08:30", "2026-11-25T06:30"])
def test_a_daily_job_runs_once_a_day_whenever_the_new_data_arrive(
    new: Changes, expected: list[str], known_at: str
) -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-22T12:00")
        key = saved(stage)
        ran(stage, key, known_at)
    with data({PARIS: new}):
        stage.now = max(stage.now, utc(known_at))
        renewed(stage)
        assert ran(stage, key, "2026-11-26T12:00") == expected


def test_an_occurrence_whose_new_instant_has_passed_runs_late_by_the_rules_for_misfires() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-24T12:00")
        key = saved(stage)
        assert stage.next_at(key) == utc("2026-11-25T08:00")
    with data({PARIS: EARLIER_ONE}):
        stage.now = utc("2026-11-25T07:30")
        assert renewed(stage) == 1
        assert stage.next_at(key) == utc("2026-11-25T07:00")
        stage.tick()
        assert [run.run_id for run in stage.state.runs] == ["20261125T070000Z"]


def test_an_occurrence_that_has_run_does_not_run_again_at_its_new_instant() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-24T12:00")
        key = saved(stage)
        ran(stage, key, "2026-11-25T08:00")
    with data({PARIS: LATER_ONE}):
        stage.now = utc("2026-11-25T08:30")
        renewed(stage)
        assert ran(stage, key, "2026-11-26T12:00") == ["20261125T080000Z", "20261126T090000Z"]


def test_planning_renews_a_timer_that_is_due_before_the_renewal_reaches_it() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-24T12:00")
        key = saved(stage)
    with data({PARIS: LATER_ONE}):
        assert ran(stage, key, "2026-11-26T12:00") == ["20261125T090000Z", "20261126T090000Z"]


@pytest.mark.parametrize("schedule", ["* * * * *", "*/20 * * * *", "@every 90s", "0 * * * *"])
def test_a_job_that_names_no_time_of_day_stays_where_it_is(schedule: str) -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-24T23:59")
        key = saved(stage, schedule=schedule)
        before = stage.next_at(key)
    with data({PARIS: LATER_ONE}):
        assert renewed(stage) == 0
        assert stage.next_at(key) == before


def test_a_run_that_was_claimed_under_the_old_data_goes_ahead_under_the_new() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-25T07:59")
        key = saved(stage)
        stage.tick()
    with data({PARIS: LATER_ONE}):
        stage.now = utc("2026-11-25T08:00")
        [handled] = stage.execute(stage.receive())
        assert handled.started
        assert handled.run is not None
        assert handled.run.key == RunKey.scheduled(key, utc("2026-11-25T08:00"))


def test_several_jobs_of_many_namespaces_are_moved_in_steps_and_each_once() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-24T12:00")
        for n in range(JOBS_AT_ONCE + 5):
            saved(stage, f"daily-{n}")
        stage.save(job(key=JobKey("bank", "daily"), schedule="0 9 * * *", timezone=PARIS))
        stage.save(job(key=JobKey("zoo", "utc"), schedule="0 9 * * *"))
    with data({PARIS: LATER_ONE}):
        ways = iter([PLENTY, PLENTY, timedelta(seconds=5)])
        first = renew(stage.ports, time_left=lambda: next(ways), version="next")
        assert first == Upkept(JOBS_AT_ONCE + 1, more=True)  # bank's, and a page of shop's
        assert stage.timers.renewal().done is False
        assert renewed(stage) == 5
        assert stage.timers.renewal() == Renewal(version="next", done=True)
        gets = stage.timers.calls["get"]
        assert renewed(stage) == 0
        assert stage.timers.calls["get"] == gets
        assert {timer.next_at for timer in stage.state.timers.values()} == {utc("2026-11-25T09:00")}


def test_a_renewal_starts_over_for_newer_data() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-24T12:00")
        key = saved(stage)
        stage.timers.record_renewal(Renewal(version="older", namespace="zoo", cursor="x"))
    with data({PARIS: LATER_ONE}):
        assert renewed(stage) == 1
        assert stage.next_at(key) == utc("2026-11-25T09:00")


def test_a_timer_that_moved_meanwhile_is_left_alone() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-24T12:00")
        key = saved(stage)
    with data({PARIS: LATER_ONE}):
        stage.timers.before("advance", lambda: stage.save(job(key=key, schedule="0 10 * * *", timezone=PARIS)))
        renewed(stage)
        assert stage.next_at(key) == utc("2026-11-25T10:00")


@pytest.mark.thorough
def test_a_moved_occurrence_keeps_its_time_of_day_too() -> None:
    stage = Stage()
    with data({PARIS: OLD}):
        stage.now = utc("2026-11-23T12:00")
        closed_days(stage, utc("2026-11-24T00:00").date())
        stage.save(schedule="0 9 24 * *", timezone=PARIS, **NEXT_DAY)
        run_until(stage, utc("2026-11-24T12:00"), 5 * MINUTE)
        assert stage.next_at() == utc("2026-11-25T08:00")
    with data({PARIS: EARLIER_ONE}):
        assert renewed(stage) == 1
        run_until(stage, utc("2026-11-25T12:00"))
        assert called(stage) == ["25 07:00"]


def test_a_timer_set_aside_across_a_clock_change_is_not_moved_as_if_by_new_data() -> None:
    stage = Stage()
    with data({PARIS: LATER_ONE}):
        stage.now = utc("2026-11-24T12:00")
        closed_days(stage)
        key = saved(stage, schedule="0 0 * * *", calendars=("closed",))
        stage.state.calendars.clear()  # so that its planning fails
        stage.now = utc("2026-11-25T00:58")
        stage.tick()
        timer = stage.state.timers[key]
        assert isinstance(timer, Timer)
        assert (timer.next_at, timer.offset) == (utc("2026-11-25T01:08"), timedelta(0))
        assert renewed(stage) == 0
