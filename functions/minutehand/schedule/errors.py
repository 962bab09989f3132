"""The error of this library, and its warnings."""

from typing import NamedTuple

NAME_WANTED = "H needs the job's name, and none is given"
"""Message for a crontab with `H` and no job's name. A caller may replace the error's hint by one on how its user gives the name."""


class ScheduleError(ValueError):
    """Invalid schedule, or invalid time zone, dialect, name or anchor of a schedule.

    message: what is wrong. field: "schedule", "second", "minute", "hour", "day-of-month", "month", "day-of-week", "year",
    "timezone", "dialect", "name" or "anchor". column: 0-based character of the schedule's text; None if no single character is
    wrong.
    hint: how to correct it. part: 0-based number of the wrong text of several joined; None for a single text.
    """

    def __init__(
        self, message: str, *, field: str, hint: str, column: int | None = None, part: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.column = column
        self.hint = hint
        self.part = part

    def __str__(self) -> str:
        places = [f"schedule {self.part + 1}"] if self.part is not None else []
        if self.field != "schedule" or not places:
            places.append(self.field)
        if self.column is not None:
            places.append(f"column {self.column + 1}")
        return f"{', '.join(places)}: {self.message} ({self.hint})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.message, self.field, self.column, self.hint, self.part)


def _rebuilt(message: str, field: str, column: int | None, hint: str, part: int | None) -> ScheduleError:
    return ScheduleError(message, field=field, column=column, hint=hint, part=part)


class ScheduleWarning(NamedTuple):
    """A warning about a valid schedule that may not mean what its author expects. The fields are those of ScheduleError.

    message: what will happen. field: the cause, such as "schedule", "minute", "day-of-month" or "timezone". column: 0-based
    character of the text; None if no single character is the cause. hint: what to write instead. part: 0-based number of the
    text, of several joined; None for a single text.
    """

    message: str
    field: str
    column: int | None
    hint: str
    part: int | None = None
