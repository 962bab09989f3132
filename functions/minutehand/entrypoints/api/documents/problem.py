"""The documents of problems and warnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from minutehand.domain.declaration import LEFT_OUT, Field


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldErrorDocument:
    """An error or a warning about one field."""

    path: Annotated[str, Field("The field, such as `target.url`; empty for the document as a whole.")]
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
