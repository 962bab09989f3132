"""Errors of calls to AWS, explained to the owner of the job."""

from __future__ import annotations

import re
import traceback
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    ReadTimeoutError,
)

from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Result, RunError, RunState

_MESSAGE = 1_000
_STACK = 8_000
_FOR_NOW = re.compile(
    r"Throttl|TooManyRequests|LimitExceeded|OverLimit|SlowDown|Unavailable|Internal|Timeout|TimedOut|Expired|NotReady|ResourceConflict|Busy|"
    r"ServerException|ServiceException|Pending|RequestLimit"
)
"""Codes of errors after which another call may succeed, whatever the status of the answer is."""
_DENIED = re.compile(r"AccessDenied|NotAuthorized|Unauthorized|AuthorizationError|OptInRequired")
_MISSING = re.compile(r"NotFound|NonExistent|DoesNotExist|NoSuch|NotExist")
_SERVER_ERROR, _TOO_MANY = 500, 429


class Failure(Exception):
    """A call that failed, though AWS answered.

    Attributes:
        type: the type of the run's error.
        final: whether another attempt would fail in the same way.
    """

    def __init__(self, type_: str, message: str, *, final: bool, result: Result | None = None, stack: str = "") -> None:
        super().__init__(message)
        self.type, self.final, self.result, self.stack = type_, final, result, stack


def refused(code: str, message: str, *, what: str, result: Result | None = None, status: int = 400) -> Failure:
    """The failure for an error code of AWS: final, unless another call may succeed.

    Args:
        what: what was called, such as `lambda Invoke of arn:…`.
    """
    name = _name(code)
    text = f"{what}: AWS answered {name}: {message or 'without a message'}"
    if _DENIED.search(name):
        return Failure(name, f"{text}. {_HINT_DENIED}", final=True, result=result)
    if status >= _SERVER_ERROR or status == _TOO_MANY or _FOR_NOW.search(name):
        return Failure(name, text, final=False, result=result)
    if _MISSING.search(name):
        return Failure(name, f"{text}. {_HINT_MISSING}", final=True, result=result)
    return Failure(name, f"{text}. {_HINT_INVALID}", final=True, result=result)


_HINT_DENIED = (
    "The worker's role, or the policy of what it calls, does not allow this: the operator of this service can add the ARN to AwsTargetArns "
    "(a role to AwsTargetRoles), or with AwsTaggedTargets=true tag it minutehand=allowed"
)
_HINT_MISSING = "Check the ARN in the job's target: it names nothing that exists in that account and region"
_HINT_INVALID = "Correct the job's target or its payload: the same call would fail again"


def failed(error: Exception, what: str) -> Outcome:
    """The outcome of a call that raised an exception."""
    match error:
        case Failure():
            failure = error
        case ClientError():
            failure = _of_answer(error, what)
        case _:
            failure = _of_library(error, what)
    found = RunError(type=failure.type[:100], message=str(failure)[:_MESSAGE], stack=failure.stack[-_STACK:])
    return Outcome(RunState.FAILED, result=failure.result, error=found, final=failure.final)


def _of_answer(error: ClientError, what: str) -> Failure:
    given: dict[str, Any] = dict(error.response.get("Error", {}))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    called = what if error.operation_name != "AssumeRole" else f"{what}: sts AssumeRole"
    return refused(str(given.get("Code", "Unknown")), str(given.get("Message", "")), what=called, status=status)


def _of_library(error: Exception, what: str) -> Failure:
    match error:
        case ParamValidationError():
            text = " ".join(str(error).split()).removeprefix("Parameter validation failed: ")
            return Failure("InvalidRequest", f"{what}: boto3 cannot send this request: {text}", final=True)
        case NoCredentialsError() | NoRegionError():
            return Failure(type(error).__name__.removesuffix("Error"), f"{what}: {error}", final=True)
        case EndpointConnectionError() | ConnectTimeoutError():
            return Failure("Unreachable", f"{what}: no connection to AWS: {error}", final=False)
        case ReadTimeoutError() | ConnectionClosedError() | HTTPClientError():
            # The call may have had its effect.
            return Failure("ConnectionLost", f"{what}: the connection ended before AWS answered: {error}", final=False)
    stack = "".join(traceback.format_exception(error))
    kind = "AwsCallFailed" if isinstance(error, BotoCoreError) else type(error).__name__
    return Failure(kind, f"{what}: {error}", final=False, stack=stack)


def _name(code: str) -> str:
    """The code without the parts that only some services write: `AWS.SimpleQueueService.`, `Exception`."""
    return re.sub(r"(Exception|Error)$", "", code.rsplit(".", 1)[-1]) or code
