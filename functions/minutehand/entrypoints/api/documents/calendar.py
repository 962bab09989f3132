"""The documents of calendars."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.calendar import MOST_SPANS, CalendarKey
from minutehand.domain.calendar_text import (
    CLOCK_FORM,
    DATE_FORM,
    INSTANT_FORM,
    WEEKDAYS,
    parse_dates,
    parse_period,
    parse_weekly,
)
from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import LEFT_OUT, Field

_DAY = f"({'|'.join(WEEKDAYS)})"
_DAYS = f"{_DAY}(-{_DAY})?"


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarStatusDocument:
    """The status of a calendar; ignored in a document to save."""

    revision: Annotated[int, Field("How often the calendar was changed, its creation included.")]
    updated_at: Annotated[datetime, Field("When the calendar was last changed.")]
    updated_by: Annotated[str, Field("Name of the token that last changed the calendar.")]
    jobs: Annotated[int, Field("Number of jobs that use the calendar.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarDocument:
    """A calendar: times at which the jobs that name it do not run. Answers have its entries sorted and merged."""

    key: Annotated[CalendarKey, Field(inline=True)]
    description: Annotated[str, Field("Free text, for people.", most=1000, check=checks.paragraphs)] = ""
    dates: Annotated[
        tuple[str, ...],
        Field(
            f"Days and ranges of days, both ends included, in each job's time zone. With `periods`, {MOST_SPANS:,} at most.",
            check=parse_dates,
            pattern=rf"^{DATE_FORM}(\.\.{DATE_FORM})?$",
            examples=(["2026-12-25", "2026-12-31..2027-01-01"],),
        ),
    ] = ()
    weekly: Annotated[
        tuple[str, ...],
        Field(
            "Days of the week, whole or in part, in each job's time zone.",
            check=parse_weekly,
            pattern=f"^{_DAYS}(,{_DAYS})*( {CLOCK_FORM}-{CLOCK_FORM})?$",
            examples=(["SAT,SUN", "FRI 18:00-24:00", "MON-FRI 00:00-06:00"],),
        ),
    ] = ()
    periods: Annotated[
        tuple[str, ...],
        Field(
            "Spans of time, the same for every job in any time zone; the end is excluded.",
            check=parse_period,
            pattern=rf"^{INSTANT_FORM}\.\.{INSTANT_FORM}$",
            examples=(["2026-12-01T10:00:00Z..2026-12-01T12:00:00Z"],),
        ),
    ] = ()
    status: Annotated[
        CalendarStatusDocument,
        Field("The status of the calendar; ignored in a document to save.", read_only=True),
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarEntriesDocument:
    """How many entries of each kind a calendar has."""

    dates: Annotated[int, Field("Number of days and ranges of days.")]
    weekly: Annotated[int, Field("Number of weekly rules.")]
    periods: Annotated[int, Field("Number of spans of time.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarSummaryDocument:
    """A calendar in a list."""

    key: Annotated[CalendarKey, Field(inline=True)]
    description: Annotated[str, Field("Free text, for people.")]
    entries: Annotated[CalendarEntriesDocument, Field("How many entries of each kind it has.")]
    status: Annotated[CalendarStatusDocument, Field("The status of the calendar.")]
