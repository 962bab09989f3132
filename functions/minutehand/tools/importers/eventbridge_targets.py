"""The target of an EventBridge schedule or rule, as the target of a job."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from minutehand.domain.placeholder import PLACEHOLDER
from minutehand.tools.importers.drafts import Draft, duration, http_draft
from minutehand.tools.importers.eventbridge_calls import read_call
from minutehand.tools.importers.fields import Fields

_ARN = re.compile(r"arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):([0-9]*):(.+)", re.ASCII)
_UNIVERSAL = re.compile(r"arn:aws[a-z-]*:scheduler:::aws-sdk:([A-Za-z0-9]+):([A-Za-z0-9.]+)", re.ASCII)
_FUNCTION = re.compile(r"(arn:aws[a-z-]*:lambda:[^:]*:[^:]*:function:[^:]+)(?::(.+))?")
_KEYWORD = re.compile(r"<aws\.scheduler\.[a-z-]+>")
_TEMPLATED = re.compile(r"<[^<>\s]+>")
_USUAL_RETRIES, _MOST_ATTEMPTS = 185, 20


def read_target(draft: Draft, target: Fields) -> None:
    """Read the target, its input and its policies into a draft. What no job can call becomes a target to be completed."""
    arn = target.text("Arn")
    draft.task = arn
    if target.text("RoleArn"):
        draft.note("Target.RoleArn")
    given = _input(draft, target)
    universal = _UNIVERSAL.fullmatch(arn)
    if universal:
        read_call(draft, f"{universal[1].lower()}:{universal[2]}", given)
    else:
        found = _ARN.fullmatch(arn)
        service, resource = (found[2], found[5]) if found else ("", "")
        kind = next(
            (kind for kind, (its, pattern) in _KINDS.items() if its == service and re.match(pattern, resource)), ""
        )
        _READERS[kind](draft, target, arn, given)
    _retries(draft, target)


def _input(draft: Draft, target: Fields) -> str | None:
    """The text that the target gets; None where EventBridge sends an event of its own."""
    text = target.text("Input") if "Input" in target else None
    if "InputTransformer" in target:
        transformer = target.object("InputTransformer")
        paths, template = transformer.pairs("InputPathsMap"), transformer.text("InputTemplate")
        constant = not paths and not _TEMPLATED.search(template)
        draft.note("Target.InputTransformer", case="constant" if constant else "", detail="" if constant else template)
        return template if constant else None
    if text is not None and _KEYWORD.search(text):
        draft.note("Target.Input", case="keywords", detail=", ".join(sorted(set(_KEYWORD.findall(text)))))
    return text


def as_json(text: str | None) -> Any:
    """The value of a JSON text; the text itself if it is none."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _set(draft: Draft, rule: str, target: dict[str, Any], payload: Any, text: str | None) -> None:
    draft.set(rule, target=target)
    if text is None:
        draft.note("Target.Input", case="absent")
    else:
        draft.set("Target.Input", payload=payload)


