"""Accepting a job: from the document that was sent to the job it means, or everything that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from pydantic import ValidationError

from minutehand.adapters.targets.allowing import EVERYTHING, AllowList
from minutehand.domain.calendar import CalendarKey
from minutehand.domain.durations import format_duration, parse_duration
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import from_text
from minutehand.domain.job import CatchUp, HttpTarget, Job, JobKey, OnBlocked
from minutehand.entrypoints.api.checks import duration_of, forbidden_host, unlisted_host
from minutehand.entrypoints.api.form import JobForm
from minutehand.entrypoints.api.invalid import name_problem, problems_of
from minutehand.entrypoints.api.problems import schedule_problem
from minutehand.entrypoints.api.reading import json_kind
from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.words import MOST_TEXTS

_ANY_SCHEDULE = "* * * * *"
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
    retention: timedelta = timedelta(days=30)


DEFAULT_TERMS = Terms()


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """A job that can be saved. `keep_paused`: the document does not say whether it is paused, so that stays as it is."""

    job: Job
    keep_paused: bool


def accept(document: Mapping[str, Any], key: JobKey, terms: Terms) -> Accepted:
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
    wrong = {problem.path.partition(".")[0] for problem in problems}
    fine = {name: value for name, value in document.items() if name not in wrong}
    problems += _schedule_problems(fine, key)
    problems += _window_problems(fine)
    problems += [problem for problem in path_problems(fine, key) if problem not in problems]
    if form:
        problems += _limit_problems(form)
        problems += _host_problems(form.target.url, terms)
    if problems or form is None:
        raise Invalid(*problems)
    job = _job(form, key)
    if "retention" not in form.model_fields_set:
        job = replace(job, retention=terms.retention)
    return Accepted(job=job, keep_paused="paused" not in form.model_fields_set)


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
            parsed = Schedule.parse(*tried, name=str(key))
        except ScheduleError as error:
            yield schedule_problem(error)
            continue
        if parsed.delay is not None:
            hint = "@every counts from an anchor, whatever a run takes; this waits for the end of a run"
            yield FieldProblem(path="schedule", message="@after (a fixed delay) is not available yet", hint=hint)


def _window_problems(fine: Mapping[str, Any]) -> Iterator[FieldProblem]:
    given = {name: fine.get(name, JobForm.model_fields[name].default) for name in ("misfire_grace", "catchup_window")}
    grace, window = (duration_of(text) for text in given.values())
    if grace and window and window < grace:
        yield FieldProblem(
            path="catchup_window",
            message=f"{given['catchup_window']} is shorter than misfire_grace, which is {given['misfire_grace']}",
            hint=f"give {format_duration(grace)} or more",
        )


def _limit_problems(form: JobForm) -> Iterator[FieldProblem]:
    """What is wrong with limits that are each well written, and do not go together."""
    if form.start_at and form.end_at and from_text(form.start_at) > from_text(form.end_at):
        yield FieldProblem("end_at", f"{form.end_at} is before start_at, which is {form.start_at}", "give a later one")
    if form.on_blocked != OnBlocked.SKIP.value and not form.calendars:
        yield FieldProblem("on_blocked", "no calendar blocks anything", "name the job's calendars, or leave it out")
    seen: set[str] = set()
    for n, name in enumerate(form.calendars):
        if name in seen:
            yield FieldProblem(f"calendars[{n}]", f"{name} is named twice", "name it once")
        seen.add(name)


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


def _job(form: JobForm, key: JobKey) -> Job:
    return Job(
        key=key,
        description=form.description,
        owner=form.owner,
        labels=tuple(sorted(form.labels.items())),
        schedule=form.schedule if isinstance(form.schedule, str) else tuple(form.schedule),
        timezone=form.timezone,
        dialect=form.dialect,
        paused=form.paused,
        calendars=tuple(sorted(form.calendars)),
        on_blocked=OnBlocked(form.on_blocked),
        start_at=from_text(form.start_at) if form.start_at else None,
        end_at=from_text(form.end_at) if form.end_at else None,
        max_runs=form.max_runs,
        jitter=parse_duration(form.jitter) if form.jitter else timedelta(0),
        target=HttpTarget(
            method=form.target.method, url=form.target.url, headers=tuple(sorted(form.target.headers.items()))
        ),
        payload=form.payload,
        misfire_grace=parse_duration(form.misfire_grace),
        catch_up=CatchUp(form.catch_up),
        catchup_window=parse_duration(form.catchup_window),
        timeout=parse_duration(form.timeout),
        takeovers=form.takeovers,
        retention=parse_duration(form.retention),
    )
