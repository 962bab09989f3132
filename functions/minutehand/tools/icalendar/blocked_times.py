"""Blocked times of iCalendar files (RFC 5545): all-day events as dates, others as periods, with recurrences expanded."""

import re
import zoneinfo
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import icalendar
import recurring_ical_events

from minutehand.domain import instants
from minutehand.tools.icalendar.lines import Block, CalendarFileError, events_of, unreadable

_ZONE_HINT = "give the time zone: --timezone Europe/Paris"
_DATE_HINT = "write a date as in {name};VALUE=DATE:20261225, or a time as in {name}:20261225T090000Z"
_FORM_HINTS = {
    "DURATION": "write a duration as in DURATION:P1D or DURATION:PT1H30M",
    "RRULE": "write a rule as in RRULE:FREQ=YEARLY or RRULE:FREQ=WEEKLY;BYDAY=SA,SU;COUNT=10",
}
"""What is right in a property that cannot be read; the others are dates or times."""
_YEARS = 10
_DAY = timedelta(days=1)
_WHEN = ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")
_EXACT = re.compile(r".*T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?", re.IGNORECASE)
# A property that is added to events: the occurrences made from an event keep such properties, but not its DURATION.
_KEPT = "X-MINUTEHAND-EXACT-SECONDS"


@dataclass(frozen=True, kw_only=True)
class Blocked:
    """The blocked times of a file.

    `events`, `cancelled`, `free` and `momentary` count events: all, those left out as cancelled, those that block although
    marked as free (TRANSP:TRANSPARENT), and those left out for having no duration. Recurrences are expanded from `first` to
    `last`. `title` is the calendar's name in the file, maybe empty.
    """

    title: str
    dates: list[str]
    periods: list[str]
    events: int
    cancelled: int
    free: int
    momentary: int
    first: date
    last: date


def read_ics(text: str, *, now: datetime, timezone: str | None) -> Blocked:
    """Read a file.

    `timezone` applies to events without one; None refuses them. Raises an ExceptionGroup of CalendarFileErrors with all errors.
    """
    blocks = events_of(text)
    first = date(now.year - 1, 1, 1)
    end = first.replace(year=first.year + _YEARS)
    with _pinned_zones():
        try:
            calendars: list[Any] = list(icalendar.Calendar.from_ical(text, multiple=True))
        except (ValueError, LookupError, TypeError) as error:
            hint = "check that the file was downloaded completely, and open it in a calendar program"
            message = f"invalid iCalendar file: {error}"
            raise unreadable(CalendarFileError(message=message, line=1, hint=hint)) from error
        events = [event for calendar in calendars for event in calendar.walk("VEVENT")]
        _check(calendars, blocks, timezone)
        _keep_exact(events, blocks)
        zone = zoneinfo.ZoneInfo(timezone) if timezone else None
        spans = [_span(occurrence, zone) for calendar in calendars for occurrence in _occurrences(calendar, first, end)]
    live = [event for event in events if not _is_cancelled(event)]
    return Blocked(
        title=" ".join(str(calendars[0].get("X-WR-CALNAME", "")).split()),
        dates=list(dict.fromkeys(_dates(*span) for span in spans if not isinstance(span[0], datetime))),
        periods=list(
            dict.fromkeys(
                f"{instants.to_text(start)}..{instants.to_text(until)}"
                for start, until in spans
                if isinstance(start, datetime) and isinstance(until, datetime) and start < until
            )
        ),
        events=len(events),
        cancelled=len(events) - len(live),
        free=sum(str(event.get("TRANSP", "")).upper() == "TRANSPARENT" for event in live),
        momentary=sum(event.end == event.start for event in live),
        first=first,
        last=end - _DAY,
    )


@contextmanager
def _pinned_zones() -> Iterator[None]:
    """Use the pinned time zone data of the schedules, since the system's may differ."""
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath(to=())
    try:
        yield
    finally:
        zoneinfo.reset_tzpath(to=before)


def _check(calendars: Sequence[Any], blocks: Sequence[Block], timezone: str | None) -> None:
    """Raise all errors of the events, each with its line; `blocks` are their lines, in the same order."""
    events = [(calendar, event) for calendar in calendars for event in calendar.walk("VEVENT")]
    faults = []
    for (calendar, event), block in zip(events, blocks, strict=False):
        floating_is_fine = timezone is not None or "X-WR-TIMEZONE" in calendar
        faults += [
            CalendarFileError(message=f"{block.called}: {message}", line=block.line_of(name), hint=hint)
            for name, message, hint in _faults_of(event, floating_is_fine=floating_is_fine)
        ]
    if not events:
        hint = "check that this is the right file: each blocked time is an event, from BEGIN:VEVENT to END:VEVENT"
        faults.append(CalendarFileError(message="the file has no event (VEVENT)", line=1, hint=hint))
    if faults:
        raise unreadable(*faults)


