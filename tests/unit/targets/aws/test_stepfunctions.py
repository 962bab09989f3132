"""Targets of type `stepfunctions`, over the answers in its API reference."""

from __future__ import annotations

import json
import re
from datetime import datetime

import pytest

from minutehand.adapters.memory import MemoryExecutions, MemoryState
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunState
from minutehand.domain.token import attempt_nonce
from minutehand.targets.aws.executions.fields import Mode
from minutehand.usecases.ports.executions import Awaiting
from tests.unit.targets.aws.calling import NOW, RUN, Recorded, a_call, arn, error, make_call

MACHINE = arn("states", "stateMachine:report")
EXECUTION = arn("states", "execution:report:minutehand-1")
STARTED = {"executionArn": EXECUTION, "startDate": NOW, "ResponseMetadata": {"HTTPStatusCode": 200}}


def test_a_start_is_done_when_the_execution_has_begun() -> None:
    recorded = Recorded(start_execution=STARTED)
    outcome = make_call("stepfunctions", recorded, a_call({"n": 1}), state_machine=MACHINE)
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.result is not None
    assert json.loads(outcome.result.body) == {"execution_arn": EXECUTION}
    assert (recorded.request["stateMachineArn"], recorded.request["input"]) == (MACHINE, '{"n":1}')


def test_the_name_is_that_of_the_attempt() -> None:
    names = []
    for attempt in (1, 1, 2):
        recorded = Recorded(start_execution=STARTED)
        make_call("stepfunctions", recorded, a_call(attempt=attempt), state_machine=MACHINE)
        names.append(recorded.request["name"])
    first, again, second = names
    assert first == again
    assert first != second
    assert re.fullmatch(rf"minutehand-{RUN}-1-[0-9a-f]{{16}}", first)
    assert len(first) <= 80


def test_a_start_that_was_made_before_is_no_failure() -> None:
    recorded = Recorded(start_execution=error("ExecutionAlreadyExists"))
    outcome = make_call("stepfunctions", recorded, a_call(), state_machine=MACHINE)
    assert outcome.state is RunState.SUCCEEDED


def test_an_execution_whose_end_is_waited_for_gets_what_its_end_is_told_with() -> None:
    recorded = Recorded(start_execution=STARTED)
    outcome = make_call("stepfunctions", recorded, a_call({"n": 1}), state_machine=MACHINE, mode=Mode.WAIT)
    assert outcome.state is RunState.WAITING
    given = json.loads(recorded.request["input"])
    assert (given["job"], given["attempt"], given["payload"]) == ("shop/report", 1, {"n": 1})
    assert given["callback"]["token"] == "the-attempts-own"


def test_an_end_needs_no_address_to_report_to() -> None:
    recorded = Recorded(start_execution=STARTED)
    made = a_call(callback_url="")
    assert make_call("stepfunctions", recorded, made, state_machine=MACHINE, mode=Mode.WAIT).state is RunState.WAITING


@pytest.mark.parametrize("qualifier", ["", ":7", ":live"])
def test_who_waits_for_an_execution_is_stored_under_its_arn(qualifier: str) -> None:
    executions, recorded, call = MemoryExecutions(MemoryState()), Recorded(start_execution=STARTED), a_call(attempt=2)
    machine = MACHINE + qualifier
    make_call("stepfunctions", recorded, call, executions=executions, state_machine=machine, mode=Mode.WAIT)
    started = arn("states", f"execution:report:{recorded.request['name']}")
    assert executions.awaiting(started) == Awaiting(call.run.key, 2, attempt_nonce(call.token))


class Failing(MemoryExecutions):
    """Does not answer."""

    def expect(self, execution: str, awaiting: Awaiting, until: datetime) -> None:
        raise Unavailable("the table did not answer")


def test_no_execution_starts_before_it_is_stored_who_waits_for_it() -> None:
    recorded = Recorded(start_execution=STARTED)
    failing = Failing(MemoryState())
    outcome = make_call("stepfunctions", recorded, a_call(), executions=failing, state_machine=MACHINE, mode=Mode.WAIT)
    assert (outcome.state, outcome.final, recorded.requests) == (RunState.FAILED, False, [])
    alone = Recorded(start_execution=STARTED)
    outcome = make_call("stepfunctions", alone, a_call(), executions=failing, state_machine=MACHINE)
    assert outcome.state is RunState.SUCCEEDED


def test_an_execution_whose_end_is_waited_for_may_have_any_input() -> None:
    recorded = Recorded(start_execution=STARTED)
    outcome = make_call("stepfunctions", recorded, a_call("x" * 250_000), state_machine=MACHINE, mode=Mode.WAIT)
    assert outcome.state is RunState.WAITING


@pytest.mark.parametrize(
    ("code", "final"),
    [
        ("StateMachineDoesNotExist", True),
        ("InvalidArn", True),
        ("AccessDeniedException", True),
        ("ExecutionLimitExceeded", False),
        ("ThrottlingException", False),
        ("KmsThrottlingException", False),
    ],
)
def test_a_refusal_is_final_unless_the_service_is_busy(code: str, final: bool) -> None:
    outcome = make_call("stepfunctions", Recorded(start_execution=error(code)), a_call(), state_machine=MACHINE)
    assert (outcome.state, outcome.final) == (RunState.FAILED, final)
