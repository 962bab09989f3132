"""The fixed delay: the next run starts some time after the last one has ended. There is one outstanding run at any time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.agenda import Agenda, agenda_of
from minutehand.domain.instants import SECOND, ceiling, floor
from minutehand.domain.job import Definition
from minutehand.domain.planning import WATCHDOG
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.tally import Tally
from minutehand.usecases.ports.world import World


def arm_next(run: Run, world: World) -> None:
    """Let the job go on after the end of its outstanding run, and dispatch what is then due within the look-ahead.

    By the delay as it is now: the definition is read anew, and an edit meanwhile makes it read once more. Nothing happens when another
    run is outstanding by now, or the job is paused: what resumes it looks for the end itself.
    """
    for _ in range(_TRIES):
        definition = world.definitions.get([run.key.job]).get(run.key.job)
        schedule = definition.revisions[-1].schedule if definition else None
        if definition is None or schedule is None or not run.key.named_by_schedule:
            return
        agenda = agenda_of(schedule)
        if agenda.schedule.delay is None or (run.skip_reason is SkipReason.SUPERSEDED and _comes_again(run, world)):
            return
        occ = run.scheduled_for
        timer = world.timers.arm(run.key.job, definition.revision, occ, _next(agenda, run, occ))
        if timer is not None:
            if timer.next_at is not None and timer.next_at <= world.clock() + world.look_ahead:
                dispatch([timer], world=world, look_ahead=world.look_ahead, tally=Tally())
            return
        stands = world.timers.get(run.key.job)
        if not isinstance(stands, Timer) or stands.revision == definition.revision:
            return


def _comes_again(run: Run, world: World) -> bool:
    """Whether a run gave way to an edit that names the same instant anew, so that it will be opened again."""
    timer = world.timers.get(run.key.job)
    return isinstance(timer, Timer) and timer.next_at == timer.occ == run.scheduled_for


def _next(agenda: Agenda, ended: Run, after: datetime) -> datetime | None:
    """When the run after one that has ended starts, later than `after`; None behind the end of the window."""
    end = ended.finished_at or ended.claimed_at
    return _within(agenda, max(ceiling(end + (agenda.schedule.delay or SECOND)), after + SECOND))


def _within(agenda: Agenda, instant: datetime) -> datetime | None:
    if agenda.start_at is not None:
        instant = max(instant, agenda.start_at)
    return None if agenda.end_at is not None and instant > agenda.end_at else instant


_TRIES = 3


def delay_of(definition: Definition) -> timedelta | None:
    """How long after the end of a run the next one starts; None where the job has no fixed delay, or is paused."""
    schedule = definition.revisions[-1].schedule if definition.job.fixed_delay else None
    return agenda_of(schedule).schedule.delay if schedule else None


class Outstanding(NamedTuple):
    """Where the timer of a fixed delay stands that starts anew: what is outstanding, and when to look at it."""

    occ: datetime | None
    next_at: datetime | None


def outstanding(
    agenda: Agenda, before: Definition | None, timer: Timer | BrokenTimer | None, *, world: World, now: datetime
) -> Outstanding:
    """Where the timer of a job with a fixed delay stands after an edit that changes it, a resume, or its creation.

    A run that is under way stays the outstanding one. What has not begun, or has ended, says when the next one is, by the delay as it
    is now; it is always later than `now`, from which on the new revision governs.
    """
    delay = agenda.schedule.delay or SECOND
    if before is None or before.deleted or not isinstance(timer, Timer) or timer.occ is None:
        first = _within(agenda, floor(now) + delay)
        return Outstanding(first, first)
    key = RunKey.scheduled(timer.job, timer.occ)
    run = world.runs.get([key]).get(key)
    ahead = run is not None and run.state is RunState.QUEUED and run.scheduled_for > now
    if run is not None and not run.state.finished and not ahead:
        return Outstanding(timer.occ, floor(now) + WATCHDOG)
    if run is not None and run.state.finished and run.skip_reason is not SkipReason.SUPERSEDED:
        following = _next(agenda, run, now)
    else:
        # The end that it was counted from has been: an instant that a pause or a window had put off may come sooner now.
        counted_from = min(timer.occ - _delay_of(timer, delay), floor(now) + SECOND)
        following = _within(agenda, max(counted_from + delay, floor(now) + SECOND))
    return Outstanding(following or timer.occ, following)


def _delay_of(timer: Timer, otherwise: timedelta) -> timedelta:
    """The delay by which a timer's outstanding instant was found; a paused one keeps none."""
    if not timer.schedule:
        return otherwise
    return agenda_of(timer.schedule).schedule.delay or otherwise
