"""Start an execution of a state machine."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.caller import Service
from minutehand.targets.aws.content import content_of, written
from minutehand.targets.aws.executions.fields import StepFunctionsTarget
from minutehand.targets.aws.names import execution_of, name_of
from minutehand.usecases.ports.target import Call, Outcome


def start(client: Any, target: StepFunctionsTarget, call: Call) -> Outcome:
    """Start one execution. A name that exists already is that of the same attempt, whose first start was not answered."""
    name, text = name_of(call), written(content_of(call, target.send, later=target.may_answer_later))
    try:
        answer = client.start_execution(stateMachineArn=target.state_machine, name=name, input=text)
        status, kept = answer["ResponseMetadata"]["HTTPStatusCode"], {"execution_arn": answer["executionArn"]}
    except ClientError as error:
        if error.response["Error"]["Code"] != "ExecutionAlreadyExists":
            raise
        status, kept = 200, {"execution": name}
    state = RunState.WAITING if target.may_answer_later else RunState.SUCCEEDED
    return Outcome(state, result=Result(type="stepfunctions", status=status, body=written(kept)))


def awaited(target: StepFunctionsTarget, call: Call) -> str | None:
    """The ARN of the execution whose end the attempt waits for, if it does."""
    return execution_of(target.state_machine, name_of(call)) if target.may_answer_later else None


CALLER = Service("stepfunctions", "StartExecution", start, awaited)
