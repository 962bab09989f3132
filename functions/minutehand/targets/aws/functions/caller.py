"""Invoke a Lambda function."""

from __future__ import annotations

import base64
import json
from typing import Any

from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.caller import Service
from minutehand.targets.aws.content import content_of, written
from minutehand.targets.aws.failures import Failure
from minutehand.targets.aws.functions.fields import LambdaTarget, Mode
from minutehand.usecases.ports.target import Call, Outcome

BODY_BYTES = 1024 * 1024
"""Most bytes of an answer that are read and kept. A worker holds up to ten answers at once."""


def invoke(client: Any, target: LambdaTarget, call: Call) -> Outcome:
    """Invoke the function once.

    Raises:
        Failure: when the function failed, with the type, the message and the stack trace that it answered.
    """
    waits = target.mode is Mode.REQUEST_RESPONSE
    request: dict[str, Any] = {
        "FunctionName": target.function,
        "InvocationType": "RequestResponse" if waits else "Event",
        "Payload": written(content_of(call, target.send, later=target.may_answer_later)).encode("ascii"),
    }
    if target.qualifier:
        request["Qualifier"] = target.qualifier
    if waits:
        request["LogType"] = "Tail"
    answer = client.invoke(**request)
    body, cut = _read(answer)
    result = Result(type="lambda", status=answer["StatusCode"], body=body, cut=cut)
    log = base64.b64decode(answer.get("LogResult", "")).decode("utf-8", "replace")
    if "FunctionError" in answer:
        raise _function_error(body, result._replace(log=log))
    if target.mode is Mode.CALLBACK:
        return Outcome(RunState.WAITING, result=result)
    return Outcome(RunState.SUCCEEDED, result=result._replace(log=log) if target.log_tail else result)


def _read(answer: Any) -> tuple[str, bool]:
    """The beginning of the answer as text, and whether it is longer."""
    payload = answer.get("Payload")
    if payload is None:
        return "", False
    data = payload.read(BODY_BYTES + 1)
    payload.close()
    if len(data) <= BODY_BYTES:
        return data.decode("utf-8", "replace"), False
    return data[:BODY_BYTES].decode("utf-8", "ignore"), True


def _function_error(body: str, result: Result) -> Failure:
    """The error that the function raised, in the form of Lambda's runtimes. Another attempt may succeed."""
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    given: dict[str, Any] = parsed if isinstance(parsed, dict) else {}
    trace = given.get("stackTrace") or given.get("trace") or ()
    stack = "\n".join(str(line).rstrip("\n") for line in trace) if isinstance(trace, list) else ""
    message = str(given.get("errorMessage") or "the function failed without a message")
    return Failure(str(given.get("errorType") or "FunctionError"), message, final=False, result=result, stack=stack)


CALLER = Service("lambda", "Invoke", invoke)
