"""Filters in queries: labels, types of target, intervals; and the cursors of filtered lists, which are bound to their queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from minutehand.adapters import cursors
from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Refused
from minutehand.domain.instants import EARLIEST, LATEST, SECOND, ceiling, floor, to_text
from minutehand.domain.job_filter import JobFilter
from minutehand.entrypoints.api.forms.request import each_of, flag_of, instant_of
from minutehand.entrypoints.api.problems import BadRequest, bad_request, invalid_as_bad_request
from minutehand.targets import TYPES

MOST_LABELS = 10
"""Most labels in a query."""
LONGEST_TEXT = 128
"""Longest text that the names of wanted jobs contain."""
DAY = timedelta(days=1)


def labels_of(event: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The parameters `label`, each `name=value`, sorted."""
    given = each_of(event, "label")
    if len(given) > MOST_LABELS:
        raise bad_request("label", f"this is given {len(given)} times", f"give at most {MOST_LABELS} labels")
    return tuple(sorted({_label(text) for text in given}))


def _label(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    try:
        checks.label_name(name)
        checks.label_value(value)
    except Refused as error:
        raise bad_request("label", error.message, f"write name=value, such as team=data: {error.hint}") from None
    if not equals:
        raise bad_request("label", f"{text!r:.60} has no value", "write name=value, such as team=data")
    return name, value


def target_of(query: Mapping[str, str]) -> str | None:
    """The parameter `target`: a type of target."""
    text = query.get("target")
    if text is not None and text not in TYPES:
        raise bad_request("target", f"{text!r:.60} is not a type of target", f"give one of: {', '.join(sorted(TYPES))}")
    return text


def job_filter_of(event: Mapping[str, Any], query: Mapping[str, str]) -> JobFilter:
    """The filter of a list of jobs: the parameters `label`, `paused`, `target` and `q`."""
    text = query.get("q", "").lower()
    if len(text) > LONGEST_TEXT:
        raise bad_request("q", f"this has {len(text)} characters", f"give at most {LONGEST_TEXT}")
    return JobFilter(labels_of(event), flag_of(query, "paused"), target_of(query), text)


def interval_of(query: Mapping[str, str], now: datetime) -> tuple[datetime, datetime]:
    """The parameters `from` and `to`, rounded up to whole seconds; by default until the end of this second, and the 24 hours before."""
    end = instant_of(query, "to", earliest=EARLIEST)
    end = floor(now) + SECOND if end is None else ceiling(end)
    start = instant_of(query, "from", earliest=EARLIEST)
    return _interval(max(end - DAY, EARLIEST) if start is None else ceiling(start), end)


def given_interval_of(query: Mapping[str, str]) -> tuple[datetime, datetime] | None:
    """The same, without a limit by default; None without both."""
    start, end = instant_of(query, "from", earliest=EARLIEST), instant_of(query, "to", earliest=EARLIEST)
    if start is None and end is None:
        return None
    return _interval(EARLIEST if start is None else ceiling(start), LATEST if end is None else ceiling(end))


def _interval(start: datetime, end: datetime) -> tuple[datetime, datetime]:
    if start >= end:
        raise bad_request(
            "from", f"{to_text(start)} is not before {to_text(end)}", "give an earlier `from`, or a later `to`"
        )
    return start, end


def place_of(event: Mapping[str, Any], query: Mapping[str, str], listing: str, of: str = "") -> str | None:
    """Where the parameter `cursor` has a list go on; None for its beginning.

    Raises:
        BadRequest: for the cursor of another list, or of the same one with another query.
    """
    cursor = query.get("cursor")
    if cursor is None:
        return None
    with invalid_as_bad_request():
        return cursors.decode(cursor, listing=listing, of=_bound(event, query, of))


def cursor_at(
    place: str | None, event: Mapping[str, Any], query: Mapping[str, str], listing: str, of: str = ""
) -> str | None:
    """The cursor with which the same query has a list go on at a place; None without one."""
    return None if place is None else cursors.encode(listing=listing, of=_bound(event, query, of), last=place)


def no_cursor() -> BadRequest:
    """The error about a cursor that was altered."""
    return bad_request("cursor", "this is not a cursor", "send `next` of the previous page, unchanged")


def _bound(event: Mapping[str, Any], query: Mapping[str, str], of: str) -> str:
    """What the cursor of a list belongs to: the list's owner, and the filters of the query."""
    filters: Sequence[tuple[str, str]] = sorted(
        (name, value) for name in query if name not in ("cursor", "limit", "last") for value in each_of(event, name)
    )
    return f"{of}?{urlencode(filters)}" if filters else of