def _lambda(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    del target
    found = _FUNCTION.fullmatch(arn)
    fields: dict[str, Any] = {"type": "lambda", "function": found[1] if found else arn, "mode": "event"}
    if found and found[2]:
        fields["qualifier"] = found[2]
    _set(draft, "Target.Arn: Lambda", fields, as_json(text), text)


def _sqs(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    fields = {"type": "sqs", "queue": arn}
    parameters = target.object("SqsParameters")
    if group := parameters.text("MessageGroupId"):
        draft.note("Target.SqsParameters.MessageGroupId")
        fields["group"] = group
    parameters.end()
    _set(draft, "Target.Arn: SQS", fields, text, text)  # the message is the text as it is


def _sns(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    del target
    _set(draft, "Target.Arn: SNS", {"type": "sns", "topic": arn}, text, text)


def _bus(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    parameters = target.object("EventBridgeParameters")
    source, kind = parameters.text("Source"), parameters.text("DetailType")
    parameters.end()
    draft.note("Target.EventBridgeParameters")
    fields = {"type": "eventbridge", "bus": arn, "source": source or PLACEHOLDER, "detail_type": kind or PLACEHOLDER}
    detail = as_json(text)
    _set(draft, "Target.Arn: EventBridge", fields, detail, text)
    if text is not None and not isinstance(detail, Mapping):
        draft.set("Target.Input", case="no object", payload={"input": detail})


def _states(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    del target
    fields = {"type": "stepfunctions", "state_machine": arn, "mode": "start"}
    _set(draft, "Target.Arn: Step Functions", fields, as_json(text), text)


def _ecs(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    parameters = target.object("EcsParameters")
    fields: dict[str, Any] = {
        "type": "ecs",
        "cluster": arn,
        "task_definition": parameters.text("TaskDefinitionArn") or PLACEHOLDER,
        "container": PLACEHOLDER,
        "mode": "start",
    }
    draft.note("Target.EcsParameters")
    if launch := parameters.text("LaunchType"):
        fields["launch_type"] = launch
    network = parameters.object("NetworkConfiguration")
    vpc = network.object("awsvpcConfiguration" if "awsvpcConfiguration" in network else "AwsvpcConfiguration")
    names = {"Subnets": "subnets", "SecurityGroups": "security_groups"}
    fields |= {ours: listed for theirs, ours in names.items() if (listed := vpc.texts(theirs))}
    if vpc.text("AssignPublicIp") == "ENABLED":
        fields["public_ip"] = True
    count = parameters.number("TaskCount")
    if count is not None and count > 1:
        draft.note("Target.EcsParameters.TaskCount", detail=str(count))
    for each in (vpc, network, parameters):
        each.end()
    draft.set("Target.Arn: ECS", target=fields)
    overrides = as_json(text)
    if isinstance(overrides, Mapping):
        _overrides(draft, Fields(overrides, draft, "Target.Input."))
    if fields["container"] == PLACEHOLDER:
        draft.note("Target.EcsParameters", case="no container")


def _overrides(draft: Draft, overrides: Fields) -> None:
    """ECS's own overrides, of the first container."""
    fields = draft.document["target"]
    first, *others = [*overrides.objects("containerOverrides"), Fields({}, draft)]
    if name := first.text("name"):
        draft.note("Target.Input: ECS")
        fields["container"] = name
        if command := first.texts("command"):
            fields["command"] = command
        if environment := {each.text("name"): each.text("value") for each in first.objects("environment")}:
            fields["environment"] = environment
    first.end()
    if len(others) > 1:
        draft.note("Target.Input: ECS", case="others")
    overrides.end()


def _gateway(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    partition, region, resource = arn.split(":")[1], arn.split(":")[3], arn.split(":", 5)[5]
    api, stage, method, path = (*resource.split("/", 3), "", "", "")[:4]
    parameters = target.object("HttpParameters")
    for value in parameters.texts("PathParameterValues"):
        path = path.replace("*", value, 1)
    suffix = "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com"
    fields: dict[str, Any] = {
        "type": "http",
        "method": method if method.isalpha() else "POST",
        "url": f"https://{api}.execute-api.{region}.{suffix}/{stage}/{path}",
    }
    _request_parts(draft, parameters, fields)
    _set(draft, "Target.Arn: API Gateway", fields, as_json(text), text)


def _destination(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    del arn
    fields = http_draft()["target"]
    parameters = target.object("HttpParameters")
    parameters.texts("PathParameterValues")
    _request_parts(draft, parameters, fields)
    _set(draft, "Target.Arn: API destination", fields, as_json(text), text)


def _request_parts(draft: Draft, parameters: Fields, fields: dict[str, Any]) -> None:
    for theirs, ours in (("HeaderParameters", "headers"), ("QueryStringParameters", "query")):
        if pairs := parameters.pairs(theirs):
            draft.note("Target.HttpParameters")
            # In a job these are templates, in which {{ begins a placeholder.
            fields[ours] = {name: value.replace("{{", "{{{{") for name, value in pairs.items()}
    parameters.end()


def _other(draft: Draft, target: Fields, arn: str, text: str | None) -> None:
    del target
    draft.document |= http_draft(as_json(text))
    draft.note("Target.Arn", detail=arn)


def _retries(draft: Draft, target: Fields) -> None:
    policy = target.object("RetryPolicy")
    retries, age = policy.number("MaximumRetryAttempts"), policy.number("MaximumEventAgeInSeconds")
    policy.end()
    wanted = max(0, _USUAL_RETRIES if retries is None else retries) + 1
    case = "over 19" if wanted > _MOST_ATTEMPTS else ""
    detail = f"{wanted - 1}{' by default' if retries is None else ''}"
    attempts = {"max_attempts": min(wanted, _MOST_ATTEMPTS)}
    draft.set("Target.RetryPolicy.MaximumRetryAttempts", case=case, detail=detail, retry=attempts)
    if age is not None and age >= 60:
        draft.set("Target.RetryPolicy.MaximumEventAgeInSeconds", run_timeout=duration(min(age, 90 * 86_400)))


_Reader = Callable[[Draft, Fields, str, str | None], None]
_KINDS = {
    "lambda": ("lambda", "function:"),
    "sqs": ("sqs", ""),
    "sns": ("sns", ""),
    "bus": ("events", "event-bus/"),
    "destination": ("events", "api-destination/"),
    "states": ("states", "stateMachine:"),
    "ecs": ("ecs", "cluster/"),
    "gateway": ("execute-api", "[^/]+/"),
}
_READERS: Mapping[str, _Reader] = {
    "lambda": _lambda,
    "sqs": _sqs,
    "sns": _sns,
    "bus": _bus,
    "destination": _destination,
    "states": _states,
    "ecs": _ecs,
    "gateway": _gateway,
    "": _other,
}
