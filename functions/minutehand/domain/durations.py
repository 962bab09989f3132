"""Parser and formatter of durations: `90s`, `1h30m`, `7d`."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import lru_cache

_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_WHOLE = re.compile(r"(?:[0-9]{1,9}[wdhms])+", re.ASCII)
_PART = re.compile(r"([0-9]+)([wdhms])", re.ASCII)


def parse_duration(text: str) -> timedelta:
    """Parse a duration such as `1h30m`: whole numbers with the units w, d, h, m, s.

    Raises:
        ValueError: when the text is not a duration.
    """
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text!r} is not a duration; write whole numbers with units, such as 90s, 1h30m or 7d")
    try:
        return timedelta(seconds=sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(text)))
    except OverflowError:
        raise ValueError(f"{text!r} is longer than a duration can be") from None


@lru_cache(maxsize=1024)
def format_duration(duration: timedelta) -> str:
    """Format a duration of whole seconds in d, h, m and s, as `parse_duration` reads it."""
    rest = int(duration.total_seconds())
    parts = []
    for unit in "dhms":
        count, rest = divmod(rest, _SECONDS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
