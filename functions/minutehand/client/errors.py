"""Everything that can go wrong between a program and the API, under one root."""

from collections.abc import Mapping
from typing import Any, cast

from minutehand.client.shapes import FieldError, Problem, Run


class MinutehandError(Exception):
    """The root: what was wrong, and in `hint` what to do about it."""

    title = "the call did not succeed"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def problem(self) -> Problem:
        """The error in RFC 9457's form."""
        problem = Problem(title=self.title, detail=self.message)
        if self.hint:
            problem["hint"] = self.hint
        return problem


class ConfigurationError(MinutehandError):
    """No usable address or token; nothing was sent."""

    title = "not configured"


class AnswerError(MinutehandError):
    """Something answered that does not speak Minutehand's API: a proxy's page, another service, a redirect."""

    title = "not an answer of Minutehand"


class Unreachable(MinutehandError):
    """No answer at all, after the retries."""

    title = "the API cannot be reached"


class StillRunning(MinutehandError):
    """Waiting ended before the run did; the run goes on. `run` is its record as it was last seen."""

    title = "the run has not ended yet"

    def __init__(self, message: str, *, run: Run, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.run = run


class Refused(MinutehandError):
    """The API answered with an error that has no class of its own (405, 429, 5xx …).

    `status` is the HTTP status, `errors` every invalid field, and `problem()` the API's own body. `repeated` says that the call was
    sent more than once, so that an earlier try whose answer was lost may have succeeded.
    """

    def __init__(self, status: int, body: Mapping[str, Any], *, repeated: bool = False) -> None:
        title = _text(body.get("title")) or f"HTTP {status}"
        detail = _text(body.get("detail")) or _text(body.get("message")) or _text(body.get("Message"))
        request_id = _text(body.get("request_id"))
        told = f" (request id {request_id})" if request_id else ""
        super().__init__(f"{detail or title}{told}", hint=_text(body.get("hint")) or None)
        self.status = status
        self.repeated = repeated
        self.title = title
        self.errors: list[FieldError] = list(_field_errors(body.get("errors")))
        self._body = dict(body)

    def problem(self) -> Problem:
        """The API's problem document as it came; one in the same form when it was something else's."""
        if "title" in self._body:
            return cast("Problem", dict(self._body))
        return Problem(title=self.title, status=self.status, detail=self.message, errors=self.errors)


class Invalid(Refused):
    """400, 413 or 422: what was sent is wrong; every invalid field is in `errors`."""


class NotAllowed(Refused):
    """401 or 403: the token is missing or unknown, or its role or namespaces do not reach this far."""


class NotFound(Refused):
    """404: no such job or run."""


class Conflict(Refused):
    """409: somebody else's change came first."""


def refusal(status: int, body: Mapping[str, Any], *, repeated: bool) -> Refused:
    """The error for an HTTP status from 400 on."""
    return _BY_STATUS.get(status, Refused)(status, body, repeated=repeated)


_BY_STATUS: Mapping[int, type[Refused]] = {
    400: Invalid,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: Invalid,
    422: Invalid,
}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _field_errors(value: object) -> list[FieldError]:
    if not isinstance(value, list):
        return []
    found: list[FieldError] = []
    for entry in value:
        if isinstance(entry, Mapping):
            column = entry.get("column")
            found.append(
                FieldError(
                    path=_text(entry.get("path")),
                    message=_text(entry.get("message")),
                    hint=_text(entry.get("hint")) or None,
                    column=column if isinstance(column, int) else None,
                )
            )
    return found
