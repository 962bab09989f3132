"""Planning: from a timer and the time to the occurrences to claim. Pure, and all that a tick thinks."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import CatchUp, JobKey
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule

MOST_AT_ONCE = 150
"""Occurrences of one job planned in one go; the rest stays due and is planned next."""


class SkippedRange(NamedTuple):
    """Occurrences in [first, until) that do not run, and the policy that says so."""

    job: JobKey
    first: datetime
    until: datetime
    policy: str


class Plan(NamedTuple):
    """What is to be done about one timer.

    Attributes:
        skipped: written first, with the move of `next_at` to `stands_at`; None when nothing is skipped.
        stands_at: where the timer stands then; None when the schedule is at its end.
        occurrences: to claim, in order.
        next_at: where the timer goes once all of them are claimed and sent; None when the schedule is at its end.
    """

    timer: Timer
    skipped: SkippedRange | None
    stands_at: datetime | None
    occurrences: tuple[datetime, ...]
    next_at: datetime | None


def plan(timer: Timer, *, now: datetime, until: datetime) -> Plan:
    """The plan for a timer that is due by `until` (now + look-ahead).

    Raises:
        ValueError: when the timer has no `next_at` or its schedule cannot be read.
    """
    if timer.next_at is None:
        raise ValueError(f"{timer.job} is paused or finished; it has nothing to plan")
    now = floor(now)
    schedule = _decoded(timer.schedule)
    first = _first_to_run(schedule, timer, timer.next_at, now)
    skipped = None
    if first is None or first > timer.next_at:
        skipped = SkippedRange(
            job=timer.job, first=timer.next_at, until=first or now, policy=f"catch_up={timer.catch_up.value}"
        )
    if first is None:
        return Plan(timer=timer, skipped=skipped, stands_at=None, occurrences=(), next_at=None)
    # The timer may stand at an instant that the schedule does not name: one that was set aside does.
    named = schedule.between(first - SECOND, until, MOST_AT_ONCE + 1)
    next_at = named.pop() if len(named) > MOST_AT_ONCE else schedule.next(named[-1] if named else first - SECOND)
    return Plan(timer=timer, skipped=skipped, stands_at=first, occurrences=tuple(named), next_at=next_at)


@lru_cache(maxsize=4096)
def _decoded(schedule: str) -> Schedule:
    """A warm tick meets the same schedules every minute."""
    return Schedule.decode(schedule)


def _first_to_run(schedule: Schedule, timer: Timer, first: datetime, now: datetime) -> datetime | None:
    """The first occurrence from `first` on that is to run: misfired ones only as `catch_up` allows."""
    on_time = now - timer.misfire_grace
    if first >= on_time:
        return first
    oldest = min(now - timer.catchup_window, on_time)
    if timer.catch_up is CatchUp.ALL:
        return first if first >= oldest else schedule.next(oldest - SECOND)
    if timer.catch_up is CatchUp.LATEST:
        latest = _last_before(schedule, on_time, not_before=max(first, oldest))
        if latest is not None:
            return latest
    return schedule.next(on_time - SECOND)


def _last_before(schedule: Schedule, end: datetime, *, not_before: datetime) -> datetime | None:
    """The last occurrence in [not_before, end), found by looking back over ever longer stretches."""
    stretch = timedelta(minutes=5)
    while True:
        start = max(end - stretch, not_before)
        found = schedule.between(start - SECOND, end - SECOND, MOST_AT_ONCE)
        while len(found) == MOST_AT_ONCE:
            more = schedule.between(found[-1], end - SECOND, MOST_AT_ONCE)
            if not more:
                break
            found = more
        if found:
            return found[-1]
        if start <= not_before:
            return None
        stretch *= 4
