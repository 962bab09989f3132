"""Durations as people write them: `90s`, `1h30m`, `7d`."""

from __future__ import annotations

import re
from datetime import timedelta

_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_WHOLE = re.compile(r"(?:[0-9]{1,9}[wdhms])+", re.ASCII)
_PART = re.compile(r"([0-9]+)([wdhms])", re.ASCII)


def parse_duration(text: str) -> timedelta:
    """The duration of a text such as `1h30m`; units w, d, h, m, s, whole numbers.

    Raises:
        ValueError: when the text is not a duration.
    """
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text!r} is not a duration; write whole numbers with units, such as 90s, 1h30m or 7d")
    try:
        return timedelta(seconds=sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(text)))
    except OverflowError:
        raise ValueError(f"{text!r} is longer than a duration can be") from None


def format_duration(duration: timedelta) -> str:
    """The shortest text that `parse_duration` reads as this duration, from days down; whole seconds."""
    rest = int(duration.total_seconds())
    parts = []
    for unit in "dhms":
        count, rest = divmod(rest, _SECONDS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
