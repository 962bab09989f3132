from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain import occurrence_rule
from minutehand.domain.planning import MOST_AT_ONCE, Plan, plan
from minutehand.domain.policies import CatchUp
from minutehand.schedule import ScheduleError
from tests.unit.domain.examples import MINUTE, SECOND, at, timer

LOOK_AHEAD = 2 * MINUTE
ALL, LATEST, SKIP = CatchUp.ALL, CatchUp.LATEST, CatchUp.SKIP


def planned(now: str, next_at: str, schedule: str = "* * * * *", **fields: Any) -> Plan:
    return plan(timer(next_at, schedule, **fields), now=at(now), until=at(now) + LOOK_AHEAD)


def clock_times(plan: Plan) -> list[str]:
    return [f"{instant:%H:%M:%S}" for instant in plan.occurrences]


@pytest.mark.parametrize(
    ("now", "next_at", "schedule", "occurrences", "then", "why"),
    [
        ("09:00", "09:02", "2-59/30 * * * *", ["09:02:00"], "09:32", "due at the very end of the look-ahead"),
        ("09:00", "09:02:01", "1 2 9 * * *", [], "09:02:01", "a second beyond it: not yet"),
        ("09:00", "09:00", "* * * * *", ["09:00:00", "09:01:00", "09:02:00"], "09:03", "several times: all at once"),
        ("09:00:40", "09:02", "* * * * *", ["09:02:00"], "09:03", "a tick before took 09:01"),
        ("09:00:00.900", "09:00", "0 9 * * *", ["09:00:00"], "next day", "once a day"),
        ("09:04", "09:00", "*/5 * * * *", ["09:00:00", "09:05:00"], "09:10", "late, but within the grace"),
        ("09:00", "09:00", "*/40 * * * * *",
         ["09:00:00", "09:00:40", "09:01:00", "09:01:40", "09:02:00"], "09:02:40", "seconds count"),
    ],
)  # fmt: skip
def test_occurrences_within_the_look_ahead_are_planned_at_once(
    now: str, next_at: str, schedule: str, occurrences: list[str], then: str, why: str
) -> None:
    plan = planned(now, next_at, schedule)
    assert clock_times(plan) == occurrences, why
    assert plan.next_at == (at("09:00") + timedelta(days=1) if then == "next day" else at(then))
    assert plan.skipped is None


# Grace 5 minutes, window 60 minutes. `skipped` is the range's first instant and where it ends; None: nothing is skipped.
MISFIRES = [
    (SKIP, "09:05", "09:00", None, "09:00", "exactly the grace late is on time"),
    (SKIP, "09:05:00.999", "09:00", None, "09:00", "what is below a second does not count"),
    (SKIP, "09:05:01", "09:00", ("09:00", "09:01"), "09:01", "a second more is a misfire"),
    (SKIP, "09:07", "09:00", ("09:00", "09:02"), "09:02", "skip: what misfired does not run, what is on time does"),
    (LATEST, "09:05", "09:00", None, "09:00", "exactly the grace late is on time"),
    (LATEST, "09:07", "09:00", ("09:00", "09:01"), "09:01", "the last that misfired runs, and all that are on time"),
    (LATEST, "09:06", "09:00", None, "09:00", "only one misfired: it is the latest"),
    (LATEST, "14:00", "09:00", ("09:00", "13:54"), "13:54", "hours later"),
    (ALL, "09:30", "09:00", None, "09:00", "all: each within the window"),
    (ALL, "10:00", "09:00", None, "09:00", "exactly the window old still runs"),
    (ALL, "10:00:01", "09:00", ("09:00", "09:01"), "09:01", "a second more does not"),
    (ALL, "14:00", "09:00", ("09:00", "13:00"), "13:00", "hours later"),
]  # fmt: skip


@pytest.mark.parametrize(("catch_up", "now", "next_at", "skipped", "first", "why"), MISFIRES)
def test_misfired_occurrences_run_as_catch_up_allows(
    catch_up: CatchUp, now: str, next_at: str, skipped: tuple[str, str] | None, first: str, why: str
) -> None:
    plan = planned(now, next_at, catch_up=catch_up)
    assert plan.occurrences[0] == at(first), why
    if skipped is None:
        assert plan.skipped is None, why
    else:
        assert plan.skipped is not None, why
        assert (plan.skipped.first, plan.skipped.until) == (at(skipped[0]), at(skipped[1])), why
        assert str(plan.skipped.policy) == f"catch_up={catch_up.value}"


@pytest.mark.parametrize(
    ("now", "skipped_until", "first", "why"),
    [
        ("10:00", None, "09:00", "exactly the window old: it runs, late"),
        ("10:00:01", "next day", None, "a second older: it does not, and the next is tomorrow"),
    ],
)
def test_the_latest_runs_only_within_the_window(
    now: str, skipped_until: str | None, first: str | None, why: str
) -> None:
    plan = planned(now, "09:00", "0 9 * * *", catch_up=LATEST)
    tomorrow = at("09:00") + timedelta(days=1)
    assert plan.occurrences == ((at(first),) if first else ()), why
    assert (plan.skipped and plan.skipped.until) == (tomorrow if skipped_until else None)
    assert plan.next_at == tomorrow


