"""Universal targets of EventBridge Scheduler, `arn:aws:scheduler:::aws-sdk:SERVICE:ACTION`: calls of AWS's API that a target here makes
too."""

import json
import re
from collections.abc import Mapping
from typing import Any

from minutehand.tools.importers.drafts import Draft, http_draft
from minutehand.tools.importers.fields import Fields

_QUEUE_URL = re.compile(
    r"https://sqs\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?/([0-9]{12})/([A-Za-z0-9_-]+(?:\.fifo)?)", re.ASCII
)
_FUNCTION = re.compile(r"(arn:aws[a-z-]*:lambda:[^:]*:[^:]*:function:[^:]+)(?::(.+))?")
_PATH = "Target.Input."


def read_call(draft: Draft, action: str, text: str | None) -> None:
    """Read a universal target and its input, which is the request, into a draft."""
    try:
        request = json.loads(text or "{}")
    except (ValueError, RecursionError):
        request = None
    if isinstance(request, Mapping):
        fields = Fields(request, draft, _PATH)
        read = {"sqs:sendMessage": _sqs, "sns:publish": _sns, "sfn:startExecution": _states, "lambda:invoke": _lambda}
        made = read[action](fields) if action in read else None
        if made is not None:
            target, payload = made
            draft.set("Target.Arn: universal target", detail=action, target=target, payload=payload)
            fields.end()
            return
    draft.document |= http_draft(request if request is not None else text)
    draft.note("Target.Arn: universal target", case="other calls", detail=action)


def _sqs(request: Fields) -> tuple[dict[str, Any], Any] | None:
    found = _QUEUE_URL.fullmatch(request.text("QueueUrl"))
    if found is None:
        return None
    partition = "aws-cn" if found[2] else "aws"
    target: dict[str, Any] = {"type": "sqs", "queue": f"arn:{partition}:sqs:{found[1]}:{found[3]}:{found[4]}"}
    if group := request.text("MessageGroupId"):
        target["group"] = group
    if delay := request.number("DelaySeconds"):
        target["delay"] = f"{delay}s"
    return target, request.text("MessageBody")


def _sns(request: Fields) -> tuple[dict[str, Any], Any] | None:
    topic = request.text("TopicArn")
    if not topic:
        return None
    target = {"type": "sns", "topic": topic}
    for theirs, ours in (("Subject", "subject"), ("MessageGroupId", "group")):
        if value := request.text(theirs):
            target[ours] = value
    return target, request.text("Message")


def _states(request: Fields) -> tuple[dict[str, Any], Any] | None:
    machine = request.text("StateMachineArn")
    if not machine:
        return None
    return {"type": "stepfunctions", "state_machine": machine, "mode": "start"}, _json(request.text("Input"))


def _lambda(request: Fields) -> tuple[dict[str, Any], Any] | None:
    found = _FUNCTION.fullmatch(request.text("FunctionName"))
    if found is None:
        return None
    waits = request.text("InvocationType") == "RequestResponse"
    target = {"type": "lambda", "function": found[1], "mode": "request_response" if waits else "event"}
    if qualifier := found[2] or request.text("Qualifier"):
        target["qualifier"] = qualifier
    payload = request.any("Payload")
    return target, _json(payload) if isinstance(payload, str) else payload


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text
