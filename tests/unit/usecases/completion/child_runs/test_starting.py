"""Which ends of a parent's runs start a run of its child."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, Join, On
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.child_runs import start_children
from minutehand.usecases.definitions import manage
from tests.unit.domain.examples import at, job
from tests.unit.usecases.completion.child_runs.family import (
    DAY,
    EXTRACT,
    LOAD,
    MAIL,
    REPORT,
    depends,
    end,
    ends,
    follow,
    of,
    sent,
    started,
)
from tests.unit.usecases.stage import Stage

ENDED = [RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED, RunState.LOST, RunState.SKIPPED]


@pytest.mark.parametrize("on", list(On))
def test_a_child_starts_at_the_ends_that_it_asks_for(stage: Stage, on: On) -> None:
    depends(stage, REPORT, Dependency(EXTRACT, on))
    for minute, state in enumerate(ENDED):
        assert ends(stage, EXTRACT, f"08:0{minute}", state)
    begun = {ENDED[int(clock[-1])] for clock in started(stage)}
    assert (
        begun
        == {
            On.SUCCESS: {RunState.SUCCEEDED},
            On.FAILURE: {RunState.FAILED, RunState.TIMED_OUT, RunState.LOST},
            On.END: set(ENDED) - {RunState.SKIPPED},
            On.SKIPPED: {RunState.SKIPPED},
        }[on]
    )
    assert len(sent(stage)) == len(begun)


@pytest.mark.parametrize("state", [state for state in RunState if not state.finished])
def test_a_run_that_has_not_ended_starts_nothing(stage: Stage, state: RunState) -> None:
    depends(stage, REPORT, EXTRACT)
    assert ends(stage, EXTRACT, "08:00", state)
    assert started(stage) == []


def test_a_child_run_is_sent_at_once_and_names_its_parent(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    stage.at("08:07:30")
    parent = end(stage, EXTRACT, "08:00")
    assert follow(stage, parent)
    (run,) = of(stage, REPORT)
    assert (run.parents, run.revision, run.state) == ((parent.key,), 1, RunState.QUEUED)
    (message,) = stage.state.messages
    assert (message.run, message.attempt, message.not_before) == (run.key, 1, at("08:07:30"))


def test_a_repeated_follow_up_changes_nothing(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    run = end(stage, EXTRACT, "08:00")
    assert follow(stage, run)
    stage.work()
    before = dict(stage.state.runs)
    assert follow(stage, run)
    assert (stage.state.runs, stage.state.messages) == (before, [])
    assert [run.state for run in of(stage, REPORT)] == [RunState.SUCCEEDED]


def test_each_instant_of_a_parent_starts_a_run_of_its_own(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    for clock in ("08:00", "08:01", "08:01"):
        assert ends(stage, EXTRACT, clock)
    assert started(stage) == ["08:00", "08:01"]


def test_triggered_and_backfilled_runs_count_as_scheduled_ones_do(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    by_hand = RunKey.triggered(EXTRACT, at("08:03"), "by-hand")
    replayed = RunKey.backfilled(EXTRACT, at("07:00"), "replay")
    for key in (by_hand, replayed):
        assert ends(stage, EXTRACT, "", key=key)
    assert [run.parents for run in of(stage, REPORT)] == [(replayed,), (by_hand,)]


def test_a_parent_that_was_skipped_and_is_opened_again_counts_by_its_end(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, Dependency(EXTRACT, On.SKIPPED))
    assert ends(stage, EXTRACT, "08:00", RunState.SKIPPED)
    assert (started(stage), started(stage, MAIL)) == ([], ["08:00"])
    assert ends(stage, EXTRACT, "08:00")
    assert (started(stage), started(stage, MAIL)) == (["08:00"], ["08:00"])


@pytest.mark.parametrize("what", ["deleted", "no longer dependent"])
def test_a_job_that_no_longer_depends_on_the_parent_is_not_started(stage: Stage, what: str) -> None:
    depends(stage, REPORT, EXTRACT)
    definition = stage.state.definitions[EXTRACT]  # as a worker has read it before
    if what == "deleted":
        manage.delete(stage.ports, REPORT, who=Actor("ada"))
    else:
        depends(stage, REPORT, LOAD)
    assert start_children(end(stage, EXTRACT, "08:00"), definition, stage.ports)
    assert started(stage) == []


def test_the_run_of_a_paused_child_is_created_and_skipped_by_the_worker(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    manage.pause(stage.ports, REPORT, who=Actor("ada"))
    assert ends(stage, EXTRACT, "08:00")
    stage.work()
    (run,) = of(stage, REPORT)
    assert (run.state, run.skip_reason, stage.called) == (RunState.SKIPPED, SkipReason.PAUSED, [])


def test_a_job_without_children_costs_no_call(stage: Stage) -> None:
    run = end(stage, EXTRACT, "08:00")
    before = [port.calls.copy() for port in (stage.runs, stage.definitions, stage.outbox)]
    assert follow(stage, run)
    assert [port.calls for port in (stage.runs, stage.definitions, stage.outbox)] == before


def test_a_worker_follows_a_chain_to_its_end(stage: Stage) -> None:
    depends(stage, LOAD, EXTRACT)
    depends(stage, REPORT, LOAD)
    depends(stage, MAIL, REPORT, EXTRACT)
    stage.save(job(key=EXTRACT))
    stage.tick()
    for clock in ("08:01", "08:01:01", "08:01:02", "08:01:03"):
        stage.at(clock)
        assert all(handled.deletable for handled in stage.work())
    assert [key.job.name for key, _ in stage.called] == ["extract", "load", "report", "mail"]
    assert {key.scheduled_for for key, _ in stage.called} == {at("08:01")}
    assert [key.job for key in of(stage, MAIL)[0].parents] == [REPORT, EXTRACT]


def test_a_failed_parent_starts_the_jobs_that_wait_for_its_failure(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, Dependency(EXTRACT, On.FAILURE))
    stage.save(job(key=EXTRACT))
    stage.tick()
    stage.at("08:01")
    (message, *_) = stage.receive()

    def breaks(**_: Any) -> Any:
        raise ValueError("no such table")

    (handled,) = stage.execute([message], breaks)
    assert handled.deletable
    assert (started(stage), started(stage, MAIL)) == ([], ["08:01"])


@pytest.mark.parametrize(("days", "kept", "starts"), [(2, None, True), (31, None, False), (2, 5, False)])
def test_an_end_older_than_the_retention_of_child_runs_starts_none(
    stage: Stage, days: int, kept: int | None, starts: bool
) -> None:
    depends(stage, MAIL, EXTRACT, retention_count=kept)
    ended = end(stage, EXTRACT, "08:00")
    stage.now += days * DAY
    assert follow(stage, ended)
    assert any(key.job == MAIL for key in stage.state.runs) is starts


def requested(stage: Stage, parent: JobKey, which: str, clock: str = "08:03") -> Run:
    """End a triggered run of a parent and follow it up."""
    run = end(stage, parent, clock, key=RunKey.triggered(parent, at(clock), which))
    assert follow(stage, run)
    return run


def parents_of(stage: Stage, child: JobKey) -> list[RunKey]:
    return sorted(parent for run in of(stage, child) for parent in run.parents)


@pytest.mark.parametrize("how", [{}, {"join": Join.ANY}])
def test_triggers_of_one_second_start_a_run_of_the_child_each(stage: Stage, how: dict[str, Any]) -> None:
    depends(stage, REPORT, EXTRACT, *([LOAD] if how else []), **how)
    runs = [requested(stage, EXTRACT, which) for which in "abcdef"]
    assert parents_of(stage, REPORT) == [run.key for run in runs]
    assert sent(stage) == [REPORT] * 6
    for run in runs:
        assert follow(stage, run)
    assert len(of(stage, REPORT)) == 6, "a repeated follow-up changes nothing"


def test_a_trigger_does_not_use_up_the_childs_run_of_a_scheduled_run_of_its_second(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    by_hand, scheduled = requested(stage, EXTRACT, "a"), end(stage, EXTRACT, "08:03")
    assert follow(stage, scheduled)
    assert parents_of(stage, REPORT) == [scheduled.key, by_hand.key]


def test_grandchildren_run_once_for_each_trigger_too(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, REPORT)
    for which in "abc":
        requested(stage, EXTRACT, which)
    stage.at("08:04").work()
    stage.work()
    assert len(of(stage, MAIL)) == 3
    assert parents_of(stage, MAIL) == [run.key for run in of(stage, REPORT)]


def test_triggers_of_one_window_start_one_run_of_a_child_with_a_window(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, window=DAY)
    for which in "abc":
        requested(stage, EXTRACT, which)
    assert len(of(stage, REPORT)) == 1


def test_triggers_of_several_parents_in_one_second_join(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    extract, load = requested(stage, EXTRACT, "a"), requested(stage, LOAD, "b")
    assert parents_of(stage, REPORT) == [extract.key, load.key]


def test_the_replacement_of_a_lost_run_counts_for_the_instant_of_that_run(stage: Stage) -> None:
    depends(stage, REPORT, Dependency(EXTRACT, On.END))
    assert ends(stage, EXTRACT, "08:03", RunState.LOST)
    redriven = end(stage, EXTRACT, "08:03", key=RunKey.triggered(EXTRACT, at("08:03"), "redriven"))
    assert follow(stage, replace(redriven, start_delay=DAY))
    assert len(of(stage, REPORT)) == 1
