"""Explanations of long ranges: equal findings joined, and in parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.findings import Kind
from minutehand.domain.policies import CatchUp, OnBlocked
from minutehand.domain.run import RunError, RunState
from minutehand.domain.timer import SkippedRange, SkipPolicy
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.queries.explain import MOST_FINDINGS, explain_range
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.queries.explaining import blocked_range, calendar, kinds, live
from tests.unit.usecases.stage import Stage


def test_runs_that_succeeded_at_the_first_attempt_share_a_finding(stage: Stage) -> None:
    stage.save()
    live(stage, "09:04")
    run = stage.run("09:03")
    assert run is not None
    stage.state.runs[run.key] = replace(run, state=RunState.FAILED, error=RunError(type="E", message="m"))
    stage.at("09:02:40")
    live(stage, "09:07")
    assert kinds(blocked_range(stage, "09:01", "09:06")) == [
        ("ran", "09:01:00", "09:02:00", 2),
        ("ran", "09:03:00", "09:03:00", 1),
        ("ran", "09:04:00", "09:06:00", 3),
    ]


def test_a_long_range_is_explained_in_parts_that_join(stage: Stage) -> None:
    stage.save(schedule="*/2 * * * * *")
    stage.at("09:10:00")

    def fails(call: Call) -> Outcome:
        return Outcome(state=RunState.FAILED, error=RunError(type="E", message=f"of run {call.run.key.run_id}"))

    for _ in range(20):
        stage.tick()
        arrived, stage.state.messages[:] = list(stage.receive()), []
        stage.execute([m for m in arrived if m.run.scheduled_for <= stage.now], fails)
    seen, first = [], at("09:00:31")
    for _ in range(50):
        found = explain_range(stage.ports, KEY, first, at("09:09:59"))
        assert len(found.findings) <= MOST_FINDINGS
        seen += [instant for f in found.findings for instant in (f.first, f.last)]
        if found.more_from is None:
            break
        assert found.more_from > first
        first = found.more_from
    assert found.more_from is None
    assert seen == sorted(seen)


def test_more_occurrences_than_the_maximum_are_explained_in_parts(stage: Stage) -> None:
    stage.save(schedule="* * * * * *", misfire_grace=SECOND, catch_up=CatchUp.SKIP)
    found = explain_range(stage.ports, KEY, at("10:00"), at("13:00"))
    assert kinds(found) == [("not_yet_due", "10:00:00", "11:23:19", 5000)]
    assert found.more_from == at("11:23:20")


@pytest.mark.thorough
def test_under_calendars_that_move_a_hundred_years_are_explained_at_once(stage: Stage) -> None:
    calendar(stage)
    stage.save(schedule="0 0 1 1 *", calendars=("closed",), on_blocked=OnBlocked.NEXT_DAY)
    found = explain_range(stage.ports, KEY, stage.now + SECOND, stage.now.replace(year=9899))
    [finding] = found.findings
    assert (finding.kind, finding.times) == (Kind.NOT_YET, 100)
    assert found.more_from is not None
    assert found.more_from.year == 2126


def test_more_runs_than_are_read_at_once_are_explained_in_parts_even_within_one_second(stage: Stage) -> None:
    stage.save(schedule="@manual")
    for number in range(1010):
        trigger(stage.ports, KEY, idempotency_key=str(number), who=Actor("ada"))
    found = explain_range(stage.ports, KEY, stage.now, stage.now + MINUTE)
    assert len(found.findings) == MOST_FINDINGS
    assert found.more_from == stage.now + SECOND


def test_many_skipped_ranges_are_explained_in_parts(stage: Stage) -> None:
    stage.save(schedule="*/2 * * * * *")
    stage.state.runs.clear()
    stage.state.skipped += [
        SkippedRange(
            KEY, at("10:00") + n * 2 * SECOND, at("10:00") + (n * 2 + 1) * SECOND, SkipPolicy.of(f"policy {n % 2}")
        )
        for n in range(600)
    ]
    found = explain_range(stage.ports, KEY, at("10:00"), at("10:30"))
    assert {f.kind for f in found.findings} == {Kind.PASSED_OVER}
    assert found.more_from == at("10:00") + MOST_FINDINGS * 2 * SECOND
