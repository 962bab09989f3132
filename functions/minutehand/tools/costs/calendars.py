"""Calendars for an estimate: what they block, read from a document as in files or from the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, TypeVar

from minutehand.domain.calendar import Calendar, CalendarKey, merged_dates, merged_periods, merged_weekly
from minutehand.domain.calendar_text import parse_dates, parse_period, parse_weekly
from minutehand.domain.errors import Invalid
from minutehand.tools.costs.definition import DefinitionError

T = TypeVar("T")
Calendars: TypeAlias = Mapping[str, Calendar]
"""Known calendars by full name."""
NONE_KNOWN: Calendars = {}
_UNKNOWN = datetime(1970, 1, 1, tzinfo=UTC)


def calendar_of(document: Mapping[str, Any]) -> Calendar:
    """Read a document with `namespace` and `name`, without who changed it and when. Raises DefinitionError."""
    return Calendar(
        key=CalendarKey(namespace=document["namespace"], name=document["name"]),
        description="",
        dates=merged_dates(_entries(document, "dates", parse_dates)),
        weekly=merged_weekly(_entries(document, "weekly", parse_weekly)),
        periods=merged_periods(_entries(document, "periods", parse_period)),
        revision=0,
        updated_at=_UNKNOWN,
        updated_by="",
    )


def _entries(document: Mapping[str, Any], field: str, parse: Callable[[str], T]) -> Iterator[T]:
    texts = document.get(field) or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DefinitionError(field, "it is not a list of strings", f"write them in quotes below {field}:")
    for place, text in enumerate(texts):
        try:
            yield parse(text)
        except Invalid as error:
            [problem] = error.problems
            raise DefinitionError(f"{field}[{place}]", problem.message, problem.hint) from None
