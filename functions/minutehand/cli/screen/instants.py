"""Tables of instants in local time and UTC: of a schedule evaluated on this machine, and of a job's next runs from the API."""

from collections.abc import Sequence
from datetime import datetime
from itertools import compress
from typing import Any

from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.schedules import head, head_line, print_warnings, shape, warnings_of
from minutehand.cli.screen.times import in_utc, local, local_rfc3339, parse_instant, rfc3339, wall
from minutehand.client import BlockedRuns, ComingRun, JobStatus, NextRuns, Preview
from minutehand.schedule import Schedule
from minutehand.schedule.clock_notes import clock_notes

_A_DAY = len("Fri 2026-11-20")
MOST_BLOCKED_RANGES = 20
"""Maximum number of blocked ranges in an answer of the API."""


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

    timezone: the time zone given as an option, not in the text; None if not given. more: further JSON fields.
    """
    notes = clock_notes(schedule, start, end, instants)
    notes_at = {note.at: note.text for note in notes if note.skipped is None}
    zone = schedule.timezone
    if screen.as_json:
        found = {
            "next": [rfc3339(instant) for instant in instants],
            "instants": [
                {"local": local_rfc3339(at, zone), "utc": rfc3339(at), "note": notes_at.get(at)} for at in instants
            ],
            "skipped": [
                {"local": note.skipped.isoformat(), "timezone": note.timezone, "times": note.times, "note": note.text}
                for note in notes
                if note.skipped is not None
            ],
        }
        screen.data(shape(schedule) | found | more | {"warnings": warnings_of(schedule, start, timezone)})
        return
    screen.line(head_line(schedule))
    rows = [(at, 1, [local(at, zone), f"{at:%Y-%m-%d %H:%M:%S}", notes_at.get(at, "")]) for at in instants]
    for note in notes:
        if note.skipped is not None:
            # A skipped local time of another time zone would mislead, so its instant is shown in the table's time zone.
            shown = f"{note.skipped:%a %Y-%m-%d %H:%M:%S}" if note.timezone == zone else local(note.at, zone)
            rows.append((note.at, 0, [shown, "-", note.text]))
    _print_rows(screen, [f"local ({zone})", "UTC", "note"], [True, True, bool(notes)], rows)
    print_warnings(screen, schedule, start, timezone)
    if schedule.manual:
        screen.note("the schedule has no instants")
    elif schedule.delay is not None:
        screen.note("each instant is counted from the one before, as if runs took no time")


def show_coming(screen: Screen, coming: NextRuns | Preview, described: NextRuns | JobStatus) -> None:
    """Print a job's description and its coming runs, with blocked and skipped ones in between."""
    timezone, description = described.get("timezone") or "UTC", described.get("description")
    if description:
        screen.line(head(description, timezone, described.get("dialect")))
    rows = [
        (run["at"], 2, [wall(run["local"]), in_utc(run["at"]), in_utc(run["starts_at"]), _note(run, timezone)])
        for run in coming["items"]
    ]
    rows += [(each["at"], 1, [wall(each["local"]), "-", "-", _blocked(each, timezone)]) for each in coming["blocked"]]
    for each in coming["skipped"]:
        # A skipped local time of another time zone would mislead, so its instant is shown in the table's time zone.
        shown = wall(each["local"]) if each["timezone"] == timezone else _local(each["at"], timezone)
        rows.append((each["at"], 0, [shown, "-", "-", each["note"]]))
    late = any(run["starts_at"] != run["at"] for run in coming["items"])
    wanted = [True, True, late, any(cells[3] for _, _, cells in rows)]
    _print_rows(screen, [f"local ({timezone})", "UTC", "starts (UTC)", "note"], wanted, rows)
    if coming.get("cut"):
        last = coming["items"][-1]["at"]
        screen.note(f"cut after {last}: calendars block or move so many occurrences that finding more takes too long")
    if any(run.get("estimated") for run in coming["items"]):
        screen.note(
            "an estimate assumes that the runs before it take no time: the delay counts from the end of each run"
        )
    if len(coming["blocked"]) == MOST_BLOCKED_RANGES:
        screen.note(f"only the first {MOST_BLOCKED_RANGES} blocked ranges are shown")


def _print_rows(
    screen: Screen, columns: Sequence[str], wanted: Sequence[bool], rows: Sequence[tuple[Any, int, Sequence[str]]]
) -> None:
    """Print the wanted columns. A row has its instant, its rank among the rows of the same instant, and its cells."""
    if rows:
        cells = [row[2] for row in sorted(rows, key=lambda row: row[:2])]
        screen.line("")
        screen.table(list(compress(columns, wanted)), [list(compress(row, wanted)) for row in cells])


def _note(run: ComingRun, timezone: str) -> str:
    moved_from, moved = run.get("moved_from"), ""
    if moved_from:
        moved = f"moved from {_local(moved_from, timezone)[:_A_DAY]}"  # only the day: a move keeps the time of day
    estimated = "estimate" if run.get("estimated") else ""
    return "; ".join(text for text in (moved, estimated, run["note"]) if text)


def _blocked(blocked_range: BlockedRuns, timezone: str) -> str:
    times = blocked_range["times"]
    text = f"blocked by the calendar {blocked_range['calendar']}"
    if times != 1:
        counted = f"{times} times" if times else "more than 1,000 times"
        text += f", {counted} until {_local(blocked_range['until'], timezone)}"
    if blocked_range["moved_to"]:
        which = "runs" if times == 1 else "the first runs"
        text += f"; {which} on {_local(blocked_range['moved_to'], timezone)} instead"
    return text


def _local(text: str, timezone: str) -> str:
    try:
        return local(parse_instant(text), timezone)
    except ValueError:
        return text
