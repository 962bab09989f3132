"""Fixed delay: the next run starts some time after the last one has ended. A job has one outstanding run at any time."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict
from minutehand.domain.instants import SECOND, ceiling, floor
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.planning import WATCHDOG
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict


def arm_next(run: Run, ports: Ports) -> None:
    """Set the timer to the run after one that has ended, and dispatch that if it is due within the look-ahead.

    The newest definition gives the delay; it is read again when an edit comes in between. Nothing happens when another run is
    outstanding by now, or when the job is paused: resuming the job looks for the end itself.
    """

    def update() -> Contended[None] | None:
        definition = ports.definitions.get([run.key.job]).get(run.key.job)
        encoded = definition.revisions[-1].rule if definition else None
        if definition is None or encoded is None or not run.key.named_by_schedule:
            return None
        rule = rule_of(encoded)
        if rule.schedule.delay is None:
            return None
        if run.skip_reason is SkipReason.SUPERSEDED:
            timer = ports.timers.get(run.key.job)
            if isinstance(timer, Timer) and timer.next_at == timer.outstanding == run.scheduled_for:
                return None  # the edit that superseded the run names the same instant, so that the run will be reopened
        new = next_start(rule, run, run.scheduled_for)
        armed = ports.timers.arm(run.key.job, definition.revision, run.scheduled_for, new)
        if armed is not None:
            if armed.next_at is not None and armed.next_at <= ports.clock() + ports.look_ahead:
                dispatch([armed], ports=ports, look_ahead=ports.look_ahead, report=DispatchReport())
            return None
        current = ports.timers.get(run.key.job)
        edited = isinstance(current, Timer) and current.revision != definition.revision
        return CONTENDED if edited else None

    with suppress(Conflict):  # the timer's own watchdog finds the end
        retry_on_conflict(update, f"the timer of {run.key.job}")


def next_start(rule: OccurrenceRule, ended: Run, after: datetime) -> datetime | None:
    """Start of the run after one that has ended, later than `after`; None past the end of the job's window."""
    end = ended.finished_at or ended.claimed_at
    return _within_window(rule, max(ceiling(end + (rule.schedule.delay or SECOND)), after + SECOND))


def _within_window(rule: OccurrenceRule, instant: datetime) -> datetime | None:
    if rule.start_at is not None:
        instant = max(instant, rule.start_at)
    return None if rule.end_at is not None and instant > rule.end_at else instant


def delay_of(definition: Definition) -> timedelta | None:
    """Time from the end of a run to the start of the next; None for a job without a fixed delay, and for a paused one."""
    encoded = definition.revisions[-1].rule if definition.job.fixed_delay else None
    return rule_of(encoded).schedule.delay if encoded else None


class TimerStart(NamedTuple):
    """Where a saved job's timer starts; `outstanding` is the outstanding run of a fixed delay."""

    next_at: datetime | None
    offset: timedelta | None = None
    outstanding: datetime | None = None


def start_after_edit(
    rule: OccurrenceRule, before: Definition | None, timer: Timer | BrokenTimer | None, *, ports: Ports, now: datetime
) -> TimerStart:
    """Where the timer of a fixed delay starts after an edit that changes it, a resume, or its creation.

    A run that has begun stays the outstanding one. Otherwise the delay as it is now gives the next start, counted from the end of
    the last run; it is always later than `now`, after which the new revision governs.
    """
    delay = rule.schedule.delay or SECOND
    if before is None or before.deleted or not isinstance(timer, Timer) or timer.outstanding is None:
        first = _within_window(rule, floor(now) + delay)
        return TimerStart(first, outstanding=first)
    key = RunKey.scheduled(timer.job, timer.outstanding)
    run = ports.runs.get([key]).get(key)
    ahead = run is not None and run.state is RunState.QUEUED and run.scheduled_for > now
    if run is not None and not run.state.finished and not ahead:
        return TimerStart(floor(now) + WATCHDOG, outstanding=timer.outstanding)
    if run is not None and run.state.finished and run.skip_reason is not SkipReason.SUPERSEDED:
        following = next_start(rule, run, now)
    else:
        # The last run ended before now. A start that a pause or a window put off may come sooner than it was.
        old_delay = rule_of(timer.rule).schedule.delay if timer.rule else None  # a paused timer keeps none
        counted_from = min(timer.outstanding - (old_delay or delay), floor(now) + SECOND)
        following = _within_window(rule, max(counted_from + delay, floor(now) + SECOND))
    return TimerStart(following, outstanding=following or timer.outstanding)
