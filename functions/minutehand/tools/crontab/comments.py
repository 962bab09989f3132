"""Comments directly above a line become the job's description."""

import re
from collections.abc import Sequence

from minutehand.schedule import Schedule, ScheduleError

LONGEST = 1000
"""Maximum length of a description, in characters (docs/reference/api.md)."""

DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
"""Shorthands for five fields; crontab(5) also has @reboot, which is no time."""

_HEADING = re.compile(r"m(in(ute)?)?[ \t]+h(our)?[ \t]", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def text_of(line: str) -> str:
    """A comment's text without `#` and the following space."""
    return _CONTROL.sub("", line.strip().lstrip("#").removeprefix(" ")).rstrip()


def ends_a_description(text: str) -> bool:
    """Whether a comment is not a description, but a disabled line or a column heading (`m h dom mon dow`)."""
    text = text.strip()
    if _HEADING.match(text):
        return True
    words = text.split()
    if text.startswith("@"):
        return words[0] in (*DESCRIPTORS, "@reboot") and len(words) > 1
    return len(words) > 5 and text[0] in "*0123456789" and _reads(" ".join(words[:5]))


def description_of(texts: Sequence[str]) -> str:
    """The comments above a line as one text of at most `LONGEST` characters, without separator lines."""
    lines = list(texts)
    while lines and not _says_something(lines[0]):
        lines.pop(0)
    while lines and not _says_something(lines[-1]):
        lines.pop()
    whole = "\n".join(lines)
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _reads(schedule: str) -> bool:
    try:
        Schedule.parse(schedule, "UTC", "vixie")
    except ScheduleError:
        return False
    return True
