"""The fixed delay: the next run starts some time after the last one has ended. There is one outstanding run at any time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.instants import SECOND, ceiling, floor
from minutehand.domain.job import Definition
from minutehand.domain.occurrence_rule import OccurrenceRule, rule_of
from minutehand.domain.planning import WATCHDOG
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.ports.bundle import Ports


def arm_next(run: Run, ports: Ports) -> None:
    """Let the job go on after the end of its outstanding run, and dispatch what is then due within the look-ahead.

    By the delay as it is now: the definition is read anew, and an edit meanwhile makes it read once more. Nothing happens when another
    run is outstanding by now, or the job is paused: what resumes it looks for the end itself.
    """
    for _ in range(_TRIES):
        definition = ports.definitions.get([run.key.job]).get(run.key.job)
        schedule = definition.revisions[-1].rule if definition else None
        if definition is None or schedule is None or not run.key.named_by_schedule:
            return
        rule = rule_of(schedule)
        if rule.schedule.delay is None or (run.skip_reason is SkipReason.SUPERSEDED and _comes_again(run, ports)):
            return
        outstanding = run.scheduled_for
        timer = ports.timers.arm(run.key.job, definition.revision, outstanding, _next(rule, run, outstanding))
        if timer is not None:
            if timer.next_at is not None and timer.next_at <= ports.clock() + ports.look_ahead:
                dispatch([timer], ports=ports, look_ahead=ports.look_ahead, dispatched=DispatchReport())
            return
        stands = ports.timers.get(run.key.job)
        if not isinstance(stands, Timer) or stands.revision == definition.revision:
            return


def _comes_again(run: Run, ports: Ports) -> bool:
    """Whether a run gave way to an edit that names the same instant anew, so that it will be opened again."""
    timer = ports.timers.get(run.key.job)
    return isinstance(timer, Timer) and timer.next_at == timer.outstanding == run.scheduled_for


def _next(rule: OccurrenceRule, ended: Run, after: datetime) -> datetime | None:
    """When the run after one that has ended starts, later than `after`; None behind the end of the window."""
    end = ended.finished_at or ended.claimed_at
    return _within(rule, max(ceiling(end + (rule.schedule.delay or SECOND)), after + SECOND))


def _within(rule: OccurrenceRule, instant: datetime) -> datetime | None:
    if rule.start_at is not None:
        instant = max(instant, rule.start_at)
    return None if rule.end_at is not None and instant > rule.end_at else instant


_TRIES = 3


def delay_of(definition: Definition) -> timedelta | None:
    """How long after the end of a run the next one starts; None where the job has no fixed delay, or is paused."""
    schedule = definition.revisions[-1].rule if definition.job.fixed_delay else None
    return rule_of(schedule).schedule.delay if schedule else None


class Outstanding(NamedTuple):
    """Where the timer of a fixed delay stands that starts anew: what is outstanding, and when to look at it."""

    outstanding: datetime | None
    next_at: datetime | None


def outstanding_after_edit(
    rule: OccurrenceRule, before: Definition | None, timer: Timer | BrokenTimer | None, *, ports: Ports, now: datetime
) -> Outstanding:
    """Where the timer of a job with a fixed delay stands after an edit that changes it, a resume, or its creation.

    A run that is under way stays the outstanding one. What has not begun, or has ended, says when the next one is, by the delay as it
    is now; it is always later than `now`, from which on the new revision governs.
    """
    delay = rule.schedule.delay or SECOND
    if before is None or before.deleted or not isinstance(timer, Timer) or timer.outstanding is None:
        first = _within(rule, floor(now) + delay)
        return Outstanding(first, first)
    key = RunKey.scheduled(timer.job, timer.outstanding)
    run = ports.runs.get([key]).get(key)
    ahead = run is not None and run.state is RunState.QUEUED and run.scheduled_for > now
    if run is not None and not run.state.finished and not ahead:
        return Outstanding(timer.outstanding, floor(now) + WATCHDOG)
    if run is not None and run.state.finished and run.skip_reason is not SkipReason.SUPERSEDED:
        following = _next(rule, run, now)
    else:
        # The end that it was counted from has been: an instant that a pause or a window had put off may come sooner now.
        counted_from = min(timer.outstanding - _delay_of(timer, delay), floor(now) + SECOND)
        following = _within(rule, max(counted_from + delay, floor(now) + SECOND))
    return Outstanding(following or timer.outstanding, following)


def _delay_of(timer: Timer, otherwise: timedelta) -> timedelta:
    """The delay by which a timer's outstanding instant was found; a paused one keeps none."""
    if not timer.rule:
        return otherwise
    return rule_of(timer.rule).schedule.delay or otherwise
