"""A table of a job's coming runs in local time and UTC, with blocked and skipped ones in between."""

from collections.abc import Sequence
from datetime import datetime

from minutehand.cli.schedules.parsing import head
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc, local, parse_instant, wall
from minutehand.client import Applied, BlockedRuns, ComingRun, NextRuns, Preview

_A_DAY = len("Fri 2026-11-20")
MOST_BLOCKED_RANGES = 20
"""The API's limit of blocked ranges."""


def show_next(screen: Screen, found: NextRuns) -> None:
    """Print a job's coming runs."""
    _show(screen, found, found.get("description"), found.get("timezone"), found.get("dialect"))


def show_preview(screen: Screen, applied: Applied) -> None:
    """Print the coming runs of a dry run."""
    if "preview" in applied:
        screen.line("")
        status = applied["job"]["status"]
        _show(screen, applied["preview"], status.get("description"), status.get("timezone"), status.get("dialect"))


def _show(
    screen: Screen, coming: NextRuns | Preview, description: str | None, timezone: str | None, dialect: str | None
) -> None:
    """Print the schedule's description and the table, if it has rows."""
    timezone = timezone or "UTC"
    if description:
        screen.line(head(description, timezone, dialect))
    rows = _rows(coming, timezone)
    if not rows:
        return
    late = any(run["starts_at"] != run["at"] for run in coming["items"])
    columns = [f"local ({timezone})", "UTC", "starts (UTC)", "note"]
    shown = [True, True, late, any(row[3] for row in rows)]
    screen.line("")
    screen.table(
        [column for column, wanted in zip(columns, shown, strict=True) if wanted],
        [[cell for cell, wanted in zip(row, shown, strict=True) if wanted] for row in rows],
    )
    if len(coming["blocked"]) == MOST_BLOCKED_RANGES:
        screen.note(f"only the first {MOST_BLOCKED_RANGES} blocked ranges are shown")


def _rows(coming: NextRuns | Preview, timezone: str) -> Sequence[Sequence[str]]:
    rows = [
        (run["at"], 2, [wall(run["local"]), in_utc(run["at"]), in_utc(run["starts_at"]), _note(run, timezone)])
        for run in coming["items"]
    ]
    rows += [(each["at"], 1, [wall(each["local"]), "-", "-", _blocked(each, timezone)]) for each in coming["blocked"]]
    rows += [
        (each["at"], 0, [_skipped_local(each["at"], each["local"], each["timezone"], timezone), "-", "-", each["note"]])
        for each in coming["skipped"]
    ]
    return [cells for _, _, cells in sorted(rows, key=lambda row: row[:2])]


def _note(run: ComingRun, timezone: str) -> str:
    moved_from, moved = run.get("moved_from"), ""
    if moved_from:
        moved = f"moved from {_local(moved_from, timezone)[:_A_DAY]}"  # the time of day stays
    return "; ".join(text for text in (moved, run["note"]) if text)


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


def _skipped_local(at: str, local_time: str, its_timezone: str, timezone: str) -> str:
    """The skipped local time; if it is of another zone, the instant in the shown zone."""
    return wall(local_time) if its_timezone == timezone else _local(at, timezone)


def _local(text: str, timezone: str) -> str:
    try:
        instant: datetime = parse_instant(text)
    except ValueError:
        return text
    return local(instant, timezone)
