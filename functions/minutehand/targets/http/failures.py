"""What went wrong with a call, in words for the person who owns the job."""

from __future__ import annotations

import socket
import ssl
import traceback
from http.client import HTTPException, IncompleteRead

from urllib3.exceptions import HTTPError

from minutehand.domain.error_types import ErrorType
from minutehand.domain.run import RunError, RunState
from minutehand.targets.http.deadline import Cancelled, Deadline, Stage
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.request import Request

_MESSAGE = 1_000
_LINE = 500
_STACK = 8_000
"""Characters: an answer that is not HTTP comes back whole in the exception's text."""


def failure_of(error: Exception, request: Request | None, deadline: Deadline) -> tuple[RunState, RunError]:
    """The state and the error of a call that an exception ended.

    Args:
        request: None when it could not be made.
    """
    where = request.where if request else "the request"
    if isinstance(error, Refused):
        return RunState.FAILED, RunError(type=error.type, message=str(error)[:_MESSAGE])
    root = _root(error)
    if isinstance(root, Cancelled):
        message = f"{where}: the call was ended {deadline.stage.value}, because the run was cancelled"
        return RunState.CANCELLED, RunError(type=ErrorType.CANCELLED, message=message)
    if _is_our_limit(root):
        message = f"{where}: the limit of {deadline.limit.total_seconds():g} s was reached {deadline.stage.value}"
        return RunState.TIMED_OUT, RunError(type=ErrorType.TIMED_OUT, message=message)
    type_, words = _in_words(root, request, deadline.stage)
    return RunState.FAILED, RunError(type=type_, message=f"{where}: {words}"[:_MESSAGE], stack=_stack(error))


def _root(error: Exception) -> BaseException:
    """What lies under urllib3's own exceptions, which wrap it."""
    root: BaseException = error
    while isinstance(root, HTTPError) and root.__cause__ is not None:
        root = root.__cause__
    return root


def _is_our_limit(error: BaseException) -> bool:
    """A time limit of the operating system (ETIMEDOUT) has a number, that of a socket or a thread has none."""
    return isinstance(error, TimeoutError) and error.errno is None


def _in_words(error: BaseException, request: Request | None, stage: Stage) -> tuple[str, str]:
    host, port = (request.host, request.port) if request else ("", 0)
    match error:
        case socket.gaierror() | UnicodeError() if stage is Stage.RESOLVING:
            return "NameNotResolved", f"the name {host} has no address: {_said(error)}"
        case ssl.SSLCertVerificationError():
            return "CertificateInvalid", f"the certificate of {host} is not to be trusted: {error.verify_message}"
        case ssl.SSLError():
            return "TlsFailed", f"TLS with {host}:{port} failed: {_said(error)}; is it an https:// server?"
        case ConnectionRefusedError():
            return "ConnectionRefused", f"nothing listens at {host}:{port}"
        case OSError() if stage in (Stage.RESOLVING, Stage.CONNECTING):
            return "Unreachable", f"{host}:{port} cannot be reached: {_said(error)}"
        case ConnectionError() | IncompleteRead() | OSError() if stage is Stage.READING:
            return "ConnectionLost", "the connection ended in the middle of the answer"
        case ConnectionError() | OSError():
            return "ConnectionLost", "the connection ended before an answer came"
        case HTTPException() | HTTPError():
            return "NotHttp", f"the answer is not HTTP: {_said(error)}"
        case _:
            return type(error).__name__, str(error)


def _said(error: BaseException) -> str:
    """The reason alone, without numbers and file names of a library."""
    reason = getattr(error, "reason", None) if isinstance(error, ssl.SSLError) else getattr(error, "strerror", None)
    return str(reason or error or type(error).__name__)[:200]


def _stack(error: Exception) -> str:
    lines = "".join(traceback.format_exception(error)).splitlines()
    return "\n".join(line[:_LINE] for line in lines)[-_STACK:]
