"""Warnings in the answer to a save: what is valid, but probably not meant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import compiled
from minutehand.entrypoints.api.problems import FieldErrorDocument, field_document, schedule_problem
from minutehand.usecases.definitions.named_limits import Disagreement


def schedule_warnings(job: Job, *, now: datetime, timezone: str | None) -> list[FieldErrorDocument]:
    """The warnings about a job's schedule. timezone: the time zone that the document gives, if any."""
    alone = 0 if isinstance(job.schedule, tuple) else None
    return [
        field_document(schedule_problem(warning._replace(part=alone if warning.part is None else warning.part)))
        for warning in compiled(job).schedule.warnings(now, timezone=timezone)
    ]


def limit_warnings(found: Sequence[Disagreement]) -> list[FieldErrorDocument]:
    """The warnings about limits to which other jobs give another max."""
    return [
        FieldErrorDocument(
            path=f"limits[{each.place}].max",
            message=(
                f"{each.max} for the limit {each.name}, but job {each.other} gives it {each.others_max}: "
                f"{_waiting(min(each.max, each.others_max))}"
            ),
            hint="give all jobs of the limit the same max",
        )
        for each in found
    ]


def _waiting(lower: int) -> str:
    first = "the limit's first slot" if lower == 1 else f"one of the limit's first {lower} slots"
    return f"jobs that give {lower} wait until {first} is free"
