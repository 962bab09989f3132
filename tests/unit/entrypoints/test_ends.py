"""The API function, invoked by an event about the end of an execution that a run waits for."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryExecutions
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Result, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce
from minutehand.entrypoints import api, bootstrap
from minutehand.targets import TYPES
from minutehand.usecases.ports.executions import Awaiting
from minutehand.usecases.ports.target import Call
from tests.unit.domain.examples import KEY, at, job
from tests.unit.entrypoints.handling import Context
from tests.unit.usecases.stage import Stage

MACHINE = "arn:aws:states:eu-west-1:111122223333:stateMachine:report"
EXECUTION = "arn:aws:states:eu-west-1:111122223333:execution:report:minutehand-1"


class Waiting:
    """A run of nine that waits for the end of its execution."""

    def __init__(self) -> None:
        self.stage = Stage("09:00")
        self.executions = MemoryExecutions(self.stage.state)
        self.calls: list[Call] = []
        self.stage.save(job(target=TYPES["stepfunctions"].fields(state_machine=MACHINE, mode=_wait())))
        self.stage.at("09:01").tick()
        self.stage.work(self._call)

    def _call(self, call: Call) -> Outcome:
        self.calls.append(call)
        return Outcome(RunState.WAITING, Result(type="stepfunctions", status=200, body="{}"))

    def event(self, **changed: Any) -> dict[str, Any]:
        """The event of the execution's end, by which another attempt or none may be told to wait for it."""
        [call] = self.calls
        awaiting = Awaiting(call.run.key, call.run.attempt, attempt_nonce(call.token))
        self.executions.expect(EXECUTION, awaiting._replace(**changed), call.deadline)
        detail = {
            "status": "SUCCEEDED",
            "executionArn": EXECUTION,
            "stateMachineArn": MACHINE,
            "name": "minutehand-1",
            "input": None,
            "inputDetails": {"included": False},
            "output": '{"rows":3}',
        }
        return {"source": "aws.states", "detail-type": "Step Functions Execution Status Change", "detail": detail}


def _wait() -> Any:
    from minutehand.targets.aws.executions.fields import Mode  # noqa: PLC0415 - a helper

    return Mode.WAIT


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    waiting = Waiting()
    monkeypatch.setattr(bootstrap, "ports", lambda: waiting.stage.ports)
    monkeypatch.setattr(bootstrap, "executions", lambda: waiting.executions)
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
        {"nonce": attempt_nonce("a guess")},
        {"nonce": ""},
        {"run": RunKey.scheduled(KEY, at("09:05"))},
        {"run": RunKey.scheduled(JobKey(namespace="other", name="job"), at("09:01"))},
        {"attempt": 2},
    ],
)
def test_an_event_with_a_wrong_token_or_about_another_run_changes_nothing(
    waiting: Waiting, changed: dict[str, Any]
) -> None:
    assert api.handler(waiting.event(**changed), Context()) == {}
    assert waiting.stage.run("09:01").state is RunState.WAITING


def test_an_event_of_an_execution_that_nobody_waits_for_changes_nothing(waiting: Waiting) -> None:
    event = waiting.event()
    event["detail"]["name"] = "minutehand-2"
    assert api.handler(event, Context()) == {}
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
