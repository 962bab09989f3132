"""The stored form of a schedule: fields joined by `|`, closed by a checksum.

    1|vixie|America/New_York|c1.1.200.*.*.3e.a|0 9 * * 1-5|5f3ab0c1

Version, dialect, time zone, timing, text, CRC-32 of all before it. A timing is `c` and the masks of second, minute, hour, day,
month and weekday in hexadecimal (`*` for all) with flags, or `i`, period and anchor in seconds. No text contains `|`.
"""

import re
from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

from minutehand.schedule.crontab import (
    EVERY_DAY,
    EVERY_HOUR,
    EVERY_MINUTE,
    EVERY_MONTH,
    EVERY_SECOND,
    EVERY_WEEKDAY,
    CrontabTiming,
    crontab_timing,
)
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.timing import Timing

_VERSION = "1"
_FULL = (EVERY_SECOND, EVERY_MINUTE, EVERY_HOUR, EVERY_DAY, EVERY_MONTH, EVERY_WEEKDAY)
_CRONTAB = re.compile(r"((?:(?:\*|[0-9a-f]{1,16})\.){6})(e?)(r?)", re.ASCII)
_INTERVAL = re.compile(r"([1-9][0-9]{0,9})\.(-?[0-9]{1,12})", re.ASCII)


class StoredForm(NamedTuple):
    """What a schedule is made of, whichever way it was made."""

    text: str
    timezone: str
    dialect: str
    timing: Timing


def encoded(form: StoredForm) -> str:
    """The stored text; under 200 characters for usual crontabs."""
    body = "|".join((_VERSION, form.dialect, form.timezone, _timing_text(form.timing), form.text))
    return f"{body}|{crc32(body.encode()):08x}"


def decoded(text: str) -> StoredForm:
    """What a stored text holds. Raises ScheduleError when it is damaged, or was written by a later version."""
    body, _, checksum = text.rpartition("|") if isinstance(text, str) else ("", "", "")
    version, *parts = body.split("|")
    # "surrogatepass": a damaged text may hold what UTF-8 does not, and is to be refused as damaged.
    if not body or checksum != f"{crc32(body.encode(errors='surrogatepass')):08x}":
        raise _damaged("its checksum does not match")
    if version != _VERSION or len(parts) != 4:
        raise _damaged(f"version {version!r:.20} is not {_VERSION}")
    dialect, timezone, timing, source = parts
    return StoredForm(text=source, timezone=timezone, dialect=dialect, timing=_timing(timing))


def _timing_text(timing: Timing) -> str:
    if isinstance(timing, IntervalTiming):
        return f"i{timing.period}.{timing.anchor}"
    masks = (timing.seconds, timing.minutes, timing.hours, timing.days, timing.months, timing.weekdays)
    written = ".".join("*" if mask == full else f"{mask:x}" for mask, full in zip(masks, _FULL, strict=True))
    return f"c{written}.{'e' if timing.either_day else ''}{'r' if timing.repeats else ''}"


def _timing(text: str) -> Timing:
    read = _READERS.get(text[:1])
    if read is None:
        raise _damaged("its timing is of an unknown kind")
    return read(text[1:])


def _crontab(text: str) -> CrontabTiming:
    match = _CRONTAB.fullmatch(text)
    if match is None:
        raise _damaged("its masks cannot be read")
    masks = tuple(
        full if mask == "*" else int(mask, 16) for mask, full in zip(match[1].split("."), _FULL, strict=False)
    )
    if any(mask == 0 or mask & ~full for mask, full in zip(masks, _FULL, strict=True)):
        raise _damaged("a mask is empty or out of range")
    return crontab_timing(masks, either_day=bool(match[2]), repeats=bool(match[3]))


def _interval(text: str) -> IntervalTiming:
    match = _INTERVAL.fullmatch(text)
    if match is None:
        raise _damaged("its period cannot be read")
    return IntervalTiming(period=int(match[1]), anchor=int(match[2]))


_READERS: dict[str, Callable[[str], Timing]] = {"c": _crontab, "i": _interval}


def _damaged(reason: str) -> ScheduleError:
    return ScheduleError(
        f"the stored schedule cannot be used: {reason}",
        field="schedule",
        hint="save the job again, so that its schedule is compiled anew",
    )
