"""Errors that the SDK raises; all are subclasses of `MinutehandError`."""

from collections.abc import Mapping
from typing import Any, cast

from minutehand.client.models import FieldError, Run
from minutehand.client.results import Problem


class MinutehandError(Exception):
    """The root of all errors. `message` says what is wrong, `hint` what to do about it."""

    title = "the call did not succeed"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def problem(self) -> Problem:
        """The error as a problem document (RFC 9457)."""
        problem = Problem(title=self.title, detail=self.message)
        if self.hint:
            problem["hint"] = self.hint
        return problem


class ConfigurationError(MinutehandError):
    """The address or the token is missing or unusable; nothing was sent."""

    title = "not configured"


class AnswerError(MinutehandError):
    """The answer is not from Minutehand's API: a proxy's page, another service, a redirect."""

    title = "not an answer from Minutehand"


class Unreachable(MinutehandError):
    """The API did not answer, even after all retries."""

    title = "the API cannot be reached"


class StillRunning(MinutehandError):
    """Waiting for a run took longer than the timeout. The run continues; `run` is its last known record."""

    title = "the run has not ended yet"

    def __init__(self, message: str, *, run: Run, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.run = run


class Refused(MinutehandError):
    """An HTTP error without a class of its own (405, 429, 5xx …).

    `status` is the HTTP status, `errors` every invalid field, and `problem()` the API's own body. `repeated` says that the request was
    sent more than once: an earlier try may have succeeded although its answer was lost. `origin` says where the API's address was
    found, if the client knows.
    """

    def __init__(self, status: int, body: Mapping[str, Any], *, repeated: bool = False, origin: str = "") -> None:
        title = _text(body.get("title")) or f"HTTP {status}"
        detail = _text(body.get("detail")) or _text(body.get("message")) or _text(body.get("Message"))
        request_id = _text(body.get("request_id"))
        suffix = f" (request id {request_id})" if request_id else ""
        super().__init__(f"{detail or title}{suffix}", hint=_text(body.get("hint")) or None)
        self.status = status
        self.repeated = repeated
        self.origin = origin
        self.title = title
        self.errors: list[FieldError] = _field_errors(body.get("errors"))
        self._body = dict(body)

    def problem(self) -> Problem:
        """The API's problem document, or one made of the answer where another server sent it."""
        if "title" in self._body:
            return cast("Problem", dict(self._body))
        return Problem(title=self.title, status=self.status, detail=self.message, errors=self.errors)


class Invalid(Refused):
    """400, 413 or 422: the request is invalid; `errors` lists every invalid field."""


class NotAllowed(Refused):
    """401 or 403: the token is missing or unknown, or lacks the role or the namespace."""


class NotFound(Refused):
    """404: what the request names does not exist, such as a job or a run."""


class Conflict(Refused):
    """409: the current state does not allow the request; for instance, the run has already ended."""


class ChangedMeanwhile(Conflict):
    """412: the stored version is not the one that the request names. If `repeated`, that may be the request's own change, whose answer was
    lost."""


class QuotaUsedUp(Conflict):
    """429 for a trigger or a backfill: the namespace's quota lets no further run begin in this minute. It is not sent again; `message` says
    from when on to try."""


TOO_LARGE = 413
"""The HTTP status of a request, or of its answer, that would be too large."""
QUOTA_TYPE = "urn:problem-type:minutehand:runs-quota-reached"
"""The problem type of `QuotaUsedUp`, by which it differs from other answers with its status."""
BY_STATUS: Mapping[int, type[Refused]] = {
    400: Invalid,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    412: ChangedMeanwhile,
    TOO_LARGE: Invalid,
    422: Invalid,
}


def refused(status: int, body: Mapping[str, Any], *, repeated: bool, origin: str) -> Refused:
    """The error for an answer that is not a success. Arguments: see `Refused`."""
    kind = QuotaUsedUp if body.get("type") == QUOTA_TYPE else BY_STATUS.get(status, Refused)
    return kind(status, body, repeated=repeated, origin=origin)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _field_errors(value: object) -> list[FieldError]:
    return [_field_error(entry) for entry in (value if isinstance(value, list) else []) if isinstance(entry, Mapping)]


def _field_error(entry: Mapping[str, Any]) -> FieldError:
    column, pointer = entry.get("column"), entry.get("pointer")
    found = FieldError(
        path=_text(entry.get("path")),
        message=_text(entry.get("message")),
        hint=_text(entry.get("hint")) or None,
        column=column if isinstance(column, int) else None,
    )
    if isinstance(pointer, str):
        found["pointer"] = pointer
    return found
