"""Fields of a crontab as sets of numbers: read with the freedoms of other systems, and written in the form that jobs have."""

import re
from collections.abc import Mapping, Set
from itertools import pairwise
from types import MappingProxyType

MONTHS: Mapping[str, int] = MappingProxyType(
    {
        name: number
        for number, name in enumerate(
            ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"], start=1
        )
    }
)
DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
"""Names of the days of the week; their places are their numbers in a crontab."""
_ITEM = re.compile(r"(?:(\*)|(\w+)(?:-(\w+))?)?(?:/(\d{1,4}))?", re.ASCII)
_RUN = 3
"""Least numbers in a row that are written as a range."""


def expand(text: str, low: int, high: int, names: Mapping[str, int] = MappingProxyType({})) -> frozenset[int]:
    """The numbers that a list of items names: `*`, `a`, `a-b`, each perhaps with a step, and `/n` for `*/n`. A range may run over the
    end (22-2), and `a/n` goes to the end. Raises ValueError, with the reason, for anything else.
    """
    found: set[int] = set()
    for item in text.split(","):
        parts = _ITEM.fullmatch(item)
        if parts is None or not item:
            raise ValueError(f"{item!r:.40} is not a number, a range or a step")
        star, first, last, step_text = parts.groups()
        step = int(step_text) if step_text else 1
        if step < 1:
            raise ValueError(f"{item!r:.40} has a step of 0")
        start = low if first is None else _number(first, low, high, names)
        end = high if last is None and (star or first is None or step_text) else start
        end = _number(last, low, high, names) if last is not None else end
        size = high - low + 1
        found |= {low + (n - low) % size for n in range(start, end + (size if end < start else 0) + 1, step)}
    return frozenset(found)


def write(values: Set[int], low: int, high: int) -> str:
    """The shortest usual form of a set: `*`, `*/n`, `a-b`, `a-b/n`, or a list of numbers and ranges."""
    ordered = sorted(values)
    if len(ordered) == high - low + 1:
        return "*"
    steps = {b - a for a, b in pairwise(ordered)}
    if len(ordered) >= _RUN and len(steps) == 1:
        [step] = steps
        if ordered[0] == low and ordered[-1] + step > high:
            return f"*/{step}"
        every = "" if step == 1 else f"/{step}"
        return f"{ordered[0]}-{ordered[-1]}{every}"
    return ",".join(_runs(ordered))


def write_days(values: Set[int]) -> str:
    """Days of the week, by their names."""
    if len(values) == len(DAYS):
        return "*"
    if values == {1, 2, 3, 4, 5}:
        return "MON-FRI"
    return ",".join(DAYS[day] for day in sorted(values))


def _runs(ordered: list[int]) -> list[str]:
    parts: list[str] = []
    at = 0
    while at < len(ordered):
        end = at
        while end + 1 < len(ordered) and ordered[end + 1] == ordered[end] + 1:
            end += 1
        if end - at + 1 >= _RUN:
            parts.append(f"{ordered[at]}-{ordered[end]}")
        else:
            parts += map(str, ordered[at : end + 1])
        at = end + 1
    return parts


def _number(text: str, low: int, high: int, names: Mapping[str, int]) -> int:
    named = names.get(text.upper())
    if named is None and not (text.isdigit() and len(text) < 5):
        raise ValueError(f"{text!r:.40} is not a number from {low} to {high}")
    number = int(text) if named is None else named
    if not low <= number <= high:
        raise ValueError(f"{number} is out of range; it goes from {low} to {high}")
    return number
