"""HTTP answers for errors: the table of status codes, and problem documents (RFC 9457, `application/problem+json`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.conversion import shown
from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.domain.errors import (
    Conflict,
    FieldProblem,
    InUse,
    Invalid,
    IssuerUnavailable,
    KeyReused,
    MinutehandError,
    NeedsNewerVersion,
    NotAllowed,
    NotFound,
    QuotaReached,
    RunsQuotaReached,
    Unavailable,
    Unidentified,
)
from minutehand.domain.json_pointer import pointer_to
from minutehand.domain.precondition import ChangedMeanwhile
from minutehand.entrypoints.api.documents.headers import ETAG, RETRY_AFTER
from minutehand.entrypoints.telemetry import logger
from minutehand.schedule import ScheduleError, ScheduleWarning

NOT_CACHED = {"Cache-Control": "no-store"}
"""Headers of every answer: jobs may hold secrets, and a stale state would mislead."""
MOST_ERRORS = 100
"""Maximum field problems in an answer: a body could cause tens of thousands, and Lambda limits the size of an answer."""


class BadRequest(Invalid):
    """The body, the query or a header of a request cannot be parsed. For invalid fields of a document, the API raises `Invalid`."""


class WrongName(Invalid):
    """A name in the path of a request is not valid, so no field of a document is wrong."""


def bad_request(path: str, message: str, hint: str = "") -> BadRequest:
    """A bad request with one problem. The path is a query parameter or a header, or empty for the body as a whole."""
    return BadRequest(FieldProblem(path, message, hint))


@contextmanager
def invalid_as_bad_request() -> Iterator[None]:
    """Turn `Invalid` into `BadRequest`, around a use case that refuses a query parameter rather than a field of a document."""
    try:
        yield
    except Invalid as error:
        raise BadRequest(*error.problems) from None


def quoted(tag: str) -> str:
    """The value of the header `ETag` for a tag: a strong one."""
    return f'"{tag}"'


class TooLarge(MinutehandError):
    """The body of a request exceeds the size limit, or that of its answer would."""


class Unauthenticated(Unidentified):
    """The request has no valid token."""


class Throttled(MinutehandError):
    """The caller's token has sent too many requests; `wait` says when the next may pass."""

    def __init__(self, message: str, wait: timedelta) -> None:
        super().__init__(message)
        self.wait = wait


