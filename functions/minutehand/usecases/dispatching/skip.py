"""Skipped ranges: move a timer past occurrences that do not run, and record why."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from minutehand.domain.instants import SECOND
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.timer import BrokenTimer, Recheck, SkipCause, SkippedRange, SkipPolicy, Timer
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Move

LONGEST_DISPATCH = timedelta(seconds=90)
"""Upper bound of the life of a process that dispatches (a tick has 60 s, the API 30 s), clock differences included."""
SET_ASIDE = timedelta(minutes=10)
"""Time that a timer which cannot be read is pushed forward before it is tried again."""
_MOST_CHARACTERS = 500
_UNKNOWN_SINCE = datetime(1970, 1, 1, tzinfo=UTC)


def recheck(job: JobKey, *, now: datetime, after: datetime, until: datetime) -> Recheck:
    """The recheck that every move of a timer past (after, until] leaves: another process may be claiming runs in there at this moment."""
    return Recheck(job=job, after=after, until=until, next_at=now + LONGEST_DISPATCH)


def skip(skipped: SkippedRange, move: Move, ports: Ports, now: datetime) -> bool:
    """Record a skipped range and move its timer past it; False when the timer has moved meanwhile."""
    owed = recheck(move.job, now=now, after=skipped.first - SECOND, until=skipped.until)
    return ports.timers.skip(skipped, move, owed)


def give_up_backlog(timer: Timer | BrokenTimer, *, ports: Ports, now: datetime, reason: str) -> None:
    """Record what is due by `now` and not dispatched as skipped, and move the timer past it."""
    _skip_until(timer, now + SECOND, reason, ports, now)


def set_aside(timer: Timer | BrokenTimer, problem: str, ports: Ports, now: datetime, report: DispatchReport) -> None:
    """Push a timer that cannot be planned forward by `SET_ASIDE`.

    A broken item that is not a job's own timer is only reported, and so is a timer that a later version can read: it stays due for that.
    """
    later = now + SET_ASIDE
    if isinstance(timer, BrokenTimer) and (timer.newer or not timer.own):
        report.problems.append(f"{timer.job}: {problem}")
        return
    report.problems.append(f"{timer.job}: timer set aside until {later}: {problem}")
    _skip_until(timer, later, f"timer set aside: {problem}"[:_MOST_CHARACTERS], ports, now)


def _skip_until(timer: Timer | BrokenTimer, until: datetime, reason: str, ports: Ports, now: datetime) -> None:
    if timer.next_at is None and isinstance(timer, Timer):
        return  # paused or finished: nothing is due
    first = timer.next_at or _UNKNOWN_SINCE
    skipped = SkippedRange(timer.job, first=first, until=until, policy=SkipPolicy(SkipCause.OTHER, reason))
    offset = None
    if isinstance(timer, Timer):
        with suppress(ValueError):  # its rule cannot be read
            offset = rule_of(timer.rule).schedule.offset_at(until)
    skip(skipped, Move(timer.job, timer.revision, timer.next_at, until, offset), ports, now)
