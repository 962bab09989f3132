"""Warnings about valid schedules that may not mean what their author expects."""

from typing import NamedTuple


class ScheduleWarning(NamedTuple):
    """One warning. The fields are those of ScheduleError.

    message: what will happen. field: the cause, such as "schedule", "minute", "day-of-month" or "timezone". column: 0-based character
    of the text; None if no single character is the cause. hint: what to write instead. part: 0-based number of the text, of several
    joined; None for a single text.
    """

    message: str
    field: str
    column: int | None
    hint: str
    part: int | None = None
