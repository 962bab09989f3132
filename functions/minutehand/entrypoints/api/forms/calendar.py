"""The form of a calendar: the JSON document as people send it, field by field. The JSON Schema is made from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from minutehand.domain.calendar import MOST_SPANS
from minutehand.domain.calendar_text import (
    CLOCK_FORM,
    DATE_FORM,
    INSTANT_FORM,
    WEEKDAYS,
    parse_dates,
    parse_period,
    parse_weekly,
)
from minutehand.domain.errors import Invalid
from minutehand.entrypoints.api.forms import checks
from minutehand.entrypoints.api.forms.types import Name

_DAY = f"({'|'.join(WEEKDAYS)})"
_DAYS = f"{_DAY}(-{_DAY})?"


def _readable(parse: Callable[[str], object]) -> Callable[[str], str]:
    def check(text: str) -> str:
        try:
            parse(text)
        except Invalid as error:
            [problem] = error.problems
            raise checks.refused(problem.message, problem.hint, problem.column) from None
        return text

    return check


Dates = Annotated[
    str,
    AfterValidator(_readable(parse_dates)),
    WithJsonSchema({"type": "string", "pattern": rf"^{DATE_FORM}(\.\.{DATE_FORM})?$"}),
]
WeeklyRule = Annotated[
    str,
    AfterValidator(_readable(parse_weekly)),
    WithJsonSchema({"type": "string", "pattern": f"^{_DAYS}(,{_DAYS})*( {CLOCK_FORM}-{CLOCK_FORM})?$"}),
]
PeriodText = Annotated[
    str,
    AfterValidator(_readable(parse_period)),
    WithJsonSchema({"type": "string", "pattern": rf"^{INSTANT_FORM}\.\.{INSTANT_FORM}$"}),
]


class CalendarForm(BaseModel):
    """A calendar: times at which the jobs that name it do not run."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="Minutehand calendar")

    namespace: Name = Field(
        default="default", description="The namespace it is in; the same as in the path, or left out."
    )
    name: Name = Field(default_factory=str, description="Its name; the same as in the path, or left out.")
    description: Annotated[str, AfterValidator(checks.paragraphs)] = Field(
        default="", max_length=1000, description="What it is for, for people."
    )
    dates: list[Dates] = Field(
        default_factory=list,
        description=f"Days, and ranges of days with their last, on each job's own clock. With `periods`, {MOST_SPANS:,} at most.",
        examples=[["2026-12-25", "2026-12-31..2027-01-01"]],
    )
    weekly: list[WeeklyRule] = Field(
        default_factory=list,
        description="Days of the week, whole or some hours of them, on each job's own clock.",
        examples=[["SAT,SUN", "FRI 18:00-24:00", "MON-FRI 00:00-06:00"]],
    )
    periods: list[PeriodText] = Field(
        default_factory=list,
        description="Stretches of time, the same for every job wherever it is; the end does not belong to them.",
        examples=[["2026-12-01T10:00:00Z..2026-12-01T12:00:00Z"]],
    )
    status: Any = Field(
        default_factory=dict,
        description="What the service says about the calendar; ignored when sent back.",
        json_schema_extra={"readOnly": True},
    )
