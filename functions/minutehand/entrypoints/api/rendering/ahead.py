"""Rendering what lies ahead of a job, what an edit changes of it, and what may surprise its author."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

from minutehand.domain.instants import SECOND, to_text
from minutehand.domain.job import Job
from minutehand.domain.occurrence_rule import compiled
from minutehand.entrypoints.api.problems import field_document, schedule_problem
from minutehand.entrypoints.api.rendering.job import schedule_document
from minutehand.schedule import wall_clock
from minutehand.schedule.difference import Difference
from minutehand.usecases.definitions.preview import Ahead, Edit


def ahead_document(ahead: Ahead) -> dict[str, Any]:
    """A job's coming runs, or why there are none, with what its schedule means."""
    schedule = ahead.rule.schedule if ahead.rule else None
    return schedule_document(schedule) | _coming(ahead) | {"idle_because": ahead.idle_because}


def edit_document(edit: Edit) -> dict[str, Any]:
    """What a dry run answers as `preview`."""
    return _coming(edit.ahead) | {"diff": _diff(edit.difference, edit.start) if edit.difference else None}


def warning_documents(job: Job, *, now: datetime, timezone: str | None) -> list[dict[str, Any]]:
    """The warnings about a job's schedule, formed as errors are. timezone: the one that the document names, if it does."""
    alone = 0 if isinstance(job.schedule, tuple) else None
    return [
        field_document(schedule_problem(warning._replace(part=alone if warning.part is None else warning.part)))
        for warning in compiled(job).schedule.warnings(now, timezone=timezone)
    ]


def _coming(ahead: Ahead) -> dict[str, Any]:
    local = _clock(ahead.rule.schedule.timezone if ahead.rule else "UTC")
    said = {note.at: note.text for note in ahead.notes if note.skipped is None}
    return {
        "items": [
            {
                "at": to_text(each.at),
                "local": local(each.at),
                "starts_at": to_text(each.starts_at),
                "moved": each.moved_from is not None,
                "moved_from": to_text(each.moved_from) if each.moved_from else None,
                "note": said.get(each.at),
            }
            for each in ahead.occurrences
        ],
        "blocked": [
            {
                "at": to_text(blocked_range.first),
                "local": local(blocked_range.first),
                "until": to_text(blocked_range.until),
                "times": blocked_range.times,
                "calendar": blocked_range.calendar,
                "moved_to": to_text(blocked_range.moved_to) if blocked_range.moved_to else None,
            }
            for blocked_range in ahead.blocked
        ],
        "skipped": [
            {
                "at": to_text(note.at),
                "local": note.skipped.isoformat(),
                "timezone": note.timezone,
                "times": note.times,
                "note": note.text,
            }
            for note in ahead.notes
            if note.skipped is not None
        ],
    }


def _clock(zone: str) -> Callable[[datetime], str]:
    """What the clocks of a zone show, with their offset: `2026-11-20T18:00:00+09:00`."""
    clock = wall_clock(zone)

    def local(instant: datetime) -> str:
        offset = (clock.local(instant) - instant.replace(tzinfo=None)) // SECOND
        return instant.astimezone(timezone(timedelta(seconds=offset))).isoformat()

    return local


def _diff(found: Difference, start: datetime) -> dict[str, Any]:
    days = (found.until - start) / timedelta(days=1)
    return {
        "from": to_text(start),
        "until": to_text(found.until),
        "added_per_day": round(found.added / days, 2),
        "removed_per_day": round(found.removed / days, 2),
        "kept_per_day": round(found.kept / days, 2),
    }
