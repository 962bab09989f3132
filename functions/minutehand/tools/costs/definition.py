"""Definitions of jobs and calendars for a cost estimate, read from documents that are in files or come from the API."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from minutehand.domain.calendar import Calendar, CalendarKey, merged_dates, merged_periods, merged_weekly
from minutehand.domain.calendar_text import parse_dates, parse_period, parse_weekly
from minutehand.domain.durations import parse_duration
from minutehand.domain.errors import Invalid
from minutehand.schedule import Schedule

T = TypeVar("T")
Calendars: TypeAlias = Mapping[str, Calendar]
"""The calendars that an estimate knows, by full name (`namespace/name`)."""
NONE_KNOWN: Calendars = {}

SOON = 13 * 60
"""Maximum delay of a message, in seconds. Anything later needs a deadline timer in the due index (docs/reference/costs.md)."""
MOST_ATTEMPTS = 20
"""Maximum number of attempts of a run; the API refuses more."""
_BY_NAME = re.compile(r"(?<![A-Za-z])H(?![A-Za-z])")
"""Finds H in a schedule. H is a hash of the job's name, so the same schedule means other times for each job."""
_BESIDE = ("status", "warnings", "preview", "backfill")
_AGENTS_HEARTBEAT = 180
"""Seconds that a target of type `command` has by default between the heartbeats of its agent."""


