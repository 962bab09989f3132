"""Parse the instants that people write: `2026-11-20 09:00`, `10m ago`, `yesterday 09:00`, `monday 8:30`, `1h`."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple

from minutehand.cli.zone import zone_of

PAST_FORMS = "write 09:00, 2026-11-20 09:00, 2026-11-20T09:00:00Z, 10m ago, yesterday 09:00 or monday 9:00"
FUTURE_FORMS = "write 90d, 09:00, 2026-11-20 09:00, 2026-11-20T09:00:00Z, tomorrow 09:00 or monday 9:00"

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_UNIT = r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)"
_LENGTH = re.compile(rf"(?:[0-9]+ ?{_UNIT}(?: |(?=[0-9])|$))+")
_LENGTH_PART = re.compile(rf"([0-9]+) ?({_UNIT})")
_LONGEST = 100 * 366 * 86_400
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_OFFSET = re.compile(r"(?<=[0-9]) ?([+-])([0-9]{2}):?([0-9]{2})$")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_FEWEST_LETTERS = 3


class _Day(NamedTuple):
    """A day as written: the date `on`, or a `weekday` (0 is Monday). `step` is -1 for `last`, 1 for `next`, else 0."""

    on: date | None = None
    weekday: int | None = None
    step: int = 0


def parse_when(text: str, *, now: datetime, zone: str = "UTC", ahead: bool = False) -> datetime:
    """The instant, aware and in UTC. `now` (aware) is what relative texts count from.

    Local times are those of `zone`, unless the text ends with UTC, an offset or a zone. `ahead`: a duration, a weekday or a time of
    day means the next one; otherwise it means the latest one.

    Raises ValueError for other texts, unknown zones, and local times that a clock change skips or repeats.
    """
    words = " ".join(text.split())
    try:
        instant = _relative(words.casefold(), now.replace(microsecond=0), ahead=ahead)
        return instant or _absolute(text, words, now, zone, ahead=ahead)
    except OverflowError:
        raise ValueError(f"{text!r} is outside the years 1 to 9999") from None


def is_fixed(text: str) -> bool:
    """Whether the text of an instant means the same for jobs of every time zone: it ends with a zone, counts from now, or has a date, as the
    tables print instants of UTC."""
    words = " ".join(text.split())
    length = words.casefold().removeprefix("in ").removesuffix(" ago")
    if _DATE.search(words) or length == "now" or _LENGTH.fullmatch(length):
        return True
    return _without_zone(words, "UTC")[0] != words


def _relative(words: str, now: datetime, *, ahead: bool) -> datetime | None:
    """`now`, `10m ago`, `in 2h` or `2h`; None for any other text."""
    if words == "now":
        return now.astimezone(UTC)
    length = words.removeprefix("in ").removesuffix(" ago")
    if not _LENGTH.fullmatch(length) or words == f"in {length} ago":
        return None
    seconds = sum(int(count) * _UNITS[unit[0]] for count, unit in _LENGTH_PART.findall(length))
    if seconds == 0:
        raise ValueError(f"{words!r} is too short; the minimum is 1s")
    if seconds > _LONGEST:
        raise ValueError(f"{words!r} is longer than a hundred years; write a nearer instant, or omit it")
    later = words.startswith("in ") or (ahead and not words.endswith(" ago"))
    return now.astimezone(UTC) + timedelta(seconds=seconds if later else -seconds)


def _absolute(text: str, words: str, now: datetime, zone: str, *, ahead: bool) -> datetime:
    left, place = _without_zone(words, zone)
    today = now.astimezone(place)
    day, rest = _day(left.casefold(), today.date())
    if day.on is None and day.weekday is None:
        return _time_of_day(text, rest, today, place, ahead=ahead) if rest else _iso(text, ahead=ahead)
    clock = _clock(rest) if rest else time()
    if clock is None:
        return _iso(text, ahead=ahead)
    if day.on is not None:
        if day.weekday not in (None, day.on.weekday()):
            named = _WEEKDAYS[day.on.weekday()].capitalize()
            raise ValueError(f"{text!r} names another weekday: {day.on} is a {named}")
        return _instant(text, datetime.combine(day.on, clock), place)
    step = day.step or (1 if ahead else -1)
    for distance in range(8):
        other = today.date() + step * timedelta(days=distance)
        if other.weekday() == day.weekday:
            found = _instant(text, datetime.combine(other, clock), place)
            if (found > now) if step > 0 else (found <= now):
                return found
    raise AssertionError("eight days have every weekday")


def _without_zone(words: str, zone: str) -> tuple[str, tzinfo]:
    """The text without the zone at its end, and this zone; `zone` if it has none."""
    before, _, last = words.rpartition(" ")
    name = last.strip("()")
    if before and "/" in name:
        # As our tables print it: an offset and the zone in parentheses, of which the offset is exact.
        return _without_zone(before, name)
    if zone != "UTC":
        from minutehand.schedule.zones import check_zone  # noqa: PLC0415 - see `zone_of`

        check_zone(zone)
    offset = _OFFSET.search(words)
    if offset and ":" in words[: offset.start()]:
        seconds = int(offset[2]) * 3_600 + int(offset[3]) * 60
        if seconds >= 86_400:
            raise ValueError(f"{words!r} has an offset of a day or more")
        return words[: offset.start()], timezone(timedelta(seconds=-seconds if offset[1] == "-" else seconds))
    if last.casefold() in ("utc", "z") and before:
        return before, UTC
    if re.search(r"[0-9][zZ]$", words) and ":" in words:
        return words[:-1], UTC
    return words, UTC if zone == "UTC" else zone_of(zone)


def _day(words: str, today: date) -> tuple[_Day, str]:
    """The day at the start of a text, and the rest, which is a time of day. The day is empty if the text begins with none."""
    first, _, rest = words.partition(" ")
    if first in _DAYS:
        return _Day(today + timedelta(days=_DAYS[first])), rest
    step = {"last": -1, "next": 1}.get(first, 0)
    if step:
        first, _, rest = rest.partition(" ")
    weekday = _weekday(first)
    if weekday is not None:
        dated, others = _day(rest, today) if not step and _DATE.match(rest) else (_Day(), rest)
        return _Day(dated.on, weekday, step), others
    found = _DATE.match(words)
    if found is None or step or words[found.end() : found.end() + 1] not in ("", " ", "t"):
        return _Day(), words
    try:
        return _Day(date(int(found[1]), int(found[2]), int(found[3]))), words[found.end() + 1 :]
    except ValueError:
        raise ValueError(f"there is no day {found[0]}") from None


def _weekday(word: str) -> int | None:
    named = word.removesuffix(",")
    if len(named) < _FEWEST_LETTERS:
        return None
    return next((n for n, name in enumerate(_WEEKDAYS) if name.startswith(named)), None)


def _time_of_day(text: str, words: str, today: datetime, place: tzinfo, *, ahead: bool) -> datetime:
    clock = _clock(words)
    if clock is None:
        return _iso(text, ahead=ahead)
    for distance in (0, 1):
        day = today.date() + timedelta(days=distance if ahead else -distance)
        found = _instant(text, datetime.combine(day, clock), place)
        if (found > today) if ahead else (found <= today):
            break
    return found


def _clock(words: str) -> time | None:
    """A time of day such as `9:00` or `09:00:30`; None for another text. Raises ValueError for a time such as 25:00."""
    found = _CLOCK.fullmatch(words)
    if found is None:
        return None
    try:
        return time(int(found[1]), int(found[2]), int(found[3] or 0), int((found[4] or "").ljust(6, "0")))
    except ValueError:
        raise ValueError(f"there is no time of day {words}; write 00:00 to 23:59") from None


def _instant(text: str, local: datetime, place: tzinfo) -> datetime:
    """The instant of a local time. Raises ValueError if a clock change skips it or repeats it."""
    passes = [local.replace(tzinfo=place, fold=fold).astimezone(UTC) for fold in (0, 1)]
    if passes[0] == passes[1]:
        return passes[0]
    written = f"{local:%Y-%m-%d %H:%M}"
    if passes[0].astimezone(place).replace(tzinfo=None) != local:
        raise ValueError(f"{text!r} does not exist in {place}: the clocks go forward over {written}")
    first, second = (each.astimezone(place).isoformat() for each in passes)
    raise ValueError(f"{text!r} is twice in {place}: write {first} for the first, {second} for the second")


def _iso(text: str, *, ahead: bool) -> datetime:
    """A text in another form of ISO 8601, such as the one in the ids of runs. Raises ValueError."""
    forms = FUTURE_FORMS if ahead else PAST_FORMS
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an instant; {forms}") from None
    if instant.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; {forms}")
    return instant.astimezone(UTC)
