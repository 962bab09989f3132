"""The API function, invoked by an event about the end of an execution that a run waits for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Result, RunState
from minutehand.entrypoints import api, bootstrap
from minutehand.targets import TYPES
from minutehand.usecases.ports.target import Call
from tests.unit.domain.examples import job
from tests.unit.entrypoints.handling import Context
from tests.unit.usecases.stage import Stage

MACHINE = "arn:aws:states:eu-west-1:111122223333:stateMachine:report"


class Waiting:
    """A run of nine that waits for the end of its execution."""

    def __init__(self) -> None:
        self.stage = Stage("09:00")
        self.calls: list[Call] = []
        self.stage.save(job(target=TYPES["stepfunctions"].fields(state_machine=MACHINE, mode=_wait())))
        self.stage.at("09:01").tick()
        self.stage.work(self._call)

    def _call(self, call: Call) -> Outcome:
        self.calls.append(call)
        return Outcome(RunState.WAITING, Result(type="stepfunctions", status=200, body="{}"))

    def event(self, **changed: Any) -> dict[str, Any]:
        [call] = self.calls
        given = {
            "job": str(call.run.key.job),
            "run_id": call.run.key.run_id,
            "attempt": call.run.attempt,
            "callback": {"url": "", "token": call.token},
        } | changed
        detail = {"status": "SUCCEEDED", "executionArn": "arn", "input": json.dumps(given), "output": '{"rows":3}'}
        return {"source": "aws.states", "detail-type": "Step Functions Execution Status Change", "detail": detail}


def _wait() -> Any:
    from minutehand.targets.aws.executions.fields import Mode  # noqa: PLC0415 - a helper

    return Mode.WAIT


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    waiting = Waiting()
    monkeypatch.setattr(bootstrap, "ports", lambda: waiting.stage.ports)
    return waiting


def test_the_end_of_the_execution_ends_the_run_that_waits_for_it(waiting: Waiting) -> None:
    assert waiting.stage.run("09:01").state is RunState.WAITING
    assert api.handler(waiting.event(), Context()) == {}
    run = waiting.stage.run("09:01")
    assert run.state is RunState.SUCCEEDED
    assert run.result == Result(type="stepfunctions", status=0, body='{"rows":3}')


@pytest.mark.parametrize(
    "changed",
    [
        {"callback": {"url": "", "token": "a guess"}},
        {"run_id": "20261120T090500Z"},
        {"job": "other/job"},
        {"attempt": 2},
    ],
)
def test_an_event_with_a_wrong_token_or_about_another_run_changes_nothing(
    waiting: Waiting, changed: dict[str, Any]
) -> None:
    assert api.handler(waiting.event(**changed), Context()) == {}
    assert waiting.stage.run("09:01").state is RunState.WAITING


def test_an_event_that_comes_again_changes_nothing(waiting: Waiting) -> None:
    event = waiting.event()
    for _ in range(2):
        api.handler(event, Context())
    assert waiting.stage.run("09:01").state is RunState.SUCCEEDED


def test_an_event_that_cannot_be_recorded_comes_again(waiting: Waiting) -> None:
    waiting.stage.definitions.fails("get", times=10)
    with pytest.raises(Unavailable):
        api.handler(waiting.event(), Context())
    assert waiting.stage.run("09:01").state is RunState.WAITING
