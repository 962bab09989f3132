"""Explanations of a job that its parents start, with one run for each window."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.findings import Kind
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import Run
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.queries.explain import Explanation, explain_instant, explain_range
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.queries.explaining import A_DAY, blocked_range
from tests.unit.usecases.stage import Stage

PARENT = JobKey(KEY.namespace, "parent")


@pytest.fixture
def run(stage: Stage) -> Run:
    """The run of a window of a day, which a parent's run has started at 09:01:30."""
    stage.save(key=PARENT, schedule="@manual")
    save(stage)
    return started(stage, "09:01:30")


def save(stage: Stage, window: timedelta | None = A_DAY) -> None:
    stage.save(schedule="@manual", depends_on=(Dependency(PARENT, On.SUCCESS),), join_window=window)


def started(stage: Stage, clock: str, day: int = 0) -> Run:
    """Let the parent run, and with it the job."""
    stage.now = at(clock) + day * A_DAY
    trigger(stage.ports, PARENT, idempotency_key=clock, who=Actor("ada"))
    before = set(stage.state.runs)
    stage.work()
    stage.work()
    [run] = (run for key, run in stage.state.runs.items() if key not in before and key.job == KEY)
    return run


def kinds(found: Explanation) -> list[tuple[Kind, Run | None]]:
    return [(finding.kind, finding.run) for finding in found.findings]


def beside(found: Explanation) -> list[Run | None]:
    return [finding.run for finding in found.beside]


@pytest.mark.parametrize("clock", ["09:01:30", "09:00:45", "23:59:59"])
def test_each_instant_of_a_window_is_explained_with_its_run(stage: Stage, run: Run, clock: str) -> None:
    found = explain_instant(stage.ports, KEY, at(clock))
    assert (kinds(found), beside(found)) == ([(Kind.NOT_NAMED, run)], [run])


def test_the_run_is_shown_once_at_its_instant_and_near_it(stage: Stage, run: Run) -> None:
    stage.at("09:00:30").state.histories[KEY][0] = replace(
        stage.state.histories[KEY][0], effective_from=run.scheduled_for - A_DAY
    )
    found = explain_instant(stage.ports, KEY, run.scheduled_for)
    assert (kinds(found), beside(found)) == ([(Kind.RAN, run)], [])
    assert beside(explain_instant(stage.ports, KEY, run.scheduled_for + timedelta(minutes=5))) == [run]


def test_a_range_is_explained_with_the_run_of_its_first_window(stage: Stage, run: Run) -> None:
    found = blocked_range(stage, "09:01", "09:03")
    assert (kinds(found), beside(found)) == ([(Kind.NOT_NAMED, run)], [run])
    found = explain_range(stage.ports, KEY, at("12:00"), at("12:00") + 2 * A_DAY)
    assert (kinds(found), beside(found)) == ([(Kind.NOT_NAMED, run)], [run])


def test_each_revision_of_a_range_is_explained_with_the_run_of_its_first_window(stage: Stage, run: Run) -> None:
    stage.at("12:00:00").save(
        schedule="@manual", owner="ada", depends_on=(Dependency(PARENT, On.SUCCESS),), join_window=A_DAY
    )
    assert kinds(blocked_range(stage, "11:00", "13:00")) == [(Kind.NOT_NAMED, run)] * 2
    later = started(stage, "10:00:00", day=1)
    save(stage)
    found = explain_range(stage.ports, KEY, at("13:00"), at("13:00") + A_DAY)
    assert kinds(found) == [(Kind.RAN, later), (Kind.NOT_NAMED, later)]
    assert beside(found) == [run]


def test_the_run_of_the_window_before_is_shown_where_it_was_active(stage: Stage, run: Run) -> None:
    late = replace(
        run, start_delay=A_DAY + timedelta(minutes=20), started_at=at("00:20") + A_DAY, finished_at=at("00:30") + A_DAY
    )
    stage.state.runs[run.key] = late
    for clock, expected in (("00:19", []), ("00:25", [late]), ("00:31", [])):
        found = explain_instant(stage.ports, KEY, at(clock) + A_DAY)
        assert (kinds(found), beside(found)) == ([(Kind.NOT_NAMED, None)], expected)
    assert beside(explain_range(stage.ports, KEY, at("00:00") + A_DAY, at("00:19") + A_DAY)) == []
    assert beside(explain_range(stage.ports, KEY, at("00:00") + A_DAY, at("01:00") + A_DAY)) == [late]


def test_a_job_created_again_and_the_deleted_one_are_explained_with_their_own_runs(stage: Stage, run: Run) -> None:
    stage.at("10:00")
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.at("11:00")
    save(stage)
    assert kinds(explain_instant(stage.ports, KEY, at("09:30"))) == [(Kind.NOT_NAMED, run)]
    assert kinds(explain_instant(stage.ports, KEY, at("12:00"))) == [(Kind.NOT_NAMED, None)]
    its_own = started(stage, "11:30")
    assert kinds(explain_instant(stage.ports, KEY, at("09:30"))) == [(Kind.NOT_NAMED, run)]
    assert kinds(explain_instant(stage.ports, KEY, at("12:00"))) == [(Kind.NOT_NAMED, its_own)]


def test_the_run_is_not_shown_for_other_windows_or_jobs_without_windows(stage: Stage, run: Run) -> None:
    assert kinds(explain_instant(stage.ports, KEY, at("12:00") + A_DAY)) == [(Kind.NOT_NAMED, None)]
    save(stage, window=None)
    found = explain_instant(stage.ports, KEY, at("12:00"))
    assert (kinds(found), beside(found)) == ([(Kind.NOT_NAMED, None)], [])


def test_where_there_are_no_windows_nothing_more_is_read(stage: Stage) -> None:
    stage.save()
    explain_instant(stage.ports, KEY, at("12:00"))
    assert stage.runs.calls["get"] == 0
