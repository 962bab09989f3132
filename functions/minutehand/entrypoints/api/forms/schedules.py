"""Reads the schedules in requests about schedules that no job has yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

from minutehand.domain.declaration.conversion import read_shown
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import LATEST, to_text
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.entrypoints.api.documents.schedule import ScheduleRequest
from minutehand.entrypoints.api.forms.accept import not_texts, schedule_problems
from minutehand.entrypoints.api.forms.invalid import problems_in
from minutehand.entrypoints.api.problems import FieldErrorDocument, field_document, schedule_problem
from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.errors import NAME_WANTED

T = TypeVar("T")


def read_request(document: Mapping[str, Any], cls: type[T], *fields: str) -> T:
    """Read a request about schedules.

    Args:
        fields: the fields that have a schedule each; none if the document itself has one.

    Raises:
        Invalid: with every problem of every field.
    """
    problems = problems_in(document, cls)
    for field in fields or ("",):
        given = document.get(field) if field else document
        found = not_texts(given.get("schedule")) if isinstance(given, Mapping) else ()
        problems += [each._replace(path=f"{field}.{each.path}" if field else each.path) for each in found]
    if problems:
        raise Invalid(*problems)
    return read_shown(cls, document)


def rules_of(given: Mapping[str, ScheduleRequest]) -> list[OccurrenceRule]:
    """The occurrence rules of schedules.

    Args:
        given: each schedule by the field that has it; empty for the document itself.

    Raises:
        Invalid: with every problem of every schedule.
    """
    found = {field: [*_problems(each)] for field, each in given.items()}
    problems = [
        problem._replace(path=f"{field}.{problem.path}" if field else problem.path)
        for field, each in found.items()
        for problem in each
    ]
    if problems:
        raise Invalid(*problems)
    return [_rule(each) for each in given.values()]


def near(field: str, instant: datetime | None, now: datetime, *, lasts: timedelta = timedelta(0)) -> datetime:
    """The instant in a field, or now.

    Raises:
        Invalid: when what begins there would end too far ahead.
    """
    if instant is not None and instant > LATEST - lasts:
        hint = f"{to_text(LATEST - lasts)} is the latest"
        raise Invalid(FieldProblem(field, f"{to_text(instant)} is too far ahead", hint))
    return now if instant is None else instant


def warnings_about(
    rule: OccurrenceRule, document: Mapping[str, Any], *, now: datetime, within: str = ""
) -> tuple[FieldErrorDocument, ...]:
    """The warnings about a schedule. within: the field of the document that has the schedule; empty for the document itself."""
    given = document[within] if within else document
    several = 0 if isinstance(given["schedule"], list) else None
    found = []
    for warning in rule.schedule.warnings(now, timezone=given.get("timezone")):
        problem = schedule_problem(warning._replace(part=several if warning.part is None else warning.part))
        path = f"{within}.{problem.path}" if within else problem.path
        found.append(field_document(problem._replace(path=path), document))
    return tuple(found)


def _problems(given: ScheduleRequest) -> Iterator[FieldProblem]:
    schedule: Any = list(given.schedule) if isinstance(given.schedule, tuple) else given.schedule
    found = [*schedule_problems({"schedule": schedule, "timezone": given.timezone}, given.job)]
    if not found:
        try:
            _rule(given)
        except ScheduleError as error:
            found.append(schedule_problem(error))
    for problem in found:
        wants_name = problem.message.endswith(NAME_WANTED)
        yield problem._replace(hint="give `job`, the name of the job as namespace/name") if wants_name else problem
    if given.start_at is not None and given.end_at is not None and given.end_at < given.start_at:
        yield FieldProblem("end_at", f"{to_text(given.end_at)} is before start_at", "give a later end_at")


def _rule(given: ScheduleRequest) -> OccurrenceRule:
    schedule = Schedule.parse(given.schedule, given.timezone, given.dialect, name=given.job, anchor=given.start_at)
    return OccurrenceRule(schedule=schedule, start_at=given.start_at, end_at=given.end_at)
