"""The instants of a schedule with the effects of clock changes, as a table or JSON."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from minutehand.cli.schedules.parsing import head_line, print_warnings, shape, warnings_of
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import local, local_rfc3339, rfc3339
from minutehand.schedule import Schedule
from minutehand.schedule.clock_notes import ClockNote, clock_notes


def show_instants(
    screen: Screen,
    schedule: Schedule,
    instants: Sequence[datetime],
    *,
    start: datetime,
    end: datetime,
    timezone: str | None,
    **more: Any,
) -> None:
    """Print the schedule, its instants with start < t <= end, skipped times between them, and its warnings as of `start`.

    timezone: the one given beside the text, if any.

    more: further JSON fields.
    """
    notes = clock_notes(schedule, start, end, instants)
    if screen.as_json:
        warnings = warnings_of(schedule, start, timezone)
        screen.data(shape(schedule) | _data(schedule, instants, notes) | more | {"warnings": warnings})
        return
    screen.line(head_line(schedule))
    rows = _rows(schedule, instants, notes)
    if rows:
        columns = [f"local ({schedule.timezone})", "UTC", "note"]
        width = 3 if notes else 2
        screen.line("")
        screen.table(columns[:width], [row[:width] for row in rows])
    print_warnings(screen, schedule, start, timezone)


def _rows(schedule: Schedule, instants: Sequence[datetime], notes: Sequence[ClockNote]) -> list[list[str]]:
    notes_at = {note.at: note.text for note in notes if note.skipped is None}
    rows = [(at, 1, [local(at, schedule.timezone), _utc(at), notes_at.get(at, "")]) for at in instants]
    rows += [
        (note.at, 0, [_skipped_local(schedule, note), "-", note.text]) for note in notes if note.skipped is not None
    ]
    return [cells for _, _, cells in sorted(rows, key=lambda row: row[:2])]


def _skipped_local(schedule: Schedule, note: ClockNote) -> str:
    """The skipped local time; if it is of another zone, the instant in the shown zone."""
    if note.skipped is None or note.timezone != schedule.timezone:
        return local(note.at, schedule.timezone)
    return f"{note.skipped:%a %Y-%m-%d %H:%M:%S}"


def _data(schedule: Schedule, instants: Sequence[datetime], notes: Sequence[ClockNote]) -> dict[str, Any]:
    notes_at = {note.at: note.text for note in notes if note.skipped is None}
    return {
        "next": [rfc3339(instant) for instant in instants],
        "instants": [
            {"local": local_rfc3339(at, schedule.timezone), "utc": rfc3339(at), "note": notes_at.get(at)}
            for at in instants
        ],
        "skipped": [
            {"local": note.skipped.isoformat(), "timezone": note.timezone, "times": note.times, "note": note.text}
            for note in notes
            if note.skipped is not None
        ],
    }


def _utc(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M:%S}"
