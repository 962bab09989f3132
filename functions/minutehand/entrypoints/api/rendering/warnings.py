"""Warnings in the answer to a save: what is valid, but probably not meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from minutehand.domain.errors import FieldProblem
from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import compiled
from minutehand.entrypoints.api.problems import FieldErrorDocument, field_document, schedule_problem
from minutehand.usecases.definitions.named_limits import Disagreement


def schedule_warnings(job: Job, document: Mapping[str, Any], *, now: datetime) -> list[FieldErrorDocument]:
    """The warnings about the schedule of a job, which was read from a document."""
    alone = 0 if isinstance(job.schedule, tuple) else None
    timezone = job.timezone if "timezone" in document else None
    return [
        field_document(
            schedule_problem(warning._replace(part=alone if warning.part is None else warning.part)), document
        )
        for warning in compiled(job).schedule.warnings(now, timezone=timezone)
    ]


def limit_warnings(found: Sequence[Disagreement], document: Mapping[str, Any]) -> list[FieldErrorDocument]:
    """The warnings about limits to which other jobs give another max."""
    return [
        field_document(
            FieldProblem(
                path=f"limits[{each.place}].max",
                message=(
                    f"{each.max} for the limit {each.name}, but job {each.other} gives it {each.others_max}: "
                    f"{_waiting(min(each.max, each.others_max))}"
                ),
                hint="give all jobs of the limit the same max",
            ),
            document,
        )
        for each in found
    ]


def shadow_warnings(document: Mapping[str, Any]) -> list[FieldErrorDocument]:
    """The warning about a job that stays in shadow, though what was saved does not say so."""
    message = "the job was in shadow and stays so: it calls no target"
    return [field_document(FieldProblem("shadow", message, "to end that, save the job with `shadow: false`"), document)]


def _waiting(lower: int) -> str:
    first = "the limit's first slot" if lower == 1 else f"one of the limit's first {lower} slots"
    return f"jobs that give {lower} wait until {first} is free"
