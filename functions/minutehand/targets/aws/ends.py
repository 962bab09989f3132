"""Ends of executions and tasks, as EventBridge tells them: which attempt of which run ended, and how.

The attempt's own token came with the variables of a task: an event that carries it is proof enough, as a report through the API is. Of an
execution, the event may lack the input: if input and output are long together, or if the state machine has a KMS key of its own. So the
worker has stored by the execution's ARN who waits for its end. Only AWS can send such events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minutehand.domain.job_key import JobKey
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Result, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce, attempt_token_in
from minutehand.targets.aws.content import written
from minutehand.targets.aws.names import execution_of
from minutehand.usecases.ports.executions import Awaiting

_MESSAGE = 4_000
_BODY = 256 * 1024


class End(NamedTuple):
    """The end of what an attempt started.

    Attributes:
        token: the attempt's token, if the event has it.
    """

    awaiting: Awaiting
    token: str
    outcome: Outcome


Awaited = Callable[[str], Awaiting | None]
"""Tells who waits for the end of an execution, by its ARN."""


def end_of(event: Mapping[str, Any], awaited: Awaited) -> End | None:
    """What an event tells; None if it is not about something that an attempt started and waits for."""
    detail = event.get("detail")
    if not isinstance(detail, dict):
        return None
    try:
        match event.get("source"), event.get("detail-type"):
            case "aws.states", "Step Functions Execution Status Change":
                return _execution(detail, awaited)
            case "aws.ecs", "ECS Task State Change":
                return _task(detail)
    except (AttributeError, LookupError, TypeError, ValueError):  # of another program, which chose a name like ours
        return None
    return None


def _execution(detail: Mapping[str, Any], awaited: Awaited) -> End | None:
    outcome = _outcome_of_execution(detail)
    awaiting = outcome and awaited(execution_of(detail["stateMachineArn"], detail["name"]))
    if outcome is None or awaiting is None:
        return None
    texts = (detail.get(name) or "" for name in ("output", "error", "cause"))
    return End(awaiting, attempt_token_in(" ".join(texts), awaiting.nonce), outcome)


def _outcome_of_execution(detail: Mapping[str, Any]) -> Outcome | None:
    status = detail["status"]
    if status == "SUCCEEDED":
        output = detail.get("output")  # AWS leaves out a long one
        result = Result(type="stepfunctions", status=0, body=(output or "")[:_BODY], cut=output is None)
        return Outcome(RunState.SUCCEEDED, result)
    types = {"FAILED": "ExecutionFailed", "TIMED_OUT": "ExecutionTimedOut", "ABORTED": "ExecutionAborted"}
    if status not in types:
        return None
    kind = str(detail.get("error") or types[status])[:100]
    cause = str(detail.get("cause") or "it gave no cause")
    message = f"execution {detail['executionArn']} ended as {status}: {cause}"
    return Outcome(RunState.FAILED, error=RunError(type=kind, message=message[:_MESSAGE]))


def _task(detail: Mapping[str, Any]) -> End | None:
    if detail["lastStatus"] != "STOPPED":
        return None
    for override in detail["overrides"]["containerOverrides"]:
        given = {each["name"]: each["value"] for each in override.get("environment", ())}
        if "MINUTEHAND_TOKEN" in given:
            key = RunKey(job=JobKey.of(given["MINUTEHAND_JOB"]), run_id=given["MINUTEHAND_RUN_ID"])
            outcome = _outcome_of_task(detail, override["name"])
            token = given["MINUTEHAND_TOKEN"]
            return End(Awaiting(key, int(given["MINUTEHAND_ATTEMPT"]), attempt_nonce(token)), token, outcome)
    return None


def _outcome_of_task(detail: Mapping[str, Any], name: str) -> Outcome:
    container: Mapping[str, Any] = next((each for each in detail.get("containers", ()) if each.get("name") == name), {})
    code, reason = container.get("exitCode"), container.get("reason") or detail.get("stoppedReason") or ""
    facts = {
        "task_arn": detail["taskArn"],
        "exit_code": code,
        "stop_code": detail.get("stopCode"),
        "stopped_reason": detail.get("stoppedReason"),
    }
    result = Result(type="ecs", status=0, body=written(facts))
    if code == 0:
        return Outcome(RunState.SUCCEEDED, result)
    if code is None:
        kind, ended = str(detail.get("stopCode") or "TaskStopped"), "stopped without an exit code"
    else:
        kind, ended = "ExitCode", f"ended with exit code {code}"
    message = f"container {name} of task {detail['taskArn']} {ended}" + (f": {reason}" if reason else "")
    return Outcome(RunState.FAILED, result, RunError(type=kind[:100], message=message[:_MESSAGE]))
