"""Start a task of ECS."""

from __future__ import annotations

from typing import Any

from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.caller import Service
from minutehand.targets.aws.content import Send, content_of, facts_of, written
from minutehand.targets.aws.failures import Failure
from minutehand.targets.aws.names import PREFIX, digest_of
from minutehand.targets.aws.tasks.fields import EcsTarget
from minutehand.usecases.ports.target import Call, Outcome

_LASTING = ("MISSING", "INACTIVE", "ATTRIBUTE", "LOCATION")
"""Reasons of failures that stay. Others, such as `RESOURCE:CPU` or `Capacity is unavailable at this time`, pass."""


def run(client: Any, target: EcsTarget, call: Call) -> Outcome:
    """Start one task. Its client token is that of the attempt, so that ECS starts no second task if this is repeated.

    Raises:
        Failure: when ECS found no place for the task, which it answers with status 200.
    """
    digest = digest_of(call)
    request: dict[str, Any] = {
        "cluster": target.cluster,
        "taskDefinition": target.task_definition,
        "count": 1,
        "clientToken": digest,
        "startedBy": f"{PREFIX}{digest[:16]}",
        "overrides": {"containerOverrides": [_override(target, call)]},
    }
    if target.launch_type:
        request["launchType"] = target.launch_type
    if target.subnets:
        network: dict[str, Any] = {
            "subnets": list(target.subnets),
            "assignPublicIp": "ENABLED" if target.public_ip else "DISABLED",
        }
        if target.security_groups:
            network["securityGroups"] = list(target.security_groups)
        request["networkConfiguration"] = {"awsvpcConfiguration": network}
    answer = client.run_task(**request)
    status = answer["ResponseMetadata"]["HTTPStatusCode"]
    if not answer.get("tasks"):
        raise _not_placed(answer, target, status)
    body = written({"task_arn": answer["tasks"][0]["taskArn"]})
    state = RunState.WAITING if target.may_answer_later else RunState.SUCCEEDED
    return Outcome(state, result=Result(type="ecs", status=status, body=body))


def variables_of(target: EcsTarget, call: Call) -> dict[str, str]:
    """The variables of the container: the job's, the facts about the run, its payload, and with mode wait what a report needs."""
    found = dict(target.environment)
    found |= {name.upper().replace("-", "_"): value for name, value in facts_of(call).items()}
    found["MINUTEHAND_PAYLOAD"] = written(content_of(call, Send.PAYLOAD))
    if target.may_answer_later:
        found |= {"MINUTEHAND_TOKEN": call.token, "MINUTEHAND_CALLBACK_URL": call.callback_url}
    return found


def _override(target: EcsTarget, call: Call) -> dict[str, Any]:
    environment = [{"name": name, "value": value} for name, value in variables_of(target, call).items()]
    override: dict[str, Any] = {"name": target.container, "environment": environment}
    return override | {"command": list(target.command)} if target.command else override


def _not_placed(answer: Any, target: EcsTarget, status: int) -> Failure:
    failures = answer.get("failures") or [{}]
    reason = str(failures[0].get("reason") or "no reason given")
    detail = str(failures[0].get("detail") or "")
    result = Result(type="ecs", status=status, body=written({"failures": failures}))
    return Failure(
        "TaskNotStarted",
        f"ecs RunTask of {target.task_definition}: ECS started no task: {reason}{f' ({detail})' if detail else ''}",
        final=reason.startswith(_LASTING),
        result=result,
    )


CALLER = Service("ecs", "RunTask", run)
