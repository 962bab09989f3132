"""TZif reader (RFC 8536): all changes of a zone's offset from UTC, as integers.

The standard library's ZoneInfo converts one datetime at a time and does not list the changes, which next() needs.
"""

import re
import struct
from typing import NamedTuple

from minutehand.schedule.days import day_number, month_length, weekday_of

_HEADER = struct.Struct(">4s1s15x6I")
_TYPE = struct.Struct(">iBB")
_NAME = r"(?:<[A-Za-z0-9+-]+>|[A-Za-z]+)"
_FOOTER = re.compile(
    rf"{_NAME}(?P<standard>[0-9:+-]+)(?:{_NAME}(?P<summer>[0-9:+-]+)?,(?P<start>[^,]+),(?P<end>[^,]+))?"
)
_RULE = re.compile(r"M(?P<month>\d+)\.(?P<week>\d)\.(?P<weekday>\d)(?:/(?P<time>[0-9:+-]+))?")


class Changes(NamedTuple):
    """Changes of a zone's offset; a change of only the name or the daylight-saving flag is left out.

    first_offset: offset before the first change. instants: epoch seconds, UTC. offsets: seconds east of UTC from each of
    `instants`.
    for_ever: whether the last change is final.
    """

    first_offset: int
    instants: tuple[int, ...]
    offsets: tuple[int, ...]
    for_ever: bool


def read_changes(data: bytes, *, through_year: int) -> Changes:
    """Read a TZif file of version 2 or later. Its rule for the future is expanded up to the end of `through_year`.

    Raises ValueError for another format.
    """
    magic, version, *counts = _HEADER.unpack_from(data)
    if magic != b"TZif" or version < b"2":
        raise ValueError("not a TZif file of version 2 or later")
    start = _HEADER.size + _block_size(counts, time_size=4)
    _, _, *counts = _HEADER.unpack_from(data, start)
    _, _, _, times, types, _ = counts
    at = start + _HEADER.size
    instants = list(struct.unpack_from(f">{times}q", data, at))
    kinds = data[at + 8 * times : at + 9 * times]
    table = [_TYPE.unpack_from(data, at + 9 * times + _TYPE.size * n)[0] for n in range(types)]
    offsets = [table[kind] for kind in kinds]
    footer = data[at + _block_size(counts, time_size=8) :].strip(b"\n").decode("ascii")
    future = _future(footer, after=instants[-1] if instants else None, through_year=through_year)
    for instant, offset in future:
        instants.append(instant)
        offsets.append(offset)
    return _only_changes(table[0], instants, offsets, for_ever=not future)


def _block_size(counts: list[int], *, time_size: int) -> int:
    universal, standard, leaps, times, types, characters = counts
    return times * (time_size + 1) + types * _TYPE.size + characters + leaps * (time_size + 4) + standard + universal


def _only_changes(first_offset: int, instants: list[int], offsets: list[int], *, for_ever: bool) -> Changes:
    kept: list[tuple[int, int]] = []
    current = first_offset
    for instant, offset in zip(instants, offsets, strict=True):
        if offset != current:
            kept.append((instant, offset))
            current = offset
    return Changes(
        first_offset=first_offset,
        instants=tuple(instant for instant, _ in kept),
        offsets=tuple(offset for _, offset in kept),
        for_ever=for_ever,
    )


def _future(footer: str, *, after: int | None, through_year: int) -> list[tuple[int, int]]:
    """Changes later than `after` from a POSIX TZ string such as `EST5EDT,M3.2.0,M11.1.0`."""
    match = _FOOTER.fullmatch(footer)
    if match is None:
        raise ValueError(f"unknown rule for the future: {footer!r}")
    if match["start"] is None:
        return []
    standard = -_seconds(match["standard"])
    summer = -_seconds(match["summer"]) if match["summer"] else standard + 3600
    start, end = _read_rule(match["start"]), _read_rule(match["end"])
    since = -(1 << 60) if after is None else after
    changes = [
        change
        for year in range(1970 if after is None else 1969 + after // 31_557_600, through_year + 1)
        for change in ((start.instant_in(year) - standard, summer), (end.instant_in(year) - summer, standard))
        if change[0] > since
    ]
    return sorted(changes)


class _Rule(NamedTuple):
    """Rule such as `M3.2.0/2`: second Sunday of March, 02:00. time: seconds after midnight. Week 5 is the last."""

    month: int
    week: int
    weekday: int
    time: int

    def instant_in(self, year: int) -> int:
        """Local time of the change in a year, in seconds since 1970-01-01 00:00 local time."""
        first = day_number(year, self.month, 1)
        day = (self.weekday - weekday_of(first)) % 7 + 7 * (self.week - 1)
        if day >= month_length(year, self.month):
            day -= 7
        return (first + day) * 86400 + self.time


def _read_rule(text: str) -> _Rule:
    match = _RULE.fullmatch(text)
    if match is None:
        raise ValueError(f"unknown rule for the future: {text!r}")
    return _Rule(int(match["month"]), int(match["week"]), int(match["weekday"]), _seconds(match["time"] or "2"))


def _seconds(text: str) -> int:
    """Seconds of `[+-]hh[:mm[:ss]]`."""
    parts = [int(part) for part in text.lstrip("+-").split(":")]
    total = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    return -total if text.startswith("-") else total
