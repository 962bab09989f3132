"""Retention by number: the oldest runs are removed, but none that may still be needed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.run import Result, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.completion.report import keep_output
from minutehand.usecases.completion.trim import STRIDE, chosen, trim
from minutehand.usecases.ports.outputs import whole
from minutehand.usecases.ports.stores import Payload
from tests.unit.domain.examples import KEY, MINUTE, at, definition, run
from tests.unit.usecases.stage import Stage

DAY = timedelta(days=1)
JOB = definition(retention_count=5)
CHOSEN = next(
    one
    for n in range(1000)
    if chosen((one := replace(run(), key=RunKey.triggered(KEY, at("09:00"), f"k{n}"))).key, STRIDE)
)
"""The run after whose end the job is trimmed."""


@pytest.fixture
def stage() -> Stage:
    """Two days after twenty runs have ended, a minute apart."""
    stage = Stage("09:00")
    for minute in range(20):
        keep(stage, minute)
    stage.now += 2 * DAY
    return stage


def keep(stage: Stage, minute: int, **fields: Any) -> Run:
    """Store a run of some minute after nine."""
    ended: dict[str, Any] = {"state": RunState.SUCCEEDED, "attempt": 1}
    one = replace(run(f"09:{minute:02}"), **(ended | fields))
    stage.state.runs[one.key] = one
    return one


def kept(stage: Stage) -> list[int]:
    return sorted(key.scheduled_for.minute for key in stage.state.runs)


def test_the_newest_runs_are_kept_and_the_others_removed(stage: Stage) -> None:
    trim(CHOSEN, JOB, stage.ports)
    assert kept(stage) == [15, 16, 17, 18, 19]


def test_the_outputs_of_removed_runs_are_removed(stage: Stage) -> None:
    for minute in (3, 17):
        left = whole(Result(type="http", status=200, body="x" * 5000), None, at("10:00") + 30 * DAY)
        keep_output(stage.outputs, run(f"09:{minute:02}").key, 1, left, stage.now)
    trim(CHOSEN, JOB, stage.ports)
    assert [key.scheduled_for.minute for key, _ in stage.state.outputs] == [17]
    assert len(stage.state.texts) == 1


def test_the_payloads_of_removed_runs_are_removed(stage: Stage) -> None:
    for minute in (3, 17):
        asked = keep(stage, minute, own_payload=True)
        stage.state.payloads[asked.key] = Payload(minute)
    trim(CHOSEN, JOB, stage.ports)
    assert [payload.value for payload in stage.state.payloads.values()] == [17]


def test_a_job_without_retention_count_is_never_trimmed(stage: Stage) -> None:
    trim(CHOSEN, definition(), stage.ports)
    assert (len(kept(stage)), stage.runs.calls["oldest"]) == (20, 0)


def test_a_job_is_trimmed_after_one_of_sixteen_runs() -> None:
    keys = [RunKey.scheduled(KEY, at("09:00") + minute * MINUTE) for minute in range(4000)]
    assert 200 < sum(chosen(key, STRIDE) for key in keys) < 300
    assert STRIDE == 16


def test_a_job_that_keeps_many_runs_is_trimmed_less_often(stage: Stage) -> None:
    trim(CHOSEN, definition(retention_count=10_000), stage.ports)
    assert stage.runs.calls["oldest"] == chosen(CHOSEN.key, 10_000 // 64)


@pytest.mark.parametrize(
    "held", [{"claimed_at": at("09:00") + DAY + MINUTE}, {"state": RunState.WAITING}, {"state": RunState.QUEUED}]
)
def test_no_run_newer_than_a_kept_one_is_removed(stage: Stage, held: dict[str, Any]) -> None:
    keep(stage, 4, **held)
    trim(CHOSEN, JOB, stage.ports)
    assert kept(stage) == list(range(4, 20))


def test_runs_that_have_not_ended_do_not_count(stage: Stage) -> None:
    for minute in range(18, 20):
        keep(stage, minute, state=RunState.RUNNING)
    trim(CHOSEN, JOB, stage.ports)
    assert kept(stage) == list(range(13, 20))


def test_of_very_many_runs_some_are_removed_each_time(stage: Stage) -> None:
    for minute in range(20, 600):
        one = replace(run(), key=RunKey.scheduled(KEY, at("09:00") + minute * MINUTE), state=RunState.SUCCEEDED)
        stage.state.runs[one.key] = one
    trim(CHOSEN, JOB, stage.ports)
    assert len(stage.state.runs) == 600 - 4 * STRIDE


@pytest.mark.parametrize(("port", "method"), [("runs", "oldest"), ("runs", "forget"), ("outputs", "forget")])
def test_an_unanswered_trim_is_left_for_the_next_time(stage: Stage, port: str, method: str) -> None:
    getattr(stage, port).fails(method)
    trim(CHOSEN, JOB, stage.ports)
    assert len(kept(stage)) == 20
    trim(CHOSEN, JOB, stage.ports)
    assert len(kept(stage)) == 5


def test_a_run_is_removed_after_its_outputs(stage: Stage) -> None:
    stage.outputs.fails("forget", after_effect=True)
    trim(CHOSEN, JOB, stage.ports)
    assert len(kept(stage)) == 20


@pytest.mark.parametrize(("state", "left"), [(RunState.SUCCEEDED, 5), (RunState.LOST, 5), (RunState.RUNNING, 20)])
def test_a_job_is_trimmed_when_a_run_has_ended(stage: Stage, state: RunState, left: int) -> None:
    assert follow_up(replace(CHOSEN, state=state), JOB, stage.ports)
    assert len(kept(stage)) == left
