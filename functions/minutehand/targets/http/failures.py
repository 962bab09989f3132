"""Errors of calls, explained to the owner of the job."""

from __future__ import annotations

import socket
import ssl
import traceback
from http.client import HTTPException, IncompleteRead

from urllib3.exceptions import HTTPError

from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import RunError, RunState
from minutehand.targets.http.deadline import Cancelled, Deadline, Stage
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.request import Request

_MESSAGE = 1_000
_LINE = 500
_STACK = 8_000
"""Most characters of a stack trace that are kept: few, since an exception's text may contain a whole answer that is not HTTP."""


def failure_of(error: Exception, request: Request | None, deadline: Deadline) -> Outcome:
    """The outcome of a call that raised an exception.

    Args:
        request: the request of the call; None if it could not be built.
    """
    where = request.where if request else "the request"
    if isinstance(error, Refused):
        return Outcome(RunState.FAILED, error=RunError(error.type, str(error)[:_MESSAGE]), final=error.final)
    root: BaseException = error
    while isinstance(root, HTTPError) and root.__cause__ is not None:  # the cause inside exceptions of urllib3
        root = root.__cause__
    if isinstance(root, Cancelled):
        message = f"{where}: stopped {deadline.stage.value}, because the run was cancelled"
        return Outcome(RunState.CANCELLED, error=RunError(ErrorType.CANCELLED, message))
    if isinstance(root, TimeoutError) and root.errno is None:  # the limit of the call; ETIMEDOUT has an errno
        message = f"{where}: timed out after {deadline.limit.total_seconds():g} s {deadline.stage.value}"
        return Outcome(RunState.TIMED_OUT, error=RunError(ErrorType.TIMED_OUT, message))
    type_, words = _explained(root, request, deadline.stage)
    stack = "\n".join(line[:_LINE] for line in "".join(traceback.format_exception(error)).splitlines())[-_STACK:]
    return Outcome(RunState.FAILED, error=RunError(type_, f"{where}: {words}"[:_MESSAGE], stack))


def _explained(error: BaseException, request: Request | None, stage: Stage) -> tuple[str, str]:
    host, port = (request.host, request.port) if request else ("", 0)
    match error:
        case socket.gaierror() | UnicodeError() if stage is Stage.RESOLVING:
            return "NameNotResolved", f"{host} could not be resolved: {_reason(error)}"
        case ssl.SSLCertVerificationError():
            return "CertificateInvalid", f"the certificate of {host} is not trusted: {error.verify_message}"
        case ssl.SSLError():
            return "TlsFailed", f"the TLS handshake with {host}:{port} failed: {_reason(error)}; does it serve https?"
        case ConnectionRefusedError():
            return (
                "ConnectionRefused",
                f"{host}:{port} refused the connection; check that a server listens on this port",
            )
        case OSError() if stage in (Stage.RESOLVING, Stage.CONNECTING) or _no_handshake(error, stage):
            return "Unreachable", f"could not connect to {host}:{port}: {_reason(error)}"
        case ConnectionError() | IncompleteRead() | OSError() if stage is Stage.READING:
            return "ConnectionLost", "the connection closed in the middle of the answer"
        case ConnectionError() | OSError():
            return "ConnectionLost", "the connection closed before the target answered"
        case HTTPException() | HTTPError():
            return "NotHttp", f"the answer is not valid HTTP: {_reason(error)}"
        case _:
            return type(error).__name__, str(error)


def _no_handshake(error: BaseException, stage: Stage) -> bool:
    """Whether the time for the TLS handshake of one of several endpoints was over."""
    return stage is Stage.HANDSHAKE and isinstance(error, TimeoutError)


def _reason(error: BaseException) -> str:
    """The reason alone, without error numbers and file names of libraries."""
    reason = getattr(error, "reason", None) if isinstance(error, ssl.SSLError) else getattr(error, "strerror", None)
    return str(reason or error or type(error).__name__)[:200]
