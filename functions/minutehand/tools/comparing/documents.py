"""Logs that are one JSON document: the Jobs of Kubernetes, and lists of executions such as dkron's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from minutehand.tools.comparing.entries import Entry, Unread
from minutehand.tools.comparing.lines import Fields, UnknownForm, entry_of
from minutehand.tools.comparing.times import Clock

LARGEST = 64 * 1024 * 1024
"""Most bytes of a document, which is read as a whole. A log of lines may be longer."""
_LISTS = ("items", "executions", "runs", "data")


def of_document(text: str, clock: Clock, fields: Fields) -> Iterator[Entry | Unread | None]:
    """The entries of the items of a document. None for an item that is about no run, such as a Job that no CronJob made.

    Raises:
        UnknownForm: if it is no list.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise UnknownForm(f"this is not JSON: {error}") from None
    except RecursionError:
        raise UnknownForm("this JSON is nested too deeply") from None
    for number, item in enumerate(_items(document), start=1):
        if isinstance(item, Mapping) and item.get("kind") == "Job" and isinstance(item.get("metadata"), Mapping):
            yield _of_kubernetes(number, item, clock)
        else:
            yield entry_of(number, item, clock, fields)


def _items(document: Any) -> list[Any]:
    if isinstance(document, list):
        return document
    if isinstance(document, Mapping):
        if document.get("kind") == "Job":
            return [document]
        for name in _LISTS:
            if isinstance(document.get(name), list):
                found: list[Any] = document[name]
                return found
    raise UnknownForm(f"this is no list of executions, and has none in {', '.join(_LISTS)}")


def _of_kubernetes(number: int, item: Mapping[str, Any], clock: Clock) -> Entry | Unread | None:
    metadata, status = item["metadata"], item.get("status")
    owners = metadata.get("ownerReferences")
    name = next(
        (
            owner.get("name")
            for owner in (owners if isinstance(owners, list) else ())
            if isinstance(owner, Mapping) and owner.get("kind") == "CronJob"
        ),
        None,
    )
    if name is None:
        return None
    started = status.get("startTime") if isinstance(status, Mapping) else None
    try:
        at = clock.read(started or metadata.get("creationTimestamp"))
    except ValueError as error:
        return Unread(number, f"{error}, in status.startTime or metadata.creationTimestamp")
    return Entry(at, f"{metadata.get('namespace') or 'default'}/{name}", number)
