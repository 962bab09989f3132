"""Start an execution of a state machine."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.caller import Service
from minutehand.targets.aws.content import content_of, written
from minutehand.targets.aws.executions.fields import StepFunctionsTarget
from minutehand.targets.aws.failures import Failure
from minutehand.targets.aws.names import name_of
from minutehand.usecases.ports.target import Call, Outcome

LONGEST_WAITED = 240 * 1024
"""Most bytes of the input of an execution whose end is waited for. The event that tells the end leaves a longer one out."""


def start(client: Any, target: StepFunctionsTarget, call: Call) -> Outcome:
    """Start one execution. A name that exists already is that of the same attempt, whose first start was not answered.

    Raises:
        Failure: when the input is so long that the event of the end would lack it.
    """
    name, text = name_of(call), written(content_of(call, target.send, later=target.may_answer_later))
    if target.may_answer_later and len(text) > LONGEST_WAITED:
        raise Failure(
            "InvalidRequest",
            f"the input has {len(text):,} bytes; with mode wait, {LONGEST_WAITED:,} is the most: pass a large payload by reference",
            final=True,
        )
    try:
        answer = client.start_execution(stateMachineArn=target.state_machine, name=name, input=text)
        status, kept = answer["ResponseMetadata"]["HTTPStatusCode"], {"execution_arn": answer["executionArn"]}
    except ClientError as error:
        if error.response["Error"]["Code"] != "ExecutionAlreadyExists":
            raise
        status, kept = 200, {"execution": name}
    state = RunState.WAITING if target.may_answer_later else RunState.SUCCEEDED
    return Outcome(state, result=Result(type="stepfunctions", status=status, body=written(kept)))


CALLER = Service("stepfunctions", "StartExecution", start)
