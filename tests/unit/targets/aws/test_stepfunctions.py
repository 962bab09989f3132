"""Targets of type `stepfunctions`, over the answers in its API reference."""

from __future__ import annotations

import json
import re

import pytest

from minutehand.domain.run import RunState
from minutehand.targets.aws.executions.fields import Mode
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


def test_an_input_that_the_event_would_leave_out_is_refused() -> None:
    recorded = Recorded()
    outcome = make_call("stepfunctions", recorded, a_call("x" * 250_000), state_machine=MACHINE, mode=Mode.WAIT)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final, recorded.requests) == ("InvalidRequest", True, [])
    started = Recorded(start_execution=STARTED)
    assert make_call("stepfunctions", started, a_call("x" * 250_000), state_machine=MACHINE).state is RunState.SUCCEEDED


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
