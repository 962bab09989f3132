"""The stored form of a timing, by the letter that begins it.

`c`: the masks of second, minute, hour, day, month and weekday in hexadecimal (`*` for all), then flags, then marks and years, each as
`;` with a letter and a mask. `i`: period and anchor, in seconds. `o`: one wall time. `d`: a delay. `m`: by hand.
"""

import re
from collections.abc import Callable

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
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.interval import IntervalTiming
from minutehand.schedule.month_days import MonthDays
from minutehand.schedule.once import OnceTiming
from minutehand.schedule.timing import Timing
from minutehand.schedule.unscheduled import DelayTiming, ManualTiming

_FULL = (EVERY_SECOND, EVERY_MINUTE, EVERY_HOUR, EVERY_DAY, EVERY_MONTH, EVERY_WEEKDAY)
_CRONTAB = re.compile(
    r"((?:(?:\*|[0-9a-f]{1,16})\.){6})(?P<either>e?)(?P<repeats>r?)(?P<last>;l)?(?P<last_weekday>;b)?"
    r"(?:;w(?P<nearest>[0-9a-f]{1,8}))?(?:;f(?P<last_of>[0-9a-f]{1,2}))?(?:;n(?P<nth>[0-9a-f]{1,9}))?(?:;y(?P<years>[0-9a-f]{1,58}))?",
    re.ASCII,
)
_INTERVAL = re.compile(r"([1-9][0-9]{0,9})\.(-?[0-9]{1,12})", re.ASCII)
_WALL = re.compile(r"-?[0-9]{1,12}", re.ASCII)
_PERIOD = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)


def timing_text(timing: Timing) -> str:
    """The stored form of a timing."""
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


def read_timing(text: str) -> Timing:
    """The timing of a stored form. Raises ScheduleError."""
    read = _READERS.get(text[:1])
    if read is None:
        raise damaged("its timing is of an unknown kind")
    return read(text[1:])


def damaged(reason: str) -> ScheduleError:
    """The error of a stored form that cannot be used."""
    return ScheduleError(
        f"the stored schedule cannot be used: {reason}",
        field="schedule",
        hint="save the job again, so that its schedule is compiled anew",
    )


def _crontab_text(timing: CrontabTiming) -> str:
    masks = (timing.seconds, timing.minutes, timing.hours, timing.days, timing.months, timing.weekdays)
    written = ".".join("*" if mask == full else f"{mask:x}" for mask, full in zip(masks, _FULL, strict=True))
    text = f"c{written}.{'e' if timing.either_day else ''}{'r' if timing.repeats else ''}"
    marks = timing.marks
    if marks is not None:
        text += f"{';l' * marks.last}{';b' * marks.last_weekday}"
        for letter, mask in (("w", marks.nearest), ("f", marks.last_of), ("n", marks.nth)):
            text += f";{letter}{mask:x}" if mask else ""
    return text if timing.years is None else f"{text};y{timing.years:x}"


def _crontab(text: str) -> CrontabTiming:
    match = _CRONTAB.fullmatch(text)
    if match is None:
        raise damaged("its masks cannot be read")
    masks = tuple(
        full if mask == "*" else int(mask, 16) for mask, full in zip(match[1].split("."), _FULL, strict=False)
    )
    nearest, last_of, nth = (int(match[name] or "0", 16) for name in ("nearest", "last_of", "nth"))
    marks = MonthDays(bool(match["last"]), bool(match["last_weekday"]), nearest, last_of, nth)
    years = None if match["years"] is None else int(match["years"], 16)
    by_marks = (False, False, False, marks.dates, False, marks.weekdays)
    if (
        any(
            (mask == 0 and not marked) or mask & ~full
            for mask, full, marked in zip(masks, _FULL, by_marks, strict=True)
        )
        or nearest & ~EVERY_DAY
        or last_of & ~EVERY_WEEKDAY
        or nth >> 35
        or (years is not None and (years == 0 or years & ~EVERY_YEAR))
    ):
        raise damaged("a mask is empty or out of range")
    return crontab_timing(
        masks,
        either_day=bool(match["either"]),
        repeats=bool(match["repeats"]),
        marks=None if marks == MonthDays() else marks,
        years=years,
    )


def _interval(text: str) -> IntervalTiming:
    match = _INTERVAL.fullmatch(text)
    if match is None:
        raise damaged("its period cannot be read")
    return IntervalTiming(period=int(match[1]), anchor=int(match[2]))


def _once(text: str) -> OnceTiming:
    if not _WALL.fullmatch(text):
        raise damaged("its time cannot be read")
    return OnceTiming(wall=int(text))


def _delay(text: str) -> DelayTiming:
    if not _PERIOD.fullmatch(text):
        raise damaged("its delay cannot be read")
    return DelayTiming(period=int(text))


def _manual(text: str) -> ManualTiming:
    if text:
        raise damaged("its timing cannot be read")
    return ManualTiming()


_READERS: dict[str, Callable[[str], Timing]] = {"c": _crontab, "i": _interval, "o": _once, "d": _delay, "m": _manual}
