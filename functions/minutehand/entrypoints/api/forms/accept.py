"""Reads the job, the calendar or the namespace settings in a document to save, or raises with every problem of it at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from minutehand.domain.calendar import MOST_SPANS, MOST_WEEKLY, CalendarKey, never_ends
from minutehand.domain.calendar_text import parse_dates, parse_period, parse_weekly
from minutehand.domain.contradictions import contradictions
from minutehand.domain.declaration.conversion import read_shown
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import to_text
from minutehand.domain.job import MANUAL, Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.retention import DEFAULT_RETENTION
from minutehand.entrypoints.api.documents.calendar import CalendarDocument
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.documents.namespace import NamespaceDocument, QuotaDocument
from minutehand.entrypoints.api.documents.requests import PauseRequest
from minutehand.entrypoints.api.forms.invalid import missing, name_problem, problems_in, read_valid
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.forms.placeholders import placeholder_problems
from minutehand.entrypoints.api.forms.request import json_kind
from minutehand.entrypoints.api.problems import schedule_problem
from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.words import MOST_TEXTS
from minutehand.targets import TYPES, fields_by_type
from minutehand.targets.checks import check as check_target
from minutehand.targets.run_values import names_of
from minutehand.targets.terms import DEFAULT_TERMS as ANY_TARGET
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.definitions.calendars import Content

T = TypeVar("T")
_ANY_SCHEDULE = "* * * * *"
_QUOTES = 'put it in quotes: "…"'
_FIELDS = frozenset(each.name for each in flat(Job))


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """A deployment's limits and defaults for jobs.

    Attributes:
        targets: the targets that it allows.
        retention: default time for which the runs of a job are kept.
    """

    targets: TargetTerms = ANY_TARGET
    retention: timedelta = DEFAULT_RETENTION


DEFAULT_TERMS = Terms()


def accept(document: Mapping[str, Any], key: JobKey, terms: Terms, *, now: datetime) -> Job:
    """Read the job in a document that was sent to the path of `key`. The names in the path may be invalid.

    Raises:
        Invalid: with every problem of every field.
    """
    problems = placeholder_problems(document)
    left = {problem.path for problem in problems}
    problems += [problem for problem in problems_in(document, JobDocument) if problem.path not in left]
    wrong = {re.split(r"[.[]", problem.path, maxsplit=1)[0] for problem in problems}
    valid = {name: value for name, value in document.items() if name in _FIELDS and name not in wrong}
    problems += schedule_problems(valid, str(key))
    problems += [problem for problem in _path_problems(valid, key) if problem not in problems]
    job = _job(valid, key, terms)
    problems += contradictions(job, invalid=wrong)
    if "retry" in valid:
        problems += _retry_problems(valid["retry"])
    if "paused" in valid:
        problems += _pause_problems(job, valid["paused"], now)
    if "target" in valid:
        timeout = None if "timeout" in wrong else job.timeout
        parents = None if "depends_on" in wrong else _parent_names(job)
        problems += check_target(
            job.target, timeout=timeout, terms=terms.targets, namespace=job.key.namespace, parents=parents
        )
    if "schedule" not in document and not job.depends_on and "depends_on" not in wrong:
        problems.append(missing("schedule"))
    if problems:
        raise Invalid(*problems)
    return replace(job, calendars=tuple(sorted(job.calendars)))


def accept_pause(document: Mapping[str, Any]) -> datetime | None:
    """Read from a request to pause when the pause ends. None, for an empty document, means that it lasts until a resume.

    Raises:
        Invalid: with every problem of every field.
    """
    return read_valid(document, PauseRequest).until if document else None


def accept_calendar(document: Mapping[str, Any], key: CalendarKey) -> Content:
    """Read the merged content of a calendar in a document that was sent to the path of `key`. The names may be invalid.

    Raises:
        Invalid: with every problem of every field.
    """
    problems = problems_in(document, CalendarDocument)
    wrong = {problem.path for problem in problems}
    valid = {name: value for name, value in document.items() if name not in wrong}
    wrong_names = [problem for problem in _path_problems(valid, key) if problem not in problems]
    if problems:
        raise Invalid(*problems, *wrong_names)
    content = Content(
        description=document.get("description", ""),
        dates=tuple(map(parse_dates, document.get("dates", ()))),
        weekly=tuple(map(parse_weekly, document.get("weekly", ()))),
        periods=tuple(map(parse_period, document.get("periods", ()))),
    ).merged()
    problems = [*_content_problems(content), *wrong_names]
    if problems:
        raise Invalid(*problems)
    return content


def accept_namespace(document: Mapping[str, Any], name: str) -> NamespaceDocument:
    """Read the settings in a document that was sent to the path of a namespace. The name may be invalid.

    Raises:
        Invalid: with every problem of every field.
    """
    return _of_namespace(document, name, NamespaceDocument, ignored="status")


def accept_quota(document: Mapping[str, Any], name: str) -> QuotaDocument:
    """Read the quota in a document that was sent to the path of a namespace. Raises as `accept_namespace` does."""
    return _of_namespace(document, name, QuotaDocument, ignored="used")


def _of_namespace(document: Mapping[str, Any], name: str, cls: type[T], *, ignored: str) -> T:
    problems = problems_in(document, cls)
    wrong = {problem.path for problem in problems}
    valid = {} if "namespace" in wrong else document
    problems += [each for each in _name_problems("namespace", name, valid) if each not in problems]
    if problems:
        raise Invalid(*problems)
    return read_shown(cls, {each: document[each] for each in document if each != ignored})


def _parent_names(job: Job) -> list[str]:
    """The names by which templates of a job may name its parents."""
    return list(dict.fromkeys(name for each in job.depends_on for name in names_of(each.job, job.key.namespace)))


def _job(valid: Mapping[str, Any], key: JobKey, terms: Terms) -> Job:
    """The job of the valid fields; every other field has its default."""
    given: dict[str, Any] = {**valid, "namespace": key.namespace, "name": key.name}
    given["depends_on"] = [
        {**parent, "job": parent["job"] if "/" in parent["job"] else f"{key.namespace}/{parent['job']}"}
        for parent in given.get("depends_on", ())
    ]
    if isinstance(given.get("schedule"), list):
        given["schedule"] = [text for text in given["schedule"] if isinstance(text, str)] or MANUAL
    until = given.pop("paused")["until"] if isinstance(given.get("paused"), Mapping) else None
    if "target" not in given:
        [any_type, *_] = TYPES.values()
        given["target"] = {"type": any_type.name, **any_type.example}
    job = read_shown(Job, given, fields_by_type())
    if until is not None:
        job = replace(job, paused_until=read_shown(PauseRequest, {"until": until}).until)
    return job if "retention" in valid else replace(job, retention=terms.retention)


def schedule_problems(valid: Mapping[str, Any], name: str | None) -> Iterator[FieldProblem]:
    """The problems of the schedule and of the time zone. Each is parsed alone, since an error in one would hide one in the other.

    Whether the two contradict each other is checked when the job is saved. name: the job's, for `H`.
    """
    schedule, timezone = valid.get("schedule", _ANY_SCHEDULE), valid.get("timezone", "UTC")
    if isinstance(schedule, list) and len(schedule) <= MOST_TEXTS:
        found = [*not_texts(schedule), *_wrong_texts(schedule, name)]
        yield from found
        schedule = _ANY_SCHEDULE if found else schedule
    for text, zone in ((schedule, "UTC"), (_ANY_SCHEDULE, timezone)):
        try:
            Schedule.parse(text, zone, name=name)
        except ScheduleError as error:
            yield schedule_problem(error)


def not_texts(schedule: Any) -> Iterator[FieldProblem]:
    """The entries of a list of schedules that are no text. The form of a schedule leaves them to this."""
    for n, text in enumerate(schedule if isinstance(schedule, list) else ()):
        if not isinstance(text, str):
            yield FieldProblem(f"schedule[{n}]", f"this must be text, not {json_kind(text)}", _QUOTES)


def _wrong_texts(schedule: Sequence[Any], name: str | None) -> Iterator[FieldProblem]:
    """The problem of each text of a list that cannot be read by itself."""
    for n, text in enumerate(schedule):
        try:
            if isinstance(text, str):
                Schedule.parse(text, name=name)
        except ScheduleError as error:
            error.part = n
            yield schedule_problem(error)


def _retry_problems(retry: Mapping[str, Any]) -> Iterator[FieldProblem]:
    if retry and "max_attempts" not in retry:
        message = "without max_attempts a run has one attempt, and nothing is retried"
        yield FieldProblem("retry.max_attempts", message, "give 2 or more; the first attempt counts")


def _pause_problems(job: Job, paused: Any, now: datetime) -> Iterator[FieldProblem]:
    if job.paused_until is not None and job.paused_until <= now:
        message = f"{paused['until']} is not in the future: it is {to_text(now.replace(microsecond=0))}"
        yield FieldProblem("paused.until", message, "give a later instant, or write false")


def _path_problems(valid: Mapping[str, Any], key: JobKey | CalendarKey) -> Iterator[FieldProblem]:
    """The problems of the names in a path. That the document has different names is such a problem, too."""
    yield from _name_problems("namespace", key.namespace, valid)
    yield from _name_problems("name", key.name, valid)


def _name_problems(field: str, in_path: str, document: Mapping[str, Any]) -> Iterator[FieldProblem]:
    wrong = name_problem(field, in_path)
    if wrong:
        yield wrong
    elif document.get(field, in_path) != in_path:
        message = f"the document says {document[field]!r:.60}, but the path says {in_path!r}"
        yield FieldProblem(field, message, "make them the same, or leave it out of the document")


def _content_problems(content: Content) -> Iterator[FieldProblem]:
    spans = len(content.dates) + len(content.periods)
    if spans > MOST_SPANS:
        yield FieldProblem(
            path="dates" if len(content.dates) >= len(content.periods) else "periods",
            message=f"dates and periods have {spans:,} entries after merging; {MOST_SPANS:,} is the most",
            hint="leave out past entries, or split them over several calendars: a job may name more than one",
        )
    if len(content.weekly) > MOST_WEEKLY:
        yield FieldProblem(
            path="weekly",
            message=f"this has {len(content.weekly):,} rules after merging; {MOST_WEEKLY} is the most",
            hint="give days the same hours, so that they share rules, or split them over several calendars",
        )
    if never_ends(content.weekly):
        yield FieldProblem(
            path="weekly",
            message="the rules together block the whole week, so no job would ever run",
            hint="leave some time open; to stop a job, pause it",
        )
