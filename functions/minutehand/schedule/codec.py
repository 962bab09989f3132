"""The stored form of a schedule: fields joined by `|`, closed by a checksum.

    1|vixie|America/New_York|c1.1.200.*.*.3e.|0 9 * * 1-5|5f3ab0c1

One text is stored with these fields: version `1`, dialect, time zone, timing, text, CRC-32 of everything before it. Several texts
are stored with: version `1+`, common dialect (empty if they differ), common time zone, then dialect, time zone, timing and text of
each, and the CRC-32. No text contains `|`.

The first letter of a timing gives its kind:

- `c`: crontab. Masks of second, minute, hour, day, month and weekday in hexadecimal (`*` for all values), then the flags `e` (one
  matching day field is enough) and `r` (a time field starts with `*`), then special days and years, each as `;`, a letter and a
  mask.
- `i`: interval. Period and anchor in seconds, joined by a dot.
- `o`: once. One local time, in seconds since 1970-01-01 00:00.
- `d`: fixed delay. Its seconds.
- `m`: manual, with nothing after the letter.
"""

import re
from sys import intern
from typing import NamedTuple
from zlib import crc32

from minutehand.schedule.crontab import (
    EVERY_DAY,
    EVERY_HOUR,
    EVERY_MINUTE,
    EVERY_MONTH,
    EVERY_SECOND,
    EVERY_WEEKDAY,
    EVERY_YEAR,
    CrontabTiming,
    crontab_timing,
)
from minutehand.schedule.days import MonthDays
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.part import DelayTiming, IntervalTiming, ManualTiming, OnceTiming, Part, Timing

_ONE, _SEVERAL = "1", "1+"
_FULL = (EVERY_SECOND, EVERY_MINUTE, EVERY_HOUR, EVERY_DAY, EVERY_MONTH, EVERY_WEEKDAY)
_CRONTAB = re.compile(
    r"((?:(?:\*|[0-9a-f]{1,16})\.){6})(?P<either>e?)(?P<repeats>r?)(?P<last>;l)?(?P<last_weekday>;b)?"
    r"(?:;w(?P<nearest>[0-9a-f]{1,8}))?(?:;f(?P<last_of>[0-9a-f]{1,2}))?(?:;n(?P<nth>[0-9a-f]{1,9}))?(?:;y(?P<years>[0-9a-f]{1,58}))?",
    re.ASCII,
)
_INTERVAL = re.compile(r"([1-9][0-9]{0,9})\.(-?[0-9]{1,12})", re.ASCII)
_WALL = re.compile(r"-?[0-9]{1,12}", re.ASCII)
_PERIOD = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)


class StoredForm(NamedTuple):
    """The content of a schedule, parsed or decoded. Fields as in `Schedule`."""

    text: str | tuple[str, ...]
    timezone: str
    dialect: str | None
    parts: tuple[Part, ...]


def encode_form(form: StoredForm) -> str:
    """Encode a schedule; usual crontabs take less than 200 characters."""
    fields = [_ONE] if len(form.parts) == 1 else [_SEVERAL, form.dialect or "", form.timezone]
    for part in form.parts:
        fields += (part.dialect, part.timezone, _timing_text(part.timing), part.text)
    body = "|".join(fields)
    return f"{body}|{crc32(body.encode()):08x}"


def decode_form(text: str) -> StoredForm:
    """Decode a stored form. Raises ScheduleError (field "schedule") if it is damaged or of a later version."""
    body, _, checksum = text.rpartition("|") if isinstance(text, str) else ("", "", "")
    version, *fields = body.split("|")
    # "surrogatepass": a damaged text may hold lone surrogates, and must be refused as damaged.
    if not body or checksum != f"{crc32(body.encode(errors='surrogatepass')):08x}":
        raise _damaged("its checksum does not match")
    if version == _ONE and len(fields) == 4:
        part = _part(fields)
        return StoredForm(text=part.text, timezone=part.timezone, dialect=part.dialect, parts=(part,))
    if version == _SEVERAL and len(fields) >= 10 and len(fields) % 4 == 2:
        parts = tuple(_part(fields[n : n + 4]) for n in range(2, len(fields), 4))
        texts = tuple(part.text for part in parts)
        return StoredForm(text=texts, timezone=fields[1], dialect=fields[0] or None, parts=parts)
    raise _damaged(f"version {version!r:.20} is not {_ONE}, or the number of fields is wrong")


