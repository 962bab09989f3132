"""Problems: the one table from errors to HTTP, and their form (RFC 9457, `application/problem+json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.errors import (
    Conflict,
    FieldProblem,
    InUse,
    Invalid,
    KeyReused,
    MinutehandError,
    NotAllowed,
    NotFound,
    Unavailable,
)
from minutehand.entrypoints.telemetry import logger
from minutehand.schedule import ScheduleError, ScheduleWarning

MOST_ERRORS = 100
"""Field problems told in one answer: a body could hold tens of thousands, and an answer may have 6 MB."""


class BadRequest(Invalid):
    """The request itself, not the job in it, cannot be read."""


class TooLarge(MinutehandError):
    """The body is larger than anything that is taken."""


class Unauthenticated(MinutehandError):
    """Nobody vouched for the caller."""


class WrongMethod(MinutehandError):
    """The path exists; `allowed` are its methods."""

    def __init__(self, method: str, path: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{path} does not take {method}; it takes {', '.join(allowed)}")
        self.allowed = allowed


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """How an error is told.

    Attributes:
        name: the end of the problem's `type`.
        detail: told instead of the error's own text, where that is not for the caller.
        headers: sent along.
    """

    status: int
    name: str
    title: str
    detail: str = ""
    headers: Mapping[str, str] | None = None

    @property
    def type(self) -> str:
        """The URI by which programs tell kinds apart."""
        return f"urn:problem-type:minutehand:{self.name}"


KINDS: Mapping[type[Exception], Kind] = {
    BadRequest: Kind(status=400, name="bad-request", title="The request cannot be read"),
    Unauthenticated: Kind(
        status=401, name="unauthenticated", title="A token is needed", headers={"WWW-Authenticate": "Bearer"}
    ),
    NotAllowed: Kind(status=403, name="not-allowed", title="The token does not allow this"),
    NotFound: Kind(status=404, name="not-found", title="Not found"),
    WrongMethod: Kind(status=405, name="wrong-method", title="Method not allowed"),
    Conflict: Kind(status=409, name="conflict", title="This does not go as things stand"),
    InUse: Kind(status=409, name="in-use", title="Still in use"),
    KeyReused: Kind(status=409, name="key-reused", title="The idempotency key was used for something else"),
    TooLarge: Kind(status=413, name="too-large", title="The body is too large"),
    Invalid: Kind(status=422, name="invalid", title="Invalid fields"),
    Exception: Kind(
        status=500,
        name="internal",
        title="Internal error",
        detail="something went wrong on our side; the log of the API function has it under this request id",
    ),
    Unavailable: Kind(
        status=503,
        name="unavailable",
        title="A store did not answer",
        detail="it is not known whether anything was done; asking again is safe",
        headers={"Retry-After": "1"},
    ),
}


def problem(error: Exception, *, request_id: str) -> Response[str]:
    """The answer that an error is. What is our fault is logged, and told by its request id alone."""
    if isinstance(error, ScheduleError):
        error = Invalid(schedule_problem(error))
    kind = next(KINDS[cls] for cls in type(error).__mro__ if cls in KINDS)
    document: dict[str, Any] = {"type": kind.type, "title": kind.title, "status": kind.status}
    document["detail"] = kind.detail or _detail(error)
    if isinstance(error, Invalid):
        document["errors"] = [field_document(problem) for problem in error.problems[:MOST_ERRORS] if problem.path]
    headers = dict(kind.headers or {})
    if isinstance(error, WrongMethod):
        headers["Allow"] = ", ".join(error.allowed)
    if kind.status >= 500:
        document["request_id"] = request_id
        logger.error(kind.title, action="answer", status=kind.status, request_id=request_id, exc_info=error)
    return Response(
        status_code=kind.status,
        content_type="application/problem+json",
        body=json.dumps(document, separators=(",", ":")),
        headers=headers,
    )


def schedule_problem(error: ScheduleError | ScheduleWarning) -> FieldProblem:
    """What is said of a schedule as the problem of a job's field: which of its own fields is meant goes into the message."""
    if error.field in ("timezone", "dialect") and error.column is None:
        return FieldProblem(path=error.field, message=error.message, hint=error.hint)
    path = "schedule" if error.part is None else f"schedule[{error.part}]"
    message = error.message if error.field == "schedule" else f"{error.field}: {error.message}"
    return FieldProblem(path=path, message=message, hint=error.hint, column=error.column)


def _detail(error: Exception) -> str:
    if not isinstance(error, Invalid) or len(error.problems) == 1:
        hint = error.problems[0].hint if isinstance(error, Invalid) and not error.problems[0].path else ""
        return f"{error}; {hint}" if hint else str(error)
    paths = [problem.path for problem in error.problems]
    more = f" and {len(paths) - 10} more" if len(paths) > 10 else ""
    return f"{len(paths)} fields are invalid: {', '.join(paths[:10])}{more}"


def field_document(problem: FieldProblem) -> dict[str, Any]:
    """A problem of a field, in the form of an entry of `errors`."""
    told: dict[str, Any] = {"path": problem.path, "message": problem.message}
    if problem.hint:
        told["hint"] = problem.hint
    if problem.column is not None:
        told["column"] = problem.column
    return told
