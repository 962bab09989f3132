"""Fixed delay: each run starts some time after the last one has ended. At any time one run of a job is outstanding: yet to end."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict
from minutehand.domain.instants import SECOND, ceiling, floor
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.planning import WATCHDOG
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict


def arm_next(run: Run, ports: Ports) -> None:
    """Set a job's timer to the run that follows an ended one, and dispatch that run if it is due within the look-ahead.

    The newest definition gives the delay; it is read again when an edit comes in between. Nothing changes when another run is
    outstanding by now, or when the job is paused: a later resume reads when the run ended.
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
                return None  # the edit has an occurrence at the same instant: its claim will reopen the run
        new = next_start(rule, run, run.scheduled_for)
        armed = ports.timers.arm(run.key.job, definition.revision, run.scheduled_for, new)
        if armed is not None:
            if armed.next_at is not None and armed.next_at <= ports.clock() + ports.look_ahead:
                dispatch([armed], ports=ports, look_ahead=ports.look_ahead, report=DispatchReport())
            return None
        current = ports.timers.get(run.key.job)
        edited = isinstance(current, Timer) and current.revision != definition.revision
        return CONTENDED if edited else None

    with suppress(Conflict):  # ten minutes after the run's start, its timer is due and finds the end
        retry_on_conflict(update, f"the timer of {run.key.job}")


def next_start(rule: OccurrenceRule, ended: Run, after: datetime) -> datetime | None:
    """Start of the run that follows an ended one, later than `after`; None if that is later than the job's `end_at`."""
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
    """Where a saved job's timer starts. `outstanding` is the instant of a fixed delay's run that has yet to end."""

    next_at: datetime | None
    offset: timedelta | None = None
    outstanding: datetime | None = None


def start_after_edit(
    rule: OccurrenceRule, before: Definition | None, timer: Timer | BrokenTimer | None, *, ports: Ports, now: datetime
) -> TimerStart:
    """Where the timer of a fixed delay starts after an edit that changes it, a resume, or its creation.

    A run that has begun stays the outstanding one. Otherwise the next start is the end of the last run plus the new delay. It is
    always later than `now`, since that is when the new revision takes effect.
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
        # The outstanding run has not begun. Its start minus the old delay is taken as the end of the run before it, which is not
        # later than now. So a start that a pause or a window had put off may become earlier.
        old_delay = rule_of(timer.rule).schedule.delay if timer.rule else None  # a paused job's timer has none
        counted_from = min(timer.outstanding - (old_delay or delay), floor(now) + SECOND)
        following = _within_window(rule, max(counted_from + delay, floor(now) + SECOND))
    return TimerStart(following, outstanding=following or timer.outstanding)
