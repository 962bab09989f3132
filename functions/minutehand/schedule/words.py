"""Schedule texts split into words with their columns, after a check of length and characters."""

import re
from typing import NamedTuple

from minutehand.schedule.errors import ScheduleError

LONGEST = 1024
"""Most characters of a schedule; a crontab that lists every value of every field needs fewer than 600."""
MOST_TEXTS = 16
"""Most texts that one schedule joins."""

_WORD = re.compile(r"[^ \t]+")
_NOT_ALLOWED = re.compile(r"[^\t\x20-\x7eµμ]")


class Word(NamedTuple):
    """A word and its 0-based column in the text."""

    column: int
    text: str


def split_words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Words of text[start:end]; columns count from the start of `text`."""
    return [Word(found.start(), found[0]) for found in _WORD.finditer(text, start, len(text) if end is None else end)]


def check_text(text: object) -> None:
    """Raise ScheduleError unless this is a `str` of at most LONGEST printable ASCII characters (and µ)."""
    if not isinstance(text, str):
        raise schedule_error(
            f"a schedule is text, not {type(text).__name__}", None, "write a crontab such as 0 9 * * MON-FRI"
        )
    if len(text) > LONGEST:
        hint = f"use at most {LONGEST} characters, with ranges and steps"
        raise schedule_error(f"a schedule of {len(text)} characters is too long", LONGEST, hint)
    odd = _NOT_ALLOWED.search(text)
    if odd is not None:
        raise schedule_error(
            f"{odd[0]!a} is not allowed in a schedule", odd.start(), "write plain ASCII, with spaces between the fields"
        )


def schedule_error(message: str, column: int | None, hint: str) -> ScheduleError:
    """Error about the text as a whole (field "schedule") rather than about one field."""
    return ScheduleError(message, field="schedule", column=column, hint=hint)
