"""What a schedule's author should know although nothing is wrong."""

from typing import NamedTuple


class ScheduleWarning(NamedTuple):
    """A surprise that a schedule holds. The fields are those of ScheduleError.

    message: what will happen. field: where it comes from, as "schedule", "minute", "day-of-month" or "timezone". column: 0-based
    character of the text, None where no character stands for it. hint: what to write instead. part: of several texts joined, the
    0-based number of the one meant; None for a single one.
    """

    message: str
    field: str
    column: int | None
    hint: str
    part: int | None = None