def test_a_grace_longer_than_the_window_still_lets_the_on_time_run() -> None:
    plan = planned("09:30", "09:00", "*/10 * * * *", catch_up=LATEST, misfire_grace=20 * MINUTE, catchup_window=MINUTE)
    assert clock_times(plan) == ["09:10:00", "09:20:00", "09:30:00"]


def test_the_latest_is_found_however_far_back_it_lies() -> None:
    plan = planned("23:00", "01:00", "0 1,5 * * *", catch_up=LATEST, catchup_window=timedelta(days=1))
    assert (clock_times(plan), plan.skipped and plan.skipped.until) == (["05:00:00"], at("05:00"))


@pytest.mark.parametrize("schedule", ["* * * * * *", "@every 1s", "*/2 * * * * *"])
def test_the_latest_of_very_many_is_the_last_of_them(schedule: str) -> None:
    plan = planned("21:00", "01:00", schedule, catch_up=LATEST, catchup_window=timedelta(days=1))
    on_time = at("21:00") - 5 * MINUTE
    assert plan.occurrences[0] == on_time - (2 if schedule.startswith("*/2") else 1) * SECOND
    assert plan.skipped is not None
    assert plan.skipped.until == plan.occurrences[0]


def test_a_skipped_range_may_reach_into_the_future() -> None:
    plan = planned("09:20", "09:00", "0 9,12 * * *", catch_up=SKIP)
    assert plan.skipped is not None
    assert (plan.skipped.first, plan.skipped.until, plan.occurrences) == (at("09:00"), at("12:00"), ())
    assert plan.next_at == at("12:00")


ONCE = "at(2026-11-20T09:00:00)"


def test_a_schedule_at_its_end_leaves_no_next_instant() -> None:
    plan = planned("09:00", "09:00", ONCE)
    assert (plan.occurrences, plan.next_at, plan.skipped) == ((at("09:00"),), None, None)


def test_a_schedule_whose_last_instant_misfired_is_at_its_end_too() -> None:
    plan = planned("09:20:00.500", "09:00", ONCE, catch_up=SKIP)
    assert (plan.occurrences, plan.next_at) == ((), None)
    assert plan.skipped is not None
    assert (plan.skipped.first, plan.skipped.until) == (at("09:00"), at("09:20")), "the range ends now"


def test_no_more_than_so_many_are_planned_at_once_and_the_rest_stays_due() -> None:
    plan = plan_of_seconds(MOST_AT_ONCE)
    assert len(plan.occurrences) == MOST_AT_ONCE
    assert plan.next_at == at("09:00") + MOST_AT_ONCE * SECOND == plan.occurrences[-1] + SECOND


@pytest.mark.parametrize("seconds", [MOST_AT_ONCE - 2, MOST_AT_ONCE - 1])
def test_a_plan_has_at_most_the_maximum_of_occurrences(seconds: int) -> None:
    plan = plan_of_seconds(seconds)
    assert len(plan.occurrences) == seconds + 1
    assert plan.next_at == plan.occurrences[-1] + SECOND


def plan_of_seconds(seconds: int) -> Plan:
    return plan(timer("09:00", "* * * * * *"), now=at("09:00"), until=at("09:00") + seconds * SECOND)


@pytest.mark.parametrize("catch_up", list(CatchUp))
@pytest.mark.parametrize("schedule", ["* * * * * *", "@every 1s", "0 0 1 1 *"])
def test_a_long_downtime_costs_a_few_questions_to_the_schedule(
    catch_up: CatchUp, schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    for name in ("next", "between"):
        right = getattr(occurrence_rule.Schedule, name)

        def counted(*given: Any, name: str = name, right: Any = right) -> Any:
            asked[name] += 1
            return right(*given)

        monkeypatch.setattr(occurrence_rule.Schedule, name, counted)
    week = timedelta(days=7)
    late = timer(at("09:00") - week, schedule, catch_up=catch_up, catchup_window=2 * week)
    plan(late, now=at("09:00"), until=at("09:02"))
    assert asked.total() < 20


def test_a_timer_without_a_next_instant_cannot_be_planned() -> None:
    with pytest.raises(ValueError, match="shop/report is paused or finished"):
        plan(timer(None), now=at("09:00"), until=at("09:02"))


def test_a_schedule_that_cannot_be_read_is_an_error() -> None:
    damaged = replace(timer("09:00"), rule="damaged")
    with pytest.raises(ScheduleError, match="the stored schedule cannot be used"):
        plan(damaged, now=at("09:00"), until=at("09:02"))


def test_a_catchup_window_shorter_than_the_grace_drops_no_occurrence_on_time() -> None:
    def first(policy: CatchUp) -> object:
        given = timer("09:00", "*/10 * * * *", catch_up=policy, misfire_grace=20 * MINUTE, catchup_window=MINUTE)
        return plan(given, now=at("09:30"), until=at("09:32")).occurrences[0]

    assert first(CatchUp.ALL) == first(CatchUp.SKIP) == at("09:10")


def test_a_timer_at_an_instant_that_is_not_named_moves_to_the_next_named_one() -> None:
    planned = plan(timer("09:13:07", "*/5 * * * *"), now=at("09:12:07"), until=at("09:14:07"))
    assert (planned.occurrences, planned.advance_from, planned.next_at) == ((), at("09:13:07"), at("09:15"))
