"""A schedule's text, cut into words with their columns, once it is known to be plain and short."""

import re
from typing import NamedTuple

from minutehand.schedule.errors import ScheduleError

LONGEST = 1024
"""Characters of the longest text: every field as a full list needs fewer than 600."""
MOST_TEXTS = 16
"""Texts that one schedule may join."""

_WORD = re.compile(r"[^ \t]+")
_ODD = re.compile(r"[^\t\x20-\x7eµμ]")


class Word(NamedTuple):
    """A word, and the column at which it starts."""

    column: int
    text: str


def words_of(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of text[start:end]; columns count from the text's own beginning."""
    return [Word(found.start(), found[0]) for found in _WORD.finditer(text, start, len(text) if end is None else end)]


def check_text(text: object) -> None:
    """Raise ScheduleError unless this is a text of plain characters, of no more than LONGEST."""
    if not isinstance(text, str):
        raise wrong(f"a schedule is text, not {type(text).__name__}", None, "write a crontab such as 0 9 * * MON-FRI")
    if len(text) > LONGEST:
        raise wrong(
            f"a schedule of {len(text)} characters is too long", LONGEST, f"{LONGEST} is the most; use ranges and steps"
        )
    odd = _ODD.search(text)
    if odd is not None:
        raise wrong(f"{odd[0]!a} cannot stand in a schedule", odd.start(), "write plain ASCII, fields apart by spaces")


def wrong(message: str, column: int | None, hint: str) -> ScheduleError:
    """The error of a text that is wrong as a whole, rather than in one field."""
    return ScheduleError(message, field="schedule", column=column, hint=hint)
