"""A job's definition as its price needs it, read from the document that people write or the API answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from minutehand.schedule import Schedule

_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_DURATION = re.compile(r"(?:[0-9]{1,9}[wdhms])+", re.ASCII)
_SOON = 13 * 60
"""Seconds that a message can wait in the queue; what comes later needs a deadline in the index (docs/costs.md)."""
_BESIDE = ("status", "warnings", "preview", "backfill")


class DefinitionError(Exception):
    """A field that cannot be priced: its `path`, what is wrong, and what would be right."""

    def __init__(self, path: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Parent:
    """A job whose end makes this one run, and in which end: `success`, `failure`, `end` or `skipped`."""

    job: str
    on: str = "success"


@dataclass(frozen=True, kw_only=True)
class Definition:
    """What a job's price depends on. Times are in seconds.

    idle: why it never runs; None for one that does. first, last: between which instants it is due, where that is limited.
    soon: whether the next attempt is within what a message can wait. much_later: whether an answer may take longer than that.
    """

    job: str
    schedule: Schedule
    first: datetime | None = None
    last: datetime | None = None
    idle: str | None = None
    blocked: bool = False
    jitter: bool = False
    max_runs: int | None = None
    attempts: int = 1
    soon: bool = True
    lock: bool = False
    slot: bool = False
    later: bool = False
    much_later: bool = False
    heartbeat: int | None = None
    parents: tuple[Parent, ...] = ()
    any_parent: bool = False
    retention: int = 30 * 86_400
    retention_count: int | None = None
    size: int = 1_000


def definition_of(document: Mapping[str, Any]) -> Definition:
    """Read a document that has `namespace` and `name`. Raises DefinitionError, and ScheduleError for the schedule."""
    job = f"{document['namespace']}/{document['name']}"
    target = _mapping(document, "target")
    retry = _mapping(document, "retry")
    schedule = _schedule(document, job)
    timeout = _seconds(document, "timeout", 60)
    later = target.get("mode") == "callback"
    paused = document.get("paused") or False
    until = _instant(paused, "until", "paused.until") if isinstance(paused, Mapping) else None
    starts = [at for at in (_instant(document, "start_at"), until) if at is not None]
    return Definition(
        job=job,
        schedule=schedule,
        first=max(starts, default=None),
        last=_instant(document, "end_at"),
        idle="it is paused" if paused is True else None,
        blocked=bool(document.get("calendars")),
        jitter=document.get("jitter") is not None,
        max_runs=_number(document, "max_runs"),
        attempts=_number(retry, "max_attempts", "retry.max_attempts") or 1,
        soon=_seconds(_mapping(retry, "backoff"), "initial", 10, "retry.backoff.initial") <= _SOON,
        lock=document.get("overlap", "allow") != "allow" and schedule.delay is None,
        slot=document.get("max_concurrency") is not None,
        later=later,
        much_later=later and timeout > _SOON,
        heartbeat=_seconds(target, "heartbeat", 0, "target.heartbeat") or None,
        parents=_parents(document),
        any_parent=document.get("join") == "any",
        retention=_seconds(document, "retention", 30 * 86_400),
        retention_count=_number(document, "retention_count"),
        size=len(json.dumps({key: value for key, value in document.items() if key not in _BESIDE}).encode()),
    )


def _schedule(document: Mapping[str, Any], job: str) -> Schedule:
    text = document.get("schedule", "@manual" if document.get("depends_on") else None)
    if not (isinstance(text, str) or (isinstance(text, list) and text and all(isinstance(each, str) for each in text))):
        raise DefinitionError(
            "schedule", "there is no schedule", 'write a text, such as schedule: "@hourly", or a list of texts'
        )
    return Schedule.parse(
        text,
        _text(document, "timezone") or "UTC",
        _text(document, "dialect"),
        name=job,
        anchor=_instant(document, "start_at"),
    )


def _parents(document: Mapping[str, Any]) -> tuple[Parent, ...]:
    entries = document.get("depends_on") or []
    hint = "write a list such as depends_on: [{job: extract, on: success}]"
    if not isinstance(entries, list):
        raise DefinitionError("depends_on", "it is not a list", hint)
    found = []
    for place, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("job"), str):
            raise DefinitionError(f"depends_on[{place}]", "it names no job", hint)
        name = entry["job"]
        full = name if "/" in name else f"{document['namespace']}/{name}"
        found.append(Parent(job=full, on=str(entry.get("on", "success"))))
    return tuple(found)


def _mapping(within: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value = within.get(field) or {}
    if not isinstance(value, Mapping):
        raise DefinitionError(field, "it is not a mapping", f"write its fields below {field}:")
    return value


def _text(within: Mapping[str, Any], field: str) -> str | None:
    value = within.get(field)
    if value is not None and not isinstance(value, str):
        raise DefinitionError(field, f"{value!r:.40} is not text", f'put it in quotes: {field}: "{value}"')
    return value


def _number(within: Mapping[str, Any], field: str, path: str | None = None) -> int | None:
    value = within.get(field)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise DefinitionError(path or field, f"{value!r:.40} is not a number, 1 or more", f"such as {field}: 3")
    return value


def _seconds(within: Mapping[str, Any], field: str, default: int, path: str | None = None) -> int:
    value = within.get(field)
    if value is None:
        return default
    if not isinstance(value, str) or not _DURATION.fullmatch(value):
        raise DefinitionError(
            path or field, f"{value!r:.40} is not a duration", "write numbers with units, such as 90s, 1h30m or 7d"
        )
    return sum(int(number) * _SECONDS[unit] for number, unit in re.findall(r"([0-9]+)([wdhms])", value))


def _instant(within: Mapping[str, Any], field: str, path: str | None = None) -> datetime | None:
    value = within.get(field)
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value if isinstance(value, str) else "")
        if at.tzinfo is not None:
            return at.astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        pass
    raise DefinitionError(
        path or field, f"{value!r:.40} is not an instant", "write it with its offset: 2026-11-20T09:00:00Z"
    )
