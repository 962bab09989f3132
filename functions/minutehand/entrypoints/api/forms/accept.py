"""Accepting a job: from the document that was sent to the job it means, or everything that is wrong with it at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from minutehand.domain.calendar import CalendarKey
from minutehand.domain.durations import format_duration
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import from_text
from minutehand.domain.job import Job, JobKey
from minutehand.domain.retention import DEFAULT_RETENTION
from minutehand.entrypoints.api.forms.checks import forbidden_host, unlisted_host
from minutehand.entrypoints.api.forms.contradictions import contradictions
from minutehand.entrypoints.api.forms.invalid import Forms, missing, name_problem, problems_of
from minutehand.entrypoints.api.forms.job import JobForm
from minutehand.entrypoints.api.forms.job_of import job_of
from minutehand.entrypoints.api.forms.parts import PauseForm
from minutehand.entrypoints.api.forms.reading import json_kind
from minutehand.entrypoints.api.problems import schedule_problem
from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.words import MOST_TEXTS
from minutehand.targets.http.allow_list import EVERYTHING, AllowList

_ANY_SCHEDULE = "* * * * *"
_ANY_TARGET = {"type": "http", "url": "https://example.com/"}
_PAUSE = Forms(by_place={(): PauseForm})
_QUOTES = 'put it in quotes: "…"'


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What this deployment asks of jobs.

    Attributes:
        allow_loopback: whether a target may be on the machine itself.
        allowed_targets: the hosts and networks that a target may be in.
        retention: how long the runs of a job are kept that says nothing of it.
    """

    allow_loopback: bool = False
    allowed_targets: AllowList = EVERYTHING
    retention: timedelta = DEFAULT_RETENTION


DEFAULT_TERMS = Terms()


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """A job that can be saved. `keep_paused`: the document does not say whether it is paused, so that stays as it is."""

    job: Job
    keep_paused: bool


def accept(document: Mapping[str, Any], key: JobKey, terms: Terms, *, now: datetime) -> Accepted:
    """The job of a document that was sent to the path of `key`, whose names need not be valid.

    Raises:
        Invalid: with every problem of every field.
    """
    form = None
    problems: list[FieldProblem] = []
    try:
        form = JobForm.model_validate(document)
    except ValidationError as error:
        problems = list(problems_of(error))
    wrong = {re.split(r"[.[]", problem.path, maxsplit=1)[0] for problem in problems}
    fine = {name: value for name, value in document.items() if name in JobForm.model_fields and name not in wrong}
    problems += _schedule_problems(fine, key)
    problems += [problem for problem in path_problems(fine, key) if problem not in problems]
    so_far = form or JobForm.model_validate({"target": _ANY_TARGET} | fine)
    if "retention" not in document:
        so_far = so_far.model_copy(update={"retention": format_duration(terms.retention)})
    problems += contradictions(so_far, wrong=wrong, now=now)
    problems += _host_problems(so_far.target.url, terms) if "target" in fine else ()
    if "schedule" not in document and not so_far.depends_on and "depends_on" not in wrong:
        problems.append(missing("schedule"))
    if problems or form is None:
        raise Invalid(*problems)
    return Accepted(job=job_of(so_far, key), keep_paused="paused" not in document)


def accept_pause(document: Mapping[str, Any]) -> datetime | None:
    """Until when a job or a namespace is to be paused by a document; None for one that says nothing, until it is resumed.

    Raises:
        Invalid: with every problem of every field.
    """
    if not document:
        return None
    try:
        return from_text(PauseForm.model_validate(document).until)
    except ValidationError as error:
        raise Invalid(*problems_of(error, _PAUSE)) from None


def _schedule_problems(fine: Mapping[str, Any], key: JobKey) -> Iterator[FieldProblem]:
    """What is wrong with schedule, time zone and dialect: each is tried by itself, since one error would hide the next.

    Where the three do not go together, saving tells.
    """
    schedule, timezone = fine.get("schedule", _ANY_SCHEDULE), fine.get("timezone", "UTC")
    dialect = fine.get("dialect")
    if isinstance(schedule, list) and len(schedule) <= MOST_TEXTS:
        no_texts = [n for n, text in enumerate(schedule) if not isinstance(text, str)]
        for n in no_texts:
            yield FieldProblem(f"schedule[{n}]", f"this must be text, not {json_kind(schedule[n])}", _QUOTES)
        schedule = _ANY_SCHEDULE if no_texts else schedule
    for tried in ((schedule, "UTC", None), (_ANY_SCHEDULE, timezone, None), (_ANY_SCHEDULE, "UTC", dialect)):
        try:
            Schedule.parse(*tried, name=str(key))
        except ScheduleError as error:
            yield schedule_problem(error)


def _host_problems(url: str, terms: Terms) -> Iterator[FieldProblem]:
    why = forbidden_host(url, allow_loopback=terms.allow_loopback)
    if why:
        yield FieldProblem(
            path="target.url",
            message=f"no job may call this host: it is {why}",
            hint="name a host that other machines reach too; a local stack may call itself (AllowLoopbackTargets)",
        )
        return
    unlisted = unlisted_host(url, terms.allowed_targets)
    if unlisted:
        yield FieldProblem(
            path="target.url",
            message=f"{unlisted}, is not among the targets that jobs here may call",
            hint=f"these are: {terms.allowed_targets}; whoever runs this service can add to them (AllowedTargets)",
        )


def path_problems(fine: Mapping[str, Any], key: JobKey | CalendarKey) -> Iterator[FieldProblem]:
    """What is wrong with the names in a path, or differs between it and the fields of the document sent there."""
    for name, there in (("namespace", key.namespace), ("name", key.name)):
        wrong = name_problem(name, there)
        if wrong:
            yield wrong
        elif name in fine and fine[name] != there:
            yield FieldProblem(
                path=name,
                message=f"the document says {fine[name]!r:.60}, the path {there!r}",
                hint="make them the same, or leave it out of the document",
            )