class WrongMethod(MinutehandError):
    """The path of a request exists, but not with its method; `allowed` are the path's methods."""

    def __init__(self, method: str, path: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{path} does not support {method}; it supports {', '.join(allowed)}")
        self.allowed = allowed


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """The HTTP answer for a kind of error.

    Attributes:
        name: the last part of the problem's `type`.
        detail: replaces the error's own text, where that must not reach the caller.
        headers: added to the answer.
    """

    status: int
    name: str
    title: str
    detail: str = ""
    headers: Mapping[str, str] | None = None

    @property
    def type(self) -> str:
        """URI of the kind of problem, for programs."""
        return f"urn:problem-type:minutehand:{self.name}"


KINDS: Mapping[type[Exception], Kind] = {
    BadRequest: Kind(status=400, name="bad-request", title="Bad request"),
    # REST APIs of API Gateway send this header as `x-amzn-Remapped-WWW-Authenticate`, if it is a function's; with its own answers, as it is.
    Unidentified: Kind(
        status=401, name="unauthenticated", title="Authentication required", headers={"WWW-Authenticate": "Bearer"}
    ),
    NotAllowed: Kind(status=403, name="not-allowed", title="Not allowed"),
    NotFound: Kind(status=404, name="not-found", title="Not found"),
    WrongMethod: Kind(status=405, name="wrong-method", title="Method not allowed"),
    Conflict: Kind(status=409, name="conflict", title="Conflict with the current state"),
    InUse: Kind(status=409, name="in-use", title="Still in use"),
    QuotaReached: Kind(status=409, name="quota-reached", title="Quota of the namespace reached"),
    KeyReused: Kind(status=409, name="key-reused", title="Idempotency key reused"),
    ChangedMeanwhile: Kind(status=412, name="changed-meanwhile", title="Another version is stored"),
    TooLarge: Kind(status=413, name="too-large", title="Too large"),
    Invalid: Kind(status=422, name="invalid", title="Invalid fields"),
    Throttled: Kind(status=429, name="throttled", title="Too many requests"),
    RunsQuotaReached: Kind(status=429, name="runs-quota-reached", title="Quota of runs a minute reached"),
    Exception: Kind(
        status=500,
        name="internal",
        title="Internal error",
        detail="an error on our side; search the log of the API function for this request id",
    ),
    NeedsNewerVersion: Kind(status=503, name="needs-newer-version", title="Newer version required"),
    IssuerUnavailable: Kind(
        status=503, name="issuer-unavailable", title="OIDC issuer does not answer", headers={"Retry-After": "5"}
    ),
    Unavailable: Kind(
        status=503,
        name="unavailable",
        title="Service unavailable",
        detail="a store did not answer, so the request may or may not have taken effect; it is safe to send it again",
        headers={RETRY_AFTER.name: "1"},
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldErrorDocument:
    """An error or a warning about one field."""

    path: Annotated[str, Field("The field, such as `target.url`; empty for the document as a whole.")]
    pointer: Annotated[
        str, Field("JSON Pointer (RFC 6901) to the field in the document, such as `/target/url`.", optional=True)
    ] = LEFT_OUT
    message: Annotated[str, Field("What is wrong.")]
    hint: Annotated[str | None, Field("What would be right.", optional=True)] = LEFT_OUT
    column: Annotated[int | None, Field("0-based position in the field's text.", optional=True)] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemDocument:
    """An error, in the form of RFC 9457 (`application/problem+json`)."""

    type: Annotated[str, Field("URI of the kind of problem, for programs.")]
    title: Annotated[str, Field("The kind of problem, for people.")]
    status: Annotated[int, Field("The HTTP status.")]
    detail: Annotated[str, Field("What went wrong this time.")]
    request_id: Annotated[str, Field("Of a 5xx error: the request's id in the logs.", optional=True)] = LEFT_OUT
    errors: Annotated[tuple[FieldErrorDocument, ...], Field("Every invalid field.", optional=True)] = LEFT_OUT


def problem(error: Exception, *, request_id: str, document: Any = None) -> Response[str]:
    """Answer an error with its problem document. A 5xx is logged, and its answer has the request id.

    Args:
        document: that of the request, to whose fields the errors point; None without one.
    """
    kind, described = problem_document(error, request_id=request_id, document=document)
    headers = {**NOT_CACHED, **(kind.headers or {})}
    if isinstance(error, WrongMethod):
        headers["Allow"] = ", ".join(error.allowed)
    if isinstance(error, Throttled | RunsQuotaReached):
        headers[RETRY_AFTER.name] = str(max(1, ceil(error.wait.total_seconds())))
    if isinstance(error, ChangedMeanwhile) and error.tag:
        headers[ETAG.name] = quoted(error.tag)
    return Response(
        status_code=kind.status,
        content_type="application/problem+json",
        body=json.dumps(shown(described), separators=(",", ":")),
        headers=headers,
    )


def problem_document(error: Exception, *, request_id: str, document: Any = None) -> tuple[Kind, ProblemDocument]:
    """The kind of an error, and its problem document; see `problem`."""
    if isinstance(error, ScheduleError):
        error = Invalid(schedule_problem(error))
    kind = next(KINDS[cls] for cls in type(error).__mro__ if cls in KINDS)
    errors: tuple[FieldErrorDocument, ...] = LEFT_OUT
    if isinstance(error, Invalid):
        within = None if isinstance(error, (BadRequest, WrongName)) else document
        errors = tuple(field_document(found, within) for found in error.problems[:MOST_ERRORS] if found.path)
    ours = kind.status >= 500
    if ours:
        logger.error(kind.title, action="answer", status=kind.status, request_id=request_id, exc_info=error)
    return kind, ProblemDocument(
        type=kind.type,
        title=kind.title,
        status=kind.status,
        detail=kind.detail or _detail(error),
        errors=errors,
        request_id=request_id if ours else LEFT_OUT,
    )


def schedule_problem(error: ScheduleError | ScheduleWarning) -> FieldProblem:
    """A schedule's error or warning as the problem of a job's field; the message names the crontab field."""
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


def field_document(problem: FieldProblem, document: Any) -> FieldErrorDocument:
    """A field problem as an entry of `errors`. document: that with the field; None for a query parameter, a header or a name in the path."""
    return FieldErrorDocument(
        path=problem.path,
        pointer=LEFT_OUT if document is None else pointer_to(problem.path, document),
        message=problem.message,
        hint=problem.hint or LEFT_OUT,
        column=LEFT_OUT if problem.column is None else problem.column,
    )
