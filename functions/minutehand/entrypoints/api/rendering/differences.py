"""Documents of differences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minutehand.domain.declaration.field import LEFT_OUT
from minutehand.domain.difference import ABSENT, Difference
from minutehand.entrypoints.api.documents.audit import DifferenceDocument


def difference_documents(found: Iterable[Difference]) -> tuple[DifferenceDocument, ...]:
    """The documents of differences, without the values that are absent."""
    return tuple(
        DifferenceDocument(path=each.path, before=_value(each.before), after=_value(each.after)) for each in found
    )


def _value(value: Any) -> Any:
    return LEFT_OUT if value is ABSENT else value
