"""Plans of timers whose rules name calendars. Plans are pure: nothing is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.calendar import Calendar, CalendarKey, Period
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.planning import MOST_AT_ONCE, Plan, plan
from minutehand.domain.policies import CatchUp, OnBlocked
from minutehand.schedule import Schedule
from tests.unit.domain.examples import MINUTE, SECOND, at, timer

LOOK_AHEAD = 2 * MINUTE
DAY = timedelta(days=1)
SKIP, LATEST, ALL = CatchUp.SKIP, CatchUp.LATEST, CatchUp.ALL
KEY = CalendarKey("shop", "closed")


def closed(*periods: tuple[str, str]) -> dict[CalendarKey, Calendar]:
    found = tuple(Period(at(first), at(until)) for first, until in periods)
    return {KEY: Calendar(KEY, "", (), (), found, revision=1, updated_at=at("08:00"), updated_by="ada")}


def planned(now: str, next_at: str, *periods: tuple[str, str], schedule: str = "* * * * *", **fields: Any) -> Plan:
    limits = {name: fields.pop(name) for name in ("on_blocked", "end_at") if name in fields}
    rule = OccurrenceRule(schedule=Schedule.parse(schedule), calendars=("closed",), **limits)
    given = replace(timer(next_at, **fields), rule=rule.encode())
    return plan(given, now=at(now), until=at(now) + LOOK_AHEAD, calendars=closed(*periods))


def shown(plan: Plan) -> tuple[Any, ...]:
    skipped = plan.skipped and (
        f"{plan.skipped.first:%H:%M:%S}", f"{plan.skipped.until:%H:%M:%S}", plan.skipped.policy.cause.value
    )  # fmt: skip
    return (
        [f"{t:%H:%M}" for t in plan.occurrences],
        skipped,
        *(t and f"{t:%H:%M}" for t in (plan.advance_from, plan.next_at)),
    )


# Of a job that is due each minute: now, the timer's instant, what is closed; then what runs, what is recorded, the
# timer's instant once that is recorded, and its instant once all that runs is sent.
CASES = [
    ("09:00", "09:00", [], ["09:00", "09:01", "09:02"], None, "09:00", "09:03", "nothing is closed"),
    ("09:00", "09:00", [("09:01", "09:30")], ["09:00"], None, "09:00", "09:01", "what is open, up to what is closed"),
    ("09:00", "09:01", [("09:01", "09:30")], [], ("09:01:00", "09:02:01", "calendar"), "09:03", "09:03",
     "what is closed is recorded as far as it is due"),
    ("09:00", "09:00", [("08:00", "09:02")], ["09:02"], ("09:00:00", "09:02:00", "calendar"), "09:02", "09:03",
     "what is closed, and what is open behind it, in one"),
    ("09:00", "09:00", [("08:00", "09:01"), ("09:02", "09:03")], ["09:01"], ("09:00:00", "09:01:00", "calendar"),
     "09:01", "09:02", "up to the next that is closed"),
    ("09:00", "12:00", [("11:00", "13:00")], [], None, "12:00", "12:00", "not due yet: nothing is done"),
    ("09:00", "09:00:20", [("09:01", "09:30")], [], None, "09:00", "09:01", "the schedule does not name the timer's instant"),
    ("09:30", "09:00", [("09:00", "09:28")], ["09:28", "09:29", "09:30", "09:31", "09:32"],
     ("09:00:00", "09:28:00", "calendar"), "09:28", "09:33", "what was closed in an outage did not misfire"),
    ("09:30", "09:00", [("09:00", "09:10")], [], ("09:00:00", "09:10:00", "calendar"), "09:10", "09:10",
     "what was closed first, and what misfired next"),
    ("09:30", "09:10", [("09:00", "09:10"), ("09:20", "09:29")], ["09:19"], ("09:10:00", "09:19:00", "catch_up"),
     "09:19", "09:20", "the latest that misfired is the latest that was open"),
]  # fmt: skip


@pytest.mark.parametrize(("now", "next_at", "periods", "runs", "recorded", "stands_at", "then", "why"), CASES)
def test_each_minute_runs_or_is_recorded(
    now: str, next_at: str, periods: list[tuple[str, str]], runs: list[str], recorded: Any, stands_at: str, then: str, why: str
) -> None:  # fmt: skip
    assert shown(planned(now, next_at, *periods)) == (runs, recorded, stands_at, then), why


@pytest.mark.parametrize(("catch_up", "first"), [(SKIP, "09:40"), (LATEST, "09:29"), (ALL, "09:10")])
def test_misfired_occurrences_that_were_not_blocked_run_as_catch_up_allows(catch_up: CatchUp, first: str) -> None:
    found = planned("09:41", "09:10", ("09:30", "09:40"), catch_up=catch_up)
    assert found.occurrences[0] == at(first)


@pytest.mark.parametrize("catch_up", list(CatchUp))
@pytest.mark.parametrize("periods", [[("09:00", "10:00")], [("09:30", "09:31"), ("09:45", "11:00")], []])
def test_plan_after_plan_gets_past_an_outage_and_accounts_for_each_minute(
    catch_up: CatchUp, periods: list[tuple[str, str]]
) -> None:
    next_at, ran, ranges = at("08:50"), [], []
    for _ in range(20):
        if next_at > at("10:32"):
            break
        found = planned("10:30", f"{next_at:%H:%M:%S}", *periods, catch_up=catch_up)
        ran += found.occurrences
        ranges += [found.skipped] if found.skipped else []
        assert found.next_at is not None
        assert found.next_at > next_at, "it moves on each time"
        next_at = found.next_at
    minutes = [at("08:50") + n * MINUTE for n in range(103)]
    assert [ran.count(t) + sum(r.first <= t < r.until for r in ranges) for t in minutes] == [1] * len(minutes)
    assert next_at == at("10:33")


def test_no_more_than_so_many_are_planned_at_once() -> None:
    found = planned(
        "09:30", "09:00", ("09:29", "09:30"), schedule="* * * * * *", catch_up=ALL, max_catch_up=MOST_AT_ONCE
    )
    assert len(found.occurrences) == MOST_AT_ONCE
    assert found.next_at == found.occurrences[-1] + SECOND


def test_a_job_of_every_second_in_a_long_block_is_recorded_as_far_as_it_is_due() -> None:
    found = planned("09:00", "09:00", ("08:00", "23:00"), schedule="* * * * * *")
    assert shown(found) == ([], ("09:00:00", "09:02:01", "calendar"), "09:02", "09:02")
    assert found.advance_from == at("09:02:01")


@pytest.mark.parametrize("catch_up", list(CatchUp))
def test_an_outage_and_a_long_block_cost_a_few_questions_to_the_calendar(
    catch_up: CatchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, blocks = 0, Calendar.blocks

    def counted(*given: Any) -> bool:
        nonlocal asked
        asked += 1
        return blocks(*given)

    monkeypatch.setattr(Calendar, "blocks", counted)
    plan = planned("23:00", "00:00", ("06:00", "22:50"), schedule="* * * * * *", catch_up=catch_up, catchup_window=DAY)
    assert plan.skipped is not None or catch_up is ALL
    assert asked < 5 * MOST_AT_ONCE


def test_a_limit_counts_runs_and_not_blocked_occurrences() -> None:
    found = planned("09:00", "09:00", ("08:00", "09:01"), runs_left=1)
    assert shown(found) == (["09:01"], ("09:00:00", "09:01:00", "calendar"), "09:01", None)


def test_a_window_that_ends_in_a_block_ends_there() -> None:
    found = planned("09:00", "09:01", ("09:01", "09:30"), end_at=at("09:02"))
    assert shown(found) == ([], ("09:01:00", "09:02:01", "calendar"), None, None)


def test_a_moved_occurrence_has_a_mark_on_each_day_until_one_is_open() -> None:
    found = planned("09:00", "09:00", ("08:00", "10:00"), schedule="0 9 20 * *", on_blocked=OnBlocked.NEXT_DAY)
    assert found.occurrences == ()
    assert found.next_at == at("09:00") + timedelta(days=1)
    assert found.skipped is not None
    assert str(found.skipped.policy) == "calendar=closed, moved to the next day that is open"


def test_a_calendar_that_is_missing_is_an_error() -> None:
    given = replace(
        timer("09:00"), rule=OccurrenceRule(schedule=Schedule.parse("* * * * *"), calendars=("gone",)).encode()
    )
    with pytest.raises(ValueError, match="there is no calendar shop/gone, which the job names"):
        plan(given, now=at("09:00"), until=at("09:02"))
