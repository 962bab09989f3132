from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from minutehand.domain.dependencies import (
    Window,
    child_key,
    child_run,
    joined,
    satisfied,
    window_of,
    window_problem,
)
from minutehand.domain.durations import parse_duration
from minutehand.domain.instants import from_text, to_text
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, Join, On
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from tests.unit.domain.examples import KEY, SECOND, at, definition, job, run

EXTRACT, LOAD = JobKey("shop", "extract"), JobKey("shop", "load")
DAY = timedelta(days=1)


def child(*parents: Dependency, window: str | None = None, **fields: Any) -> Job:
    """A job that depends on these, by default on the success of two."""
    entries = parents or (Dependency(EXTRACT, On.SUCCESS), Dependency(LOAD, On.SUCCESS))
    return job("@manual", depends_on=entries, join_window=parse_duration(window) if window else None, **fields)


def ended(parent: JobKey, clock: str = "09:00", state: RunState = RunState.SUCCEEDED, **fields: Any) -> Run:
    return run(clock, **{"key": RunKey.scheduled(parent, at(clock)), "state": state, **fields})


def bounds_of(window: Window) -> tuple[str, str]:
    return to_text(window.start), to_text(window.end)


def test_without_a_window_an_instant_is_its_own_window() -> None:
    assert window_of(child(timezone="Asia/Kolkata"), at("09:00:17")) == Window(at("09:00:17"), at("09:00:18"))


