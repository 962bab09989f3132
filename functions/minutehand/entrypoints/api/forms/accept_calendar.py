"""Accepting a calendar: from the document that was sent to what it says, or everything that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from minutehand.domain.calendar import MOST_SPANS, MOST_WEEKLY, CalendarKey, never_ends
from minutehand.domain.calendar_text import parse_dates, parse_period, parse_weekly
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.entrypoints.api.forms.accept import path_problems
from minutehand.entrypoints.api.forms.calendar import CalendarForm
from minutehand.entrypoints.api.forms.invalid import Forms, problems_of
from minutehand.usecases.definitions.calendars import Content

_FORMS = Forms(by_place={(): CalendarForm})


def accept_calendar(document: Mapping[str, Any], key: CalendarKey) -> Content:
    """What a document says that was sent to the path of `key`, whose names need not be valid; merged.

    Raises:
        Invalid: with every problem of every field.
    """
    content = None
    problems: list[FieldProblem] = []
    try:
        content = _content(CalendarForm.model_validate(document))
    except ValidationError as error:
        problems = list(problems_of(error, _FORMS))
    wrong = {problem.path for problem in problems}
    fine = {name: value for name, value in document.items() if name not in wrong}
    problems += [problem for problem in path_problems(fine, key) if problem not in problems]
    if content:
        problems += _content_problems(content)
    if problems or content is None:
        raise Invalid(*problems)
    return content


def _content(form: CalendarForm) -> Content:
    return Content(
        description=form.description,
        dates=tuple(parse_dates(text) for text in form.dates),
        weekly=tuple(parse_weekly(text) for text in form.weekly),
        periods=tuple(parse_period(text) for text in form.periods),
    ).merged()


def _content_problems(content: Content) -> Iterator[FieldProblem]:
    spans = len(content.dates) + len(content.periods)
    if spans > MOST_SPANS:
        yield FieldProblem(
            path="dates" if len(content.dates) >= len(content.periods) else "periods",
            message=f"dates and periods are {spans:,} in all, merged; {MOST_SPANS:,} is the most",
            hint="leave out what is past, or split them over several calendars: a job may name more than one",
        )
    if len(content.weekly) > MOST_WEEKLY:
        yield FieldProblem(
            path="weekly",
            message=f"these are {len(content.weekly):,} rules, merged; {MOST_WEEKLY} is the most",
            hint="give days the same hours, so that they share rules, or split them over several calendars",
        )
    if never_ends(content.weekly):
        yield FieldProblem(
            path="weekly",
            message="together the rules block every moment of the week, so that no job would ever run",
            hint="leave some time open; to stop a job, pause it",
        )
