"""Reading documents and bodies into the things that they declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from minutehand.domain.conversion import read_shown
from minutehand.domain.errors import Invalid
from minutehand.entrypoints.api.forms.invalid import problems_in
from minutehand.entrypoints.api.forms.request import optional_object

T = TypeVar("T")


def read_valid(document: Mapping[str, Any], cls: type[T]) -> T:
    """Read a document.

    Raises:
        Invalid: with every problem of every field.
    """
    problems = problems_in(document, cls)
    if problems:
        raise Invalid(*problems)
    return read_shown(cls, document)


def read_body(event: Mapping[str, Any], cls: type[T]) -> T:
    """Read a request's body. It may be absent if no field is required.

    Raises:
        BadRequest, TooLarge: when the body is not a JSON object.
        Invalid: with every problem of every field.
    """
    return read_valid(optional_object(event), cls)