# Length, zone and instant; then when its window begins and ends, all in UTC.
WINDOWS = [
    ("1d", "UTC", "2026-11-20T23:59:59Z", "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"),
    ("1d", "America/New_York", "2026-11-20T04:59:59Z", "2026-11-19T05:00:00Z", "2026-11-20T05:00:00Z"),
    ("1d", "America/New_York", "2026-11-20T05:00:00Z", "2026-11-20T05:00:00Z", "2026-11-21T05:00:00Z"),
    # a day of 23 hours, and one of 25
    ("1d", "Europe/Paris", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
    ("1d", "Europe/Paris", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
    # six hours that last five, and seven
    ("6h", "Europe/Paris", "2026-03-29T03:30:00Z", "2026-03-28T23:00:00Z", "2026-03-29T04:00:00Z"),
    ("6h", "Europe/Paris", "2026-10-25T04:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T05:00:00Z"),
    # the hour from two to three comes twice, and each has a window
    ("1h", "Europe/Paris", "2026-10-25T00:30:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"),
    ("1h", "Europe/Paris", "2026-10-25T01:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"),
    ("15m", "Europe/Paris", "2026-10-25T01:29:59Z", "2026-10-25T01:15:00Z", "2026-10-25T01:30:00Z"),
    # the hours of clocks that differ by half an hour begin when those clocks say so
    ("1h", "Asia/Kolkata", "2026-11-20T09:00:00Z", "2026-11-20T08:30:00Z", "2026-11-20T09:30:00Z"),
    # half an hour that comes twice, and is no window of an hour
    ("1h", "Australia/Lord_Howe", "2026-04-04T14:59:00Z", "2026-04-04T14:00:00Z", "2026-04-04T15:00:00Z"),
    ("1h", "Australia/Lord_Howe", "2026-04-04T15:01:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z"),
    # a midnight that does not exist, and one that comes twice
    ("1d", "America/Havana", "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
    ("1d", "America/Havana", "2024-11-03T04:30:00Z", "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z"),
    ("1d", "America/Havana", "2024-11-03T05:30:00Z", "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z"),
    # a minute after midnight the clocks went back to the evening before: the new day had begun
    ("1d", "America/St_Johns", "2006-10-29T02:45:00Z", "2006-10-29T02:30:00Z", "2006-10-30T03:30:00Z"),
    ("7d", "UTC", "2026-11-20T09:00:00Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"),
    ("7d", "UTC", "2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"),
]


@pytest.mark.parametrize(("length", "zone", "instant", "begins", "ends"), WINDOWS)
def test_windows_are_cut_on_the_clocks_of_the_jobs_zone(
    length: str, zone: str, instant: str, begins: str, ends: str
) -> None:
    assert bounds_of(window_of(child(window=length, timezone=zone), from_text(instant))) == (begins, ends)


ZONES = ["UTC", "Europe/Paris", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca"]


# Around these days of 2026 the clocks of one of them are changed.
CHANGES = [(2, 14), (3, 7), (3, 21), (3, 28), (4, 4), (10, 3), (10, 24)]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("length", ["15m", "45m", "1h", "4h", "12h", "1d", "3d", "7d"])
@pytest.mark.thorough
def test_every_instant_is_in_one_window_that_holds_it_whatever_the_clocks_do(length: str, zone: str) -> None:
    a_child = child(window=length, timezone=zone)
    for month, day in CHANGES:
        first = datetime(2026, month, day, tzinfo=UTC)
        last = window_of(a_child, first)
        for step in range(60):
            instant = first + step * timedelta(minutes=59)
            window = window_of(a_child, instant)
            assert window.start <= instant < window.end, instant
            assert window_of(a_child, window.start).start == window.start, instant
            assert last.start <= window.start, instant
            last = window


@pytest.mark.parametrize("length", [None, *map(parse_duration, ("1s", "5m", "48m", "1h", "8h", "1d", "2d", "31d"))])
def test_a_window_divides_a_day_or_is_whole_days(length: timedelta | None) -> None:
    assert window_problem(length) is None


@pytest.mark.parametrize("length", ["7s", "7m", "50m", "5h", "18h", "25h", "36h", "32d", "0s"])
def test_other_window_lengths_are_refused(length: str) -> None:
    assert window_problem(parse_duration(length)) is not None


@pytest.mark.parametrize(
    ("on", "states"),
    [
        (On.SUCCESS, {"succeeded"}),
        (On.FAILURE, {"failed", "timed_out", "lost"}),
        (On.END, {"succeeded", "failed", "timed_out", "lost", "cancelled"}),
        (On.SKIPPED, {"skipped"}),
    ],
)
def test_a_parents_run_counts_when_it_ended_as_required(on: On, states: set[str]) -> None:
    entry = Dependency(EXTRACT, on)
    assert {s.value for s in RunState if satisfied(entry, ended(EXTRACT, state=s))} == states
    assert not any(satisfied(entry, ended(LOAD, state=s)) for s in RunState), "of another job"


def test_a_join_of_all_waits_for_every_parent() -> None:
    a_child, extract, load = child(), ended(EXTRACT), ended(LOAD)
    window = window_of(a_child, at("09:00"))
    assert joined(a_child, window, {EXTRACT: [extract]}, ended=extract) is None
    assert joined(a_child, window, {EXTRACT: [extract], LOAD: [load]}, ended=load) == (extract, load)


@pytest.mark.parametrize(
    ("load", "why"),
    [
        (ended(LOAD, "09:01"), "of another window"),
        (ended(LOAD, state=RunState.RUNNING), "still running"),
        (ended(LOAD, state=RunState.FAILED), "not as asked"),
    ],
)
def test_runs_that_do_not_count_join_nothing(load: Run, why: str) -> None:
    a_child, extract = child(), ended(EXTRACT)
    window = window_of(a_child, at("09:00"))
    assert joined(a_child, window, {EXTRACT: [extract], LOAD: [load]}, ended=extract) is None, why


def test_a_join_of_any_takes_the_runs_that_exist() -> None:
    a_child, load = child(join=Join.ANY), ended(LOAD)
    assert joined(a_child, window_of(a_child, at("09:00")), {LOAD: [load]}, ended=load) == (load,)
    assert joined(a_child, window_of(a_child, at("09:00")), {}, ended=load) is None


def test_of_several_runs_the_one_that_just_ended_counts_and_else_the_newest() -> None:
    a_child = child(window="1d")
    early, late = ended(EXTRACT, "06:00"), ended(EXTRACT, "12:00")
    first, second, failed = ended(LOAD, "07:00"), ended(LOAD, "08:00"), ended(LOAD, "09:00", RunState.FAILED)
    runs = {EXTRACT: [early, late], LOAD: [first, second, failed]}
    assert joined(a_child, window_of(a_child, at("12:00")), runs, ended=early) == (early, second)


def test_triggered_and_backfilled_runs_count_by_their_nominal_instant() -> None:
    a_child = child(window="1h")
    by_hand = ended(EXTRACT, key=RunKey.triggered(EXTRACT, at("09:10"), "by-hand"))
    replayed = ended(LOAD, key=RunKey.backfilled(LOAD, at("09:50"), "replay"))
    runs = {EXTRACT: [by_hand], LOAD: [replayed]}
    assert joined(a_child, window_of(a_child, at("09:00")), runs, ended=replayed) == (by_hand, replayed)


def test_one_parent_may_be_waited_for_in_two_ways() -> None:
    a_child = child(Dependency(EXTRACT, On.FAILURE), Dependency(EXTRACT, On.SUCCESS), window="1d")
    failed, succeeded = ended(EXTRACT, "06:00", RunState.FAILED), ended(EXTRACT, "07:00")
    window = window_of(a_child, at("07:00"))
    assert joined(a_child, window, {EXTRACT: [failed]}, ended=failed) is None
    assert joined(a_child, window, {EXTRACT: [failed, succeeded]}, ended=succeeded) == (failed, succeeded)


def test_a_run_that_satisfies_two_entries_is_one_parent() -> None:
    a_child, extract = child(Dependency(EXTRACT, On.END), Dependency(EXTRACT, On.SUCCESS)), ended(EXTRACT)
    assert joined(a_child, window_of(a_child, at("09:00")), {EXTRACT: [extract]}, ended=extract) == (extract,)


def test_each_window_of_a_job_has_a_run_id_of_its_own() -> None:
    a_child = definition(join_window=timedelta(hours=1))
    keys = {child_key(a_child, window_of(a_child.job, at(clock))) for clock in ("09:00", "09:59:59", "10:00")}
    assert {key.run_id.partition("-")[0] for key in keys} == {"20261120T090000Z~child", "20261120T100000Z~child"}
    assert child_key(definition(), Window(at("09:00"), at("09:00:01"))) not in keys, "a window of another length"


def test_a_window_of_a_job_created_again_has_a_run_of_its_own() -> None:
    first, window = definition(join_window=DAY), Window(at("00:00"), at("00:00") + DAY)
    assert child_key(first, window).run_id == "20261120T000000Z~child-87ed080ca0f5d005", (
        "runs that are stored keep their names"
    )
    assert len({child_key(replace(first, made_anew=number), window) for number in (0, 2, 7)}) == 3


def test_a_childs_run_names_its_parents_and_is_late_only_from_their_end_on() -> None:
    extract = ended(EXTRACT)
    a_definition = definition(depends_on=(Dependency(EXTRACT, On.SUCCESS),), join_window=DAY)
    window = window_of(a_definition.job, at("09:00"))
    started = child_run(a_definition, child_key(a_definition, window), [extract], at("17:30:00.250"))
    assert (started.key.job, started.scheduled_for, started.parents) == (KEY, at("00:00"), (extract.key,))
    assert (started.starts_at, started.claimed_at) == (at("17:30"), at("17:30:00.250"))
    assert started.expires_at == at("17:30") + a_definition.job.retention
    assert started.key.started_by_parents
    assert not started.key.named_by_schedule


def test_a_childs_run_never_starts_before_its_window() -> None:
    a_definition = definition(depends_on=(Dependency(EXTRACT, On.SUCCESS),))
    key = child_key(a_definition, Window(at("09:00"), at("09:00") + SECOND))
    ahead = child_run(a_definition, key, [], at("08:59:59"))
    assert ahead.starts_at == at("09:00")
