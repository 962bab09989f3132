"""Splits an iCalendar file into lines (RFC 5545, 3.1), so that errors can name the line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_LINE = re.compile(r"([A-Za-z0-9-]+)((?:;[^:\"]*(?:\"[^\"]*\"[^:\"]*)*)?):(.*)", re.DOTALL)
_MOST_FAULTS = 20
_DEEPEST = 8
"""Most components within each other. An alarm of an event of a calendar is the third; deeper ones would take the libraries minutes."""


class CalendarFileError(Exception):
    """An error of a file. `line` counts from 1."""

    def __init__(self, *, message: str, line: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.hint = hint


def unreadable(*faults: CalendarFileError) -> ExceptionGroup[CalendarFileError]:
    """The exception group with all errors of an iCalendar file."""
    return ExceptionGroup("the file cannot be read", faults)


@dataclass(frozen=True, kw_only=True)
class Line:
    """An unfolded line; `number` is that of its first part, `name` is in upper case."""

    number: int
    name: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Block:
    """The lines of one event, from its BEGIN to its END."""

    lines: list[Line] = field(default_factory=list)

    @property
    def called(self) -> str:
        """A label of the event, from its summary."""
        summary = next((line.value for line in self.lines if line.name == "SUMMARY"), "")
        return f"the event {summary.strip()!r:.60}" if summary.strip() else "an event without a summary"

    @property
    def duration(self) -> str:
        """The event's DURATION as written, not that of an alarm in it; empty if it has none."""
        depth = 0
        for line in self.lines:
            depth += {"BEGIN": 1, "END": -1}.get(line.name, 0)
            if depth == 1 and line.name == "DURATION":
                return line.value
        return ""

    def line_of(self, name: str) -> int:
        """The number of the line with a property of the event; that of the event's first line if it lacks the property."""
        return next((line.number for line in self.lines if line.name == name), self.lines[0].number)


def is_ics(text: str) -> bool:
    """Whether a text starts like an iCalendar file."""
    return text.lstrip()[:15].upper() == "BEGIN:VCALENDAR"


def events_of(text: str) -> list[Block]:
    """The lines of each event, in order.

    Raises an ExceptionGroup of CalendarFileErrors for malformed lines, unclosed components, or another file format.
    """
    faults: list[CalendarFileError] = []
    if not is_ics(text):
        message = "not an iCalendar file: it does not start with BEGIN:VCALENDAR"
        hint = "check that the file was downloaded completely, and is the .ics file rather than a web page"
        raise unreadable(CalendarFileError(message=message, line=1, hint=hint))
    lines = list(_lines(text, faults))
    blocks = [] if faults else _blocks(lines, faults)
    if faults:
        raise unreadable(*faults[:_MOST_FAULTS])
    return blocks


def _lines(text: str, faults: list[CalendarFileError]) -> Iterator[Line]:
    folded: list[tuple[int, list[str]]] = []
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        if line[:1] in {" ", "\t"} and folded and folded[-1][1][0]:
            folded[-1][1].append(line[1:])
        else:
            folded.append((number, [line]))
    for number, parts in folded:
        whole = "".join(parts)
        found = _LINE.fullmatch(whole)
        if found:
            yield Line(number=number, name=found[1].upper(), value=found[3].strip())
        elif whole.strip():
            message = f"{whole.strip()!r:.60} is not a line of an iCalendar file"
            hint = "write NAME:VALUE; a continuation line starts with a space"
            faults.append(CalendarFileError(message=message, line=number, hint=hint))


def _blocks(lines: Sequence[Line], faults: list[CalendarFileError]) -> list[Block]:
    blocks: list[Block] = []
    open_parts: list[Line] = []
    for line in lines:
        if line.name == "BEGIN":
            open_parts.append(line)
            if len(open_parts) > _DEEPEST:
                message = f"BEGIN:{line.value:.60} is the {len(open_parts)}th component within another; {_DEEPEST} is the most"
                hint = "put calendars beside each other, each with its own events, and not into each other"
                faults.append(CalendarFileError(message=message, line=line.number, hint=hint))
                return blocks
            if line.value.upper() == "VEVENT":
                blocks.append(Block())
        if any(part.value.upper() == "VEVENT" for part in open_parts):
            blocks[-1].lines.append(line)
        if line.name == "END":
            if not open_parts or open_parts[-1].value.upper() != line.value.upper():
                faults.append(_unmatched(line, open_parts[-1] if open_parts else None))
                return blocks
            open_parts.pop()
    if open_parts:
        last = open_parts[-1]
        message = f"BEGIN:{last.value} has no END:{last.value}; the file ends before it"
        hint = "check that the file was downloaded completely"
        faults.append(CalendarFileError(message=message, line=last.number, hint=hint))
    return blocks


def _unmatched(end: Line, begin: Line | None) -> CalendarFileError:
    """The error of an END that does not end the component begun last."""
    ended = "nothing is open" if begin is None else f"the open component is BEGIN:{begin.value} of line {begin.number}"
    hint = "remove this line" if begin is None else f"write END:{begin.value} first"
    return CalendarFileError(message=f"END:{end.value} has no BEGIN: {ended}", line=end.number, hint=hint)