class DefinitionError(Exception):
    """A job's or a calendar's document has an invalid field: its `path`, the error and the hint."""

    def __init__(self, path: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Parent:
    """A parent job, and which of its outcomes starts this job: `success`, `failure`, `end` or `skipped`."""

    job: str
    on: str = "success"


@dataclass(frozen=True, kw_only=True)
class Definition:
    """The cost-relevant fields of a job. Times are in seconds.

    idle: why the job never runs; None if it does. first, last: the instants between which it is due; None for no limit.
    calendars: full names of its calendars; moved: whether occurrences that they block run on another day. runs_left: how many
    occurrences `max_runs` leaves; None for no limit. jitter: maximum delay of a start. waits: the wait before each attempt but the
    first. slots: concurrency slots of an attempt: one for the job's own `max_concurrency`, one for each of its `limits`, and one for
    its namespace's `max_concurrency`, which the job's document does not have. shares: how its calls choose among several endpoints; empty
    for one. later: whether its target answers later; by_event: whether an event of AWS says so, and no request to the API. execution:
    whether that is the end of an execution of Step Functions. long: whether an attempt may last longer than a message can be delayed.
    in_aws: whether the worker `aws` calls its target.
    """

    job: str
    schedule: Schedule
    first: datetime | None = None
    last: datetime | None = None
    idle: str | None = None
    calendars: tuple[str, ...] = ()
    moved: bool = False
    jitter: int = 0
    runs_left: int | None = None
    waits: tuple[float, ...] = ()
    lock: bool = False
    slots: int = 0
    shares: str = ""
    later: bool = False
    by_event: bool = False
    in_aws: bool = False
    execution: bool = False
    long: bool = False
    heartbeat: int | None = None
    parents: tuple[Parent, ...] = ()
    any_parent: bool = False
    retention: int = 30 * 86_400
    retention_count: int | None = None
    size: int = 1_000

    @property
    def namespace(self) -> str:
        """The job's namespace."""
        return self.job.partition("/")[0]


def definition_of(document: Mapping[str, Any]) -> Definition:
    """Read a job's document, which must have `namespace` and `name`; its `status` may have the runs left. Raises DefinitionError,
    or ScheduleError for the schedule."""
    job = f"{document['namespace']}/{document['name']}"
    target = _mapping(document, "target")
    by_agent = target.get("type") == "command"
    retry = _mapping(document, "retry")
    schedule = _schedule(document, job)
    timeout = _seconds(document, "timeout", 60)
    paused = document.get("paused") or False
    until = _instant(paused, "until", "paused.until") if isinstance(paused, Mapping) else None
    starts = [at for at in (_instant(document, "start_at"), until) if at is not None]
    return Definition(
        job=job,
        schedule=schedule,
        first=max(starts, default=None),
        last=_instant(document, "end_at"),
        idle="it is paused" if paused is True else None,
        calendars=_calendars(document),
        moved=document.get("on_blocked") == "next_day",
        jitter=_seconds(document, "jitter", 0),
        runs_left=_runs_left(document),
        waits=_waits(retry),
        lock=document.get("overlap", "allow") != "allow" and schedule.delay is None,
        slots=int(document.get("max_concurrency") is not None) + _number_of_limits(document),
        shares=_shares(target),
        later=target.get("mode") in ("callback", "wait") or by_agent,
        by_event=target.get("mode") == "wait",
        in_aws=target.get("type", "http") != "http",
        execution=(target.get("type"), target.get("mode")) == ("stepfunctions", "wait"),
        long=timeout > SOON,
        heartbeat=_seconds(target, "heartbeat", _AGENTS_HEARTBEAT if by_agent else 0, "target.heartbeat") or None,
        parents=_parents(document),
        any_parent=document.get("join") == "any",
        retention=_seconds(document, "retention", 30 * 86_400),
        retention_count=_number(document, "retention_count"),
        size=len(json.dumps({key: value for key, value in document.items() if key not in _BESIDE}).encode()),
    )


def calendar_of(document: Mapping[str, Any]) -> Calendar:
    """Read a calendar's document, which must have `namespace` and `name`; its `status` is ignored. Raises DefinitionError."""
    return Calendar(
        key=CalendarKey(namespace=document["namespace"], name=document["name"]),
        description="",
        dates=merged_dates(_entries(document, "dates", parse_dates)),
        weekly=merged_weekly(_entries(document, "weekly", parse_weekly)),
        periods=merged_periods(_entries(document, "periods", parse_period)),
        revision=0,
        updated_at=datetime(1970, 1, 1, tzinfo=UTC),
        updated_by="",
    )


def _schedule(document: Mapping[str, Any], job: str) -> Schedule:
    text = document.get("schedule", "@manual" if document.get("depends_on") else None)
    if not (isinstance(text, str) or (isinstance(text, list) and text and all(isinstance(each, str) for each in text))):
        raise DefinitionError(
            "schedule", "there is no schedule", 'write a text, such as schedule: "@hourly", or a list of texts'
        )
    texts = text if isinstance(text, str) else tuple(text)
    return _compiled(
        texts,
        _text(document, "timezone") or "UTC",
        _text(document, "dialect"),
        job if _BY_NAME.search(text if isinstance(text, str) else " ".join(text)) else None,
        _instant(document, "start_at"),
    )


@lru_cache(maxsize=8192)
def _compiled(
    text: str | tuple[str, ...], timezone: str, dialect: str | None, name: str | None, anchor: datetime | None
) -> Schedule:
    """Compile a schedule. Results are cached, since many jobs have the same schedule."""
    return Schedule.parse(text, timezone, dialect, name=name, anchor=anchor)


def _calendars(document: Mapping[str, Any]) -> tuple[str, ...]:
    names = document.get("calendars") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DefinitionError("calendars", "it is not a list of names", "write a list such as calendars: [holidays]")
    return tuple(f"{document['namespace']}/{name}" for name in names)


def _runs_left(document: Mapping[str, Any]) -> int | None:
    """How many of the job's `max_runs` are left: as the document's status says, else all of them; None for no limit."""
    most = _number(document, "max_runs")
    status = document.get("status")
    left = status.get("runs_left") if isinstance(status, Mapping) else None
    return most if most is None or not isinstance(left, int) else left


def _waits(retry: Mapping[str, Any]) -> tuple[float, ...]:
    """The backoff before each attempt but the first, without jitter, which is symmetric (domain/run_successors.py)."""
    backoff = _mapping(retry, "backoff", "retry.backoff")
    seconds = float(_seconds(backoff, "initial", 10, "retry.backoff.initial"))
    longest = _seconds(backoff, "max", 15 * 60, "retry.backoff.max")
    factor = backoff.get("factor", 2)
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 1 <= factor < float("inf"):
        raise DefinitionError("retry.backoff.factor", f"{factor!r:.40} is not a number, 1 or more", "such as factor: 2")
    found = []
    for _ in range(min(_number(retry, "max_attempts", "retry.max_attempts") or 1, MOST_ATTEMPTS) - 1):
        found.append(min(seconds, longest))
        seconds = found[-1] * factor
    return tuple(found)


def _parents(document: Mapping[str, Any]) -> tuple[Parent, ...]:
    entries = document.get("depends_on") or []
    hint = "write a list such as depends_on: [{job: extract, on: success}]"
    if not isinstance(entries, list):
        raise DefinitionError("depends_on", "it is not a list", hint)
    found = []
    for place, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("job"), str):
            raise DefinitionError(f"depends_on[{place}]", "it has no job name", hint)
        name = entry["job"]
        full = name if "/" in name else f"{document['namespace']}/{name}"
        found.append(Parent(job=full, on=str(entry.get("on", "success"))))
    return tuple(found)


def _shares(target: Mapping[str, Any]) -> str:
    """How calls choose among the endpoints of a target; empty if it has one URL."""
    endpoints = target.get("endpoints")
    return str(endpoints.get("choose", "round_robin")) if isinstance(endpoints, Mapping) else ""


def _number_of_limits(document: Mapping[str, Any]) -> int:
    limits = document.get("limits") or []
    if not isinstance(limits, list):
        raise DefinitionError("limits", "it is not a list", "write a list such as limits: [{name: db, max: 3}]")
    return len(limits)


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


def _mapping(within: Mapping[str, Any], field: str, path: str | None = None) -> Mapping[str, Any]:
    value = within.get(field) or {}
    if not isinstance(value, Mapping):
        raise DefinitionError(path or field, "it is not a mapping", f"write its fields below {field}:")
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
    try:
        return int(parse_duration(value if isinstance(value, str) else "").total_seconds())
    except ValueError:
        raise DefinitionError(
            path or field, f"{value!r:.40} is not a duration", "write numbers with units, such as 90s, 1h30m or 7d"
        ) from None


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
