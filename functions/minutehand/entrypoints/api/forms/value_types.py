"""Pydantic types of single values: instants, durations, schedules and texts with a check.

Their errors have the type `REFUSED` and carry message, hint and column, as `forms/invalid.py` shows them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from minutehand.domain.declaration import Refused
from minutehand.domain.durations import parse_duration
from minutehand.domain.errors import Invalid
from minutehand.domain.instants import from_text
from minutehand.entrypoints.api.forms.request import json_kind
from minutehand.schedule.words import LONGEST

REFUSED = "refused"
"""The type of the errors raised here; their context has `message`, `hint` and `column`."""
_LONGEST_DURATION = 40
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?P<fraction>\.\d+)?(?P<offset>Z|[+-]\d\d:\d\d)?", re.ASCII)
_DURATION_SCHEMA = {"type": "string", "pattern": "^([0-9]{1,9}[wdhms])+$", "examples": ["90s", "1h30m", "7d"]}


def checked(type_: Any, check: Callable[[Any], object] | None) -> Any:
    """A type whose values must also pass a check that raises `Refused` or `Invalid`; None for no check."""
    if check is None:
        return type_

    def validate(value: Any) -> Any:
        try:
            check(value)
        except Refused as error:
            raise _refused(error.message, error.hint, error.column) from None
        except Invalid as error:
            [problem] = error.problems
            raise _refused(problem.message, problem.hint, problem.column) from None
        return value

    return Annotated[type_, AfterValidator(validate)]


def duration(least: str, most: str) -> Any:
    """The type of a duration as text (`1h30m`), from `least` to `most`."""

    def validate(text: str) -> str:
        found = _parsed_duration(text)
        if found is None:
            raise _refused(
                f"{text!r:.60} is not a duration", "write whole numbers with units, such as 90s, 1h30m or 7d"
            )
        if found > parse_duration(most):
            raise _refused(f"{text} is too long", f"give {least} to {most}")
        if found < parse_duration(least):
            raise _refused(f"{text} is too short", f"give {least} to {most}")
        return text

    return Annotated[str, AfterValidator(validate), WithJsonSchema(_DURATION_SCHEMA)]


def schedule(most: int) -> Any:
    """The type of a schedule: a text, or a list of up to `most`. Whether each text is a schedule is checked on accepting."""

    def validate(value: object) -> object:
        if not isinstance(value, str | list):
            raise _refused(f"this must be text, or a list of texts, not {json_kind(value)}", 'put it in quotes: "…"')
        return value

    several = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most}
    schema = {"anyOf": [{"type": "string", "maxLength": LONGEST}, several]}
    return Annotated[str | list[str], PlainValidator(validate), WithJsonSchema(schema)]


def _parsed_duration(text: str) -> timedelta | None:
    if len(text) > _LONGEST_DURATION:
        return None
    try:
        return parse_duration(text)
    except (ValueError, OverflowError):
        return None


def _validate_instant(text: str) -> str:
    example = "write it as 2026-12-01T09:00:00Z"
    written = _INSTANT.fullmatch(text)
    if written is None:
        raise _refused(f"{text!r} is not an instant", example)
    if written["fraction"]:
        raise _refused(f"{text} has a fraction of a second", example)
    if not written["offset"]:
        raise _refused(f"{text} has no offset from UTC", f"{text}Z is in UTC, {text}+01:00 an hour ahead of it")
    try:
        from_text(text)
    except ValueError:  # a day or an hour that does not exist, or a year outside 1 to 9999 after the offset is applied
        raise _refused(f"{text} does not exist", example) from None
    return text


def _refused(message: str, hint: str = "", column: int | None = None) -> PydanticCustomError:
    """The error of a refused value; `column` is 0-based."""
    return PydanticCustomError(REFUSED, "{message}", {"message": message, "hint": hint, "column": column})


INSTANT = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(_validate_instant),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""An instant as text: RFC 3339 in whole seconds, with an offset; only capital `T` and `Z`."""
