"""The one error of this library."""


class ScheduleError(ValueError):
    """A schedule, or something that goes with it, that cannot be used as written.

    message: what is wrong. field: where, as "schedule", "second", "minute", "hour", "day-of-month", "month", "day-of-week",
    "timezone", "dialect" or "anchor". column: 0-based character of the schedule's text, None where no character is at fault.
    hint: what would be right.
    """

    def __init__(self, message: str, *, field: str, hint: str, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        place = self.field if self.column is None else f"{self.field}, column {self.column + 1}"
        return f"{place}: {self.message} ({self.hint})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.message, self.field, self.column, self.hint)


def _rebuilt(message: str, field: str, column: int | None, hint: str) -> ScheduleError:
    return ScheduleError(message, field=field, column=column, hint=hint)
