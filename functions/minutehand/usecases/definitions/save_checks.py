"""Check a definition that is to be saved against what is stored: its calendars, its parents, its occurrences, its size."""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.definition import Definition
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.job_key import JobKey
from minutehand.domain.stored_size import check_definition
from minutehand.usecases.definitions.dependency_graph import graph_reads_for
from minutehand.usecases.definitions.revise import calendars_for, check_comes
from minutehand.usecases.ports.bundle import Ports


class Reads(NamedTuple):
    """What was read for the checks: the calendars, and what the save compares (see `Change`)."""

    calendars: Mapping[CalendarKey, Calendar]
    parents: Mapping[JobKey, int]
    graph: int | None


def checked_reads(
    before: Definition | None, after: Definition, ports: Ports, *, now: datetime, expected: Set[JobKey] = frozenset()
) -> Reads:
    """Make all checks of a definition.

    Args:
        expected: parents that count as existing, since they will be saved first.

    Raises:
        NeverRuns: when nothing else is wrong than that the job has no future occurrence.
        Invalid: with every problem of every field.
    """
    calendars: Mapping[CalendarKey, Calendar] = {}
    parents: Mapping[JobKey, int] = {}
    graph: int | None = None
    found: list[Invalid] = []
    try:
        calendars = calendars_for(after, ports)
        check_comes(before, after, calendars, now=now)
    except Invalid as error:
        found.append(error)
    try:
        parents, graph = graph_reads_for(before, after, ports, expected=expected)
    except Invalid as error:
        found.append(error)
    try:
        check_definition(before, after)
    except Invalid as error:
        found.append(error)
    if len(found) == 1:
        raise found[0]
    if found:
        problems: list[FieldProblem] = [problem for error in found for problem in error.problems]
        raise Invalid(*problems)
    return Reads(calendars, parents, graph)