def _faults_of(event: Any, *, floating_is_fine: bool) -> Iterator[tuple[str, str, str | None]]:
    """The errors of an event: property, message and hint."""
    broken = [(str(name), str(why)) for name, why in event.errors if name in _WHEN]
    if broken:
        for name, why in broken:
            yield name, f"{name} cannot be read: {why}", _FORM_HINTS.get(name) or _DATE_HINT.format(name=name)
        return
    twice = [name for name in ("DTSTART", "DTEND", "DURATION") if isinstance(event.get(name), list)]
    if twice or "DTSTART" not in event:
        if twice:
            yield twice[0], f"it has {twice[0]} twice", "keep one of the two"
        else:
            yield "DTSTART", "it has no DTSTART", _DATE_HINT.format(name="DTSTART")
        return
    yield from _length_faults(event)
    for rule in event["RRULE"] if isinstance(event.get("RRULE"), list) else [event.get("RRULE", {})]:
        if rule:
            yield from (("RRULE", message, hint) for message, hint in _rule_faults(rule))
    for name in ("DTSTART", "DTEND"):
        if name not in event or not isinstance(event[name].dt, datetime) or event[name].dt.tzinfo is not None:
            continue
        zone = event[name].params.get("TZID")
        if zone:
            hint = f"write an IANA name, as in {name};TZID=Europe/Paris, or add its VTIMEZONE"
            yield name, f"the time zone {zone!r} is unknown, and the file does not define it", hint
        elif not floating_is_fine:
            yield name, "its time has no time zone", _ZONE_HINT
        else:
            continue
        return


def _length_faults(event: Any) -> Iterator[tuple[str, str, str | None]]:
    by = "DTEND" if "DTEND" in event else "DURATION"
    if by == "DTEND" and isinstance(event["DTEND"].dt, datetime) != isinstance(event["DTSTART"].dt, datetime):
        yield by, "one of DTSTART and DTEND is a date and one a time", "make both dates, or both times"
        return
    try:
        backwards = event.end < event.start or ("DURATION" in event and event["DURATION"].dt < timedelta(0))
    # Raised for both DTEND and DURATION, for hours added to a date, and for one time with and one without a time zone.
    except (ValueError, TypeError) as error:
        hint = "write either DTEND, of the same form as DTSTART, or DURATION, for a date in days or weeks"
        yield by, f"its duration is invalid: {error}", hint
        return
    if backwards:
        yield by, "it ends before it begins", "write an end that is later than DTSTART"


def _rule_faults(rule: Any) -> Iterator[tuple[str, str]]:
    frequency = str(next(iter(rule.get("FREQ", [])), "")).upper()
    often = len(rule.get("BYHOUR", [0])) * len(rule.get("BYMINUTE", [0])) * len(rule.get("BYSECOND", [0]))
    if not frequency:
        yield "its RRULE has no FREQ", "write FREQ=YEARLY, or remove RRULE"
    elif frequency in ("SECONDLY", "MINUTELY", "HOURLY") or often > 24:
        yield "it recurs many times a day, for years", "write weekly hours as a weekly rule in YAML"


def _keep_exact(events: Sequence[Any], blocks: Sequence[Block]) -> None:
    """Record the exact part of each event's DURATION: hours, minutes and seconds are exact, days and weeks follow the clock
    (RFC 5545, 3.3.6). The parser does not tell PT48H from P2D."""
    for event, block in zip(events, blocks, strict=False):
        found = _EXACT.fullmatch(block.duration)
        if found:
            hours, minutes, seconds = (int(number or 0) for number in found.groups())
            event[_KEPT] = f"{hours * 3600 + minutes * 60 + seconds} {event['DURATION'].dt // timedelta(seconds=1)}"


def _occurrences(calendar: Any, first: date, end: date) -> list[Any]:
    between = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (first, end))
    try:
        found = list(recurring_ical_events.of(calendar).between(*between))
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        hint = "simplify the RRULE of its events, or write their dates in YAML"
        message = f"its recurrences cannot be expanded: {error}"
        raise unreadable(CalendarFileError(message=message, line=1, hint=hint)) from error
    return [occurrence for occurrence in found if not _is_cancelled(occurrence)]


def _span(occurrence: Any, zone: zoneinfo.ZoneInfo | None) -> tuple[date, date]:
    """When an occurrence of an event begins and ends: its first and last day, or two instants in UTC."""
    start, end = occurrence.start, occurrence.end
    if not isinstance(start, datetime):
        return start, max(end - _DAY, start)
    if zone is not None:
        start, end = (at if at.tzinfo else at.replace(tzinfo=zone) for at in (start, end))
    if start.tzinfo is None or end.tzinfo is None:  # astimezone() would assume the machine's own time zone
        raise unreadable(CalendarFileError(message=f"the time {start} has no time zone", line=1, hint=_ZONE_HINT))
    exact, whole = (timedelta(seconds=int(number)) for number in str(occurrence.get(_KEPT, "0 0")).split())
    if end - start != whole:  # the file gives this occurrence a length other than its event's
        exact = timedelta(0)
    return start.astimezone(UTC), (end - exact).astimezone(UTC) + exact


def _dates(first: date, last: date) -> str:
    return f"{first}" if first == last else f"{first}..{last}"


def _is_cancelled(event: Any) -> bool:
    return str(event.get("STATUS", "")).upper() == "CANCELLED"
