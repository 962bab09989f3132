"""Timer of a saved job: it keeps its place when the occurrence rule stays the same, and otherwise starts anew."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_filter import unblocked
from minutehand.domain.definition import Definition
from minutehand.domain.dependencies import parents_of
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.packing import is_packed
from minutehand.domain.timer import BrokenTimer, Recheck, Timer
from minutehand.usecases.dispatching.due_plans import LONGEST_DISPATCH, recheck
from minutehand.usecases.dispatching.fixed_delay import TimerStart, start_after_edit
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.job_change import Change

_STARTED_LATELY = timedelta(hours=1)
"""How far back, besides a join window, the runs of a job that gives up a parent are rechecked: that parent may have started
some."""


def is_timer_of(timer: Timer | BrokenTimer | None, definition: Definition) -> bool:
    """Whether a timer can be read and has the definition's occurrence rule. If not, saving the job again replaces the timer."""
    return isinstance(timer, Timer) and timer.rule == (definition.revisions[-1].rule or "")


def keeps_timer(timer: Timer | BrokenTimer | None, after: Definition) -> bool:
    """Whether the new revision has the timer's occurrence rule. The timer then keeps its place, and nothing is dispatched first."""
    return not after.deleted and is_timer_of(timer, after)


def with_timer(
    before: Definition | None,
    after: Definition,
    timer: Timer | BrokenTimer | None,
    *,
    ports: Ports,
    calendars: Mapping[CalendarKey, Calendar],
    now: datetime,
) -> Change:
    """What a save changes, with the job's new timer. When the occurrence rule is the same, `next_at` is that of the old timer.

    Only here is decided whether the timer is packed.
    """
    owed = _recheck_owed(before, after, timer, ports, now)
    change = Change(before=before, after=after, timer_before=timer, timer_after=None, recheck=owed)
    if after.deleted:
        return change
    start = _start_of(before, after, timer, ports=ports, calendars=calendars, now=now)
    runs_left = runs_left_of(before, after, timer, keeps=keeps_timer(timer, after), ports=ports, now=now)
    used_up = runs_left is not None and runs_left <= 0
    job = after.job
    kept = timer if isinstance(timer, Timer) and keeps_timer(timer, after) else None
    next_at, rule = None if used_up else start.next_at, after.revisions[-1].rule or ""
    new = Timer(
        job=job.key,
        revision=after.revision,
        next_at=next_at,
        rule=rule,
        target=job.target.type,
        misfire_grace=job.misfire_grace,
        catch_up=job.catch_up,
        catchup_window=job.catchup_window,
        retention=job.retention,
        offset=start.offset,
        runs_left=runs_left,
        max_catch_up=job.max_catch_up,
        outstanding=start.outstanding,
        slow=isinstance(timer, Timer) and timer.slow and before is not None and before.slow_until == after.slow_until,
        ahead_from=kept.ahead_from if kept else None,
        ahead_until=kept.ahead_until if kept else None,
        packed=is_packed(rule, next_at),
        unknown=timer.unknown if isinstance(timer, Timer) else {},
    )
    return change._replace(timer_after=new)


def _recheck_owed(
    before: Definition | None, after: Definition, timer: Timer | BrokenTimer | None, ports: Ports, now: datetime
) -> Recheck | None:
    """The recheck (it sends queued runs again) of a change that moves the timer or removes a parent; None for any other."""
    orphaned = before is not None and bool(parents_of(before) - parents_of(after))
    if timer is None or (keeps_timer(timer, after) and not orphaned):
        return None
    since = now
    if before is not None and orphaned:
        # The follow-up of a removed parent's run no longer checks that the run which it started was sent.
        since = now - (before.job.join_window or timedelta(0)) - _STARTED_LATELY
    return recheck(after.job.key, now=now, after=since, until=now + ports.look_ahead + LONGEST_DISPATCH)


def _start_of(
    before: Definition | None,
    after: Definition,
    timer: Timer | BrokenTimer | None,
    *,
    ports: Ports,
    calendars: Mapping[CalendarKey, Calendar],
    now: datetime,
) -> TimerStart:
    """Where a job's timer starts: at its present place if the occurrence rule stays the same, else at the first instant after
    `now`."""
    job, encoded = after.job, after.revisions[-1].rule
    outstanding = timer.outstanding if isinstance(timer, Timer) and job.fixed_delay else None
    if isinstance(timer, Timer) and keeps_timer(timer, after):
        return TimerStart(timer.next_at, timer.offset, outstanding)
    if not encoded:
        return TimerStart(None, None, outstanding)
    rule = rule_of(encoded)
    if job.fixed_delay:
        return start_after_edit(rule, before, timer, ports=ports, now=now)
    next_at = unblocked(rule, job.key.namespace, calendars).next_mark(now) if rule.calendars else rule.next(now)
    return TimerStart(next_at, rule.schedule.offset_at(next_at) if next_at else None, outstanding)


def runs_left_of(
    before: Definition | None,
    after: Definition,
    timer: Timer | BrokenTimer | None,
    *,
    keeps: bool,
    ports: Ports,
    now: datetime,
) -> int | None:
    """How many runs `max_runs` still allows; None without it. Runs dispatched under an earlier `max_runs` are subtracted.

    Runs already claimed for instants after `now` are not subtracted when the timer starts anew, since it counts them again.
    """
    most = after.job.max_runs
    if most is None:
        return None
    if before is None or before.deleted or before.job.max_runs is None or not isinstance(timer, Timer):
        return most
    used = before.job.max_runs - (before.job.max_runs if timer.runs_left is None else timer.runs_left)
    if not keeps:
        counted = before.sharing_timer(before.revisions[-1])
        ahead = ports.runs.between(after.job.key, now, now + ports.look_ahead + LONGEST_DISPATCH)
        used -= sum(run.key.named_by_schedule and run.revision in counted and not run.never_began for run in ahead)
    return most - used
