"""Jitter: an occurrence starts later by a time that every process computes alike, and none is lost meanwhile."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.definitions import manage
from minutehand.usecases.dispatching.due_plans import LONGEST_DISPATCH
from minutehand.usecases.dispatching.send import LONGEST_WAIT
from minutehand.usecases.upkeep.sweep import sweep
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.stage import Stage

HOUR = timedelta(hours=1)


@pytest.fixture
def stage() -> Stage:
    return Stage("08:58:30")


def only_run(stage: Stage):
    [run] = stage.state.runs.values()
    return run


def nine(stage: Stage, jitter: timedelta, **fields: object):
    """The run of nine o'clock, once it is dispatched."""
    stage.save(schedule="0 9 * * *", jitter=jitter, **fields)
    return only_run(stage)


def run_until(stage: Stage, end, step: timedelta = MINUTE) -> None:
    while stage.now < end:
        stage.tick()
        stage.work()
        stage.now += step


def test_the_delay_is_between_none_and_the_jitter_and_always_the_same(stage: Stage) -> None:
    stage.save(schedule="* * * * *", jitter=10 * SECOND)
    rule = rule_of(stage.state.timers[KEY].rule)
    delays = [rule.jitter_of(KEY, at("09:00") + n * MINUTE) for n in range(200)]
    assert delays == [rule.jitter_of(KEY, at("09:00") + n * MINUTE) for n in range(200)]
    assert set(delays) == {n * SECOND for n in range(11)}


def test_a_message_waits_for_the_start_and_the_run_keeps_its_nominal_instant(stage: Stage) -> None:
    run = nine(stage, 10 * MINUTE)
    assert run.scheduled_for == at("09:00")
    assert 0 * MINUTE < run.start_delay <= 10 * MINUTE
    assert [message.not_before for message in stage.state.messages] == [run.starts_at]


def test_a_start_that_is_further_off_than_a_message_can_wait_is_kept_by_a_deadline(stage: Stage) -> None:
    run = nine(stage, 24 * HOUR)
    assert run.start_delay > LONGEST_WAIT
    assert stage.state.messages == []
    run_until(stage, run.starts_at + 2 * MINUTE)
    current = stage.state.runs[run.key]
    assert (current.state, current.started_at >= run.starts_at) == (RunState.SUCCEEDED, True)
    assert current.lateness < MINUTE
    assert stage.state.deadlines == {}


@pytest.mark.parametrize("port", ["timers.remind", "timers.advance", "runs.claim"])
@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.thorough
def test_a_tick_that_dies_at_any_call_loses_no_delayed_start(stage: Stage, port: str, after_effect: bool) -> None:
    where, method = port.split(".")
    getattr(stage, where).fails(method, after_effect=after_effect)
    stage.save(schedule="0 9 * * *", jitter=6 * HOUR)
    run_until(stage, at("16:00"))
    assert [run.state for run in stage.state.runs.values()] == [RunState.SUCCEEDED]
    assert len(stage.called) == 1


def test_a_run_is_kept_for_its_retention_from_its_start_on(stage: Stage) -> None:
    run = nine(stage, 24 * HOUR, retention=timedelta(days=1))
    assert run.expires_at >= run.starts_at + timedelta(days=1)


def test_a_recheck_leaves_a_far_start_to_a_deadline(stage: Stage) -> None:
    run = nine(stage, 24 * HOUR)
    stage.save(schedule="0 9,21 * * *", jitter=24 * HOUR)
    stage.now += LONGEST_DISPATCH + MINUTE
    stage.tick()
    assert stage.state.rechecks == {}
    assert stage.state.messages == []
    assert run.key in stage.state.deadlines


def test_a_run_that_waits_for_its_start_is_not_overdue(stage: Stage) -> None:
    run = nine(stage, 24 * HOUR)
    while stage.now < run.starts_at - LONGEST_WAIT:
        assert sweep(stage.ports, time_left=lambda: HOUR) == []
        stage.now += 2 * MINUTE


def test_a_pause_before_the_start_keeps_it_from_running(stage: Stage) -> None:
    run = nine(stage, 6 * HOUR)
    stage.now = at("09:01")
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    run_until(stage, run.starts_at + 2 * MINUTE)
    assert only_run(stage).skip_reason is SkipReason.PAUSED


def test_an_edit_after_the_nominal_instant_leaves_it_to_the_revision_that_named_it(stage: Stage) -> None:
    run = nine(stage, 6 * HOUR)
    stage.now = at("09:01")
    stage.save(schedule="0 22 * * *")
    run_until(stage, run.starts_at + 2 * MINUTE)
    assert only_run(stage).state is RunState.SUCCEEDED
    assert only_run(stage).started_at >= run.starts_at


def test_a_job_without_jitter_leaves_no_deadline(stage: Stage) -> None:
    stage.save()
    stage.at("09:01:30").tick()
    assert (stage.state.deadlines, stage.timers.calls["remind"]) == ({}, 0)


def test_a_job_that_is_deleted_and_created_again_does_not_revive_waiting_runs(stage: Stage) -> None:
    stage.save(schedule="0 9 * * *", jitter=timedelta(hours=12))
    [run] = stage.state.runs.values()
    stage.now = at("09:01")
    manage.delete(stage.ports, KEY, who=Actor("bob"))
    stage.save(schedule="0 22 21 * *")
    run_until(stage, run.starts_at + 2 * MINUTE, MINUTE)
    assert stage.state.runs[run.key].state is RunState.SKIPPED
