"""The one error of this library."""

NAME_WANTED = "H goes by the job's name, and none is given"
"""The message about an `H` without a name; whoever takes the name knows how it is given, and may have a better hint."""


class ScheduleError(ValueError):
    """A schedule, or something that goes with it, that cannot be used as written.

    message: what is wrong. field: where, as "schedule", "second", "minute", "hour", "day-of-month", "month", "day-of-week",
    "year", "timezone", "dialect", "name" or "anchor". column: 0-based character of the schedule's text, None where no character is at
    fault. hint: what would be right. part: of several texts joined, the 0-based number of the one at fault; None for a single one.
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
