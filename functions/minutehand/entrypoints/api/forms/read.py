"""Reading the body of a request into what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from minutehand.entrypoints.api.forms.invalid import read_valid
from minutehand.entrypoints.api.forms.request import optional_object

T = TypeVar("T")


def read_body(event: Mapping[str, Any], cls: type[T]) -> T:
    """The request in a body, which may be left out where no field is required.

    Raises:
        BadRequest, TooLarge: when the body is not a JSON object.
        Invalid: with every problem of every field.
    """
    return read_valid(optional_object(event), cls)
