"""Outlook: when a job runs next, or why it does not."""

from __future__ import annotations

from datetime import datetime

from minutehand.domain.instants import to_text
from minutehand.domain.job import Definition
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.schedule import Schedule


def next_run_at(definition: Definition, *, now: datetime) -> datetime | None:
    """The first instant after `now` that the newest revision names."""
    schedule = definition.revisions[-1].schedule
    return Schedule.decode(schedule).next(now) if schedule else None


def idle_because(definition: Definition, *, now: datetime, timer: Timer | BrokenTimer | None = None) -> str | None:
    """Why the job has no next run, in words; None when it has one. With `timer`, also whether that can be read."""
    if isinstance(timer, BrokenTimer):
        return f"its timer cannot be read ({timer.problem}); save the job again to make a new one"
    if definition.job.paused:
        return f"paused (last changed by {definition.updated_by} at {to_text(definition.updated_at)}); resume it to let it run"
    if next_run_at(definition, now=now) is None:
        return f"the schedule {definition.job.schedule!r} names no instant after {to_text(now)}"
    return None