def _part(fields: list[str]) -> Part:
    dialect, timezone, timing, text = fields
    # 100,000 schedules in memory share few zones and dialects, so each name is kept once.
    return Part(text, intern(timezone), intern(dialect), _timing(timing))


def _timing_text(timing: Timing) -> str:
    match timing:
        case IntervalTiming():
            return f"i{timing.period}.{timing.anchor}"
        case OnceTiming():
            return f"o{timing.wall}"
        case DelayTiming():
            return f"d{timing.period}"
        case ManualTiming():
            return "m"
        case CrontabTiming():
            return _crontab_text(timing)


def _timing(text: str) -> Timing:
    rest = text[1:]
    match text[:1]:
        case "c":
            return _crontab(rest)
        case "i" if match := _INTERVAL.fullmatch(rest):
            return IntervalTiming(period=int(match[1]), anchor=int(match[2]))
        case "o" if _WALL.fullmatch(rest):
            return OnceTiming(wall=int(rest))
        case "d" if _PERIOD.fullmatch(rest):
            return DelayTiming(period=int(rest))
        case "m" if not rest:
            return ManualTiming()
    what = {"i": "period", "o": "time", "d": "delay", "m": "timing"}.get(text[:1])
    raise _damaged(f"its {what} cannot be read" if what else "its kind of timing is unknown")


def _damaged(reason: str) -> ScheduleError:
    return ScheduleError(
        f"the stored schedule cannot be used: {reason}",
        field="schedule",
        hint="save the job again to compile its schedule anew",
    )


def _crontab_text(timing: CrontabTiming) -> str:
    masks = (timing.seconds, timing.minutes, timing.hours, timing.days, timing.months, timing.weekdays)
    written = ".".join("*" if mask == full else f"{mask:x}" for mask, full in zip(masks, _FULL, strict=True))
    text = f"c{written}.{'e' if timing.either_day else ''}{'r' if timing.repeats else ''}"
    month_days = timing.month_days
    if month_days is not None:
        text += f"{';l' * month_days.last}{';b' * month_days.last_weekday}"
        for letter, mask in (("w", month_days.nearest), ("f", month_days.last_of), ("n", month_days.nth)):
            text += f";{letter}{mask:x}" if mask else ""
    return text if timing.years is None else f"{text};y{timing.years:x}"


def _crontab(text: str) -> CrontabTiming:
    match = _CRONTAB.fullmatch(text)
    if match is None:
        raise _damaged("its masks cannot be read")
    masks = tuple(
        full if mask == "*" else int(mask, 16) for mask, full in zip(match[1].split("."), _FULL, strict=False)
    )
    nearest, last_of, nth = (int(match[name] or "0", 16) for name in ("nearest", "last_of", "nth"))
    month_days = MonthDays(bool(match["last"]), bool(match["last_weekday"]), nearest, last_of, nth)
    years = None if match["years"] is None else int(match["years"], 16)
    by_month_days = (False, False, False, month_days.dates, False, month_days.weekdays)
    if (
        any(
            (mask == 0 and not has_days) or mask & ~full
            for mask, full, has_days in zip(masks, _FULL, by_month_days, strict=True)
        )
        or nearest & ~EVERY_DAY
        or last_of & ~EVERY_WEEKDAY
        or nth >> 35
        or (years is not None and (years == 0 or years & ~EVERY_YEAR))
    ):
        raise _damaged("a mask is empty or out of range")
    return crontab_timing(
        masks,
        either_day=bool(match["either"]),
        repeats=bool(match["repeats"]),
        month_days=None if month_days == MonthDays() else month_days,
        years=years,
    )
