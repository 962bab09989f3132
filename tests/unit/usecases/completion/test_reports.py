"""Reports of workers, and late ones that are fenced off."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.domain.run_successors import PREVIEW
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.queries.show_output import show_output
from minutehand.usecases.running.worker import Handled
from tests.unit.domain.examples import KEY, SECOND, at, definition, run
from tests.unit.usecases.stage import SUCCESS, Stage


@pytest.fixture
def stage() -> Stage:
    stage = Stage("09:00")
    stage.state.definitions[KEY] = definition()
    stage.state.runs[run().key] = run()
    return stage


def report(stage: Stage, outcome: Outcome, **_: Any) -> Handled:
    [handled] = stage.execute([Received(run=run().key, attempt=1, receipt="r")], lambda _: outcome)
    return handled


def ok(body: str) -> Outcome:
    return Outcome(state=RunState.SUCCEEDED, result=Result(type="http", status=200, body=body))


def failed(message: str, stack: str = "") -> Outcome:
    return Outcome(state=RunState.FAILED, error=RunError(type="HttpStatus", message=message, stack=stack))


def test_a_short_report_is_one_write(stage: Stage) -> None:
    ended = report(stage, ok("x" * PREVIEW)).run
    assert (ended.result.body, ended.detailed) == ("x" * PREVIEW, False)
    assert stage.state.outputs == {}


def test_a_report_without_result_or_error_is_a_report(stage: Stage) -> None:
    ended = report(stage, Outcome(state=RunState.SUCCEEDED)).run
    assert (ended.state, ended.result, ended.error, ended.detailed) == (RunState.SUCCEEDED, None, None, False)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (ok("x" * (PREVIEW + 1)), "a body of one byte too many"),
        (ok("é" * (PREVIEW // 2) + "!"), "bytes count, not characters"),
        (failed("x" * (PREVIEW + 1)), "a long message"),
        (failed("short", stack="Traceback…"), "a stack, however short, is not in the run's own record"),
    ],
)
def test_a_long_output_is_kept_whole_beside_the_run(stage: Stage, outcome: Outcome, why: str) -> None:
    ended = report(stage, outcome).run
    assert ended.detailed, why
    whole = stage.state.outputs[ended.key, 1]
    assert (whole.result, whole.error, whole.expires_at) == (outcome.result, outcome.error, ended.expires_at)
    for text in (ended.result and ended.result.body, ended.error and ended.error.message):
        assert len((text or "").encode()) <= PREVIEW
    assert ended.error is None or ended.error.stack == ""


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("x" * 255 + "é", "x" * 255),
        ("x" * 254 + "é!", "x" * 254 + "é"),
        ("x" * 253 + "🎈", "x" * 253),
        ("x" * 252 + "🎈!", "x" * 252 + "🎈"),
    ],
)
def test_a_text_is_cut_between_characters(stage: Stage, body: str, kept: str) -> None:
    assert report(stage, ok(body)).run.result.body == kept


def test_a_report_is_written_even_if_its_output_cannot_be_kept(stage: Stage) -> None:
    stage.outputs.fails("keep", times=4)
    handled = report(stage, ok("x" * 1000))
    assert handled.deletable
    assert stage.run("09:00").state is RunState.SUCCEEDED
    shown = show_output(stage.outputs, stage.run("09:00"))
    assert (shown.text, shown.truncated) == ("x" * PREVIEW, True), "and it says that it is not all of it"


@pytest.mark.parametrize("after_effect", [False, True])
def test_a_report_is_repeated_until_the_store_answers(stage: Stage, after_effect: bool) -> None:
    calls = []

    def call(_: Call) -> Outcome:
        calls.append(1)
        stage.outputs.fails("keep", times=3, after_effect=after_effect)
        stage.runs.fails("move", times=3, after_effect=after_effect)
        return failed("no", stack="Traceback…")

    [handled] = stage.execute([Received(run=run().key, attempt=1, receipt="r")], call)
    assert (handled.deletable, handled.run.state, handled.problem, len(calls)) == (True, RunState.FAILED, "", 1)


def test_a_report_that_never_gets_through_keeps_its_message(stage: Stage) -> None:
    def call(_: Call) -> Outcome:
        stage.runs.fails("move", times=4)
        return SUCCESS

    [handled] = stage.execute([Received(run=run().key, attempt=1, receipt="r")], call)
    assert (handled.deletable, handled.problem) == (False, "move did not answer")
    assert stage.run("09:00").state is RunState.RUNNING, "to be taken over when its lease is over"


def taken_over(stage: Stage, **fields: Any) -> Run:
    current = replace(stage.run("09:00"), attempt=2, nonce="another", takeovers=1, **fields)
    stage.state.runs[current.key] = current
    return current


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.SUCCEEDED])
def test_a_late_worker_cannot_overwrite_a_newer_attempt(stage: Stage, state: RunState) -> None:
    newer = []

    def call(_: Call) -> Outcome:
        newer.append(taken_over(stage, state=state))
        return failed("late")

    [handled] = stage.execute([Received(run=run().key, attempt=1, receipt="r")], call)
    assert stage.run("09:00") == newer[0]
    assert (handled.deletable, handled.started, handled.run) == (False, True, newer[0])
    assert handled.problem == f"attempt 1 reported too late: the run is at attempt 2, {state.value}"


def test_a_late_worker_is_fenced_off_even_when_only_the_nonce_differs(stage: Stage) -> None:
    def call(_: Call) -> Outcome:
        stage.state.runs[run().key] = replace(stage.run("09:00"), nonce="another")
        return SUCCESS

    [handled] = stage.execute([Received(run=run().key, attempt=1, receipt="r")], call)
    assert (handled.deletable, stage.run("09:00").state) == (False, RunState.RUNNING)


def test_a_lost_run_stays_lost(stage: Stage) -> None:
    def call(_: Call) -> Outcome:
        stage.state.runs[run().key] = replace(stage.run("09:00"), state=RunState.LOST, finished_at=at("09:30"))
        return SUCCESS

    stage.execute([Received(run=run().key, attempt=1, receipt="r")], call)
    assert stage.run("09:00").state is RunState.LOST


def test_each_attempt_keeps_its_own_output(stage: Stage) -> None:
    def late(_: Call) -> Outcome:
        taken_over(stage, lease_until=stage.now - SECOND)
        stage.execute([Received(run=run().key, attempt=2, receipt="r2")], lambda _: ok("b" * 1000))
        return ok("a" * 1000)

    stage.execute([Received(run=run().key, attempt=1, receipt="r")], late)
    assert {attempt: kept.result.body[0] for (_, attempt), kept in stage.state.outputs.items()} == {1: "a", 3: "b"}
