"""Dispatch: claim, then enqueue, then advance. Every step may be repeated, by anyone, after a crash anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from minutehand.domain.agenda import CALENDARS, agenda_of
from minutehand.domain.blocking import calendars_of
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import JobKey
from minutehand.domain.planning import Plan, SkippedRange, plan
from minutehand.domain.run import Run, RunState
from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, Timer
from minutehand.usecases.claiming import Place, claim_send_advance, message_for, place
from minutehand.usecases.counting import claim_counted
from minutehand.usecases.ports import Move
from minutehand.usecases.tally import Tally
from minutehand.usecases.world import World

LONGEST_DISPATCH = timedelta(seconds=90)
"""No process that dispatches lives longer (a tick has 60 s, the API 30 s), clocks' differences included."""
SET_ASIDE = timedelta(minutes=10)
"""How far a timer that cannot be read is pushed forward before it is looked at again."""


def dispatch(due: Sequence[Due], *, world: World, look_ahead: timedelta, tally: Tally) -> None:
    """Do what is due for these timers, up to `look_ahead` from now. Trouble with one is noted and delays no other."""
    now = floor(world.clock())
    plans: list[Plan] = []
    calendars = _calendars(due, world, tally)
    for timer in due:
        tally.timers += 1
        try:
            match timer:
                case Timer():
                    planned = _planned(timer, world, calendars, tally, now=now, until=now + look_ahead)
                    plans += [planned] if planned else []
                case BrokenTimer():
                    _set_aside(timer, world, now, tally)
                case Deadline() if timer.next_at <= now:
                    found = world.runs.get([timer.run])
                    _send_queued(timer, found.values(), world, tally)
                case Recheck() if timer.next_at <= now:
                    _send_queued(timer, world.runs.between(timer.job, timer.after, timer.until), world, tally)
                case _:
                    pass
        except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one timer must not delay another
            tally.problems.append(f"{timer}: {trouble!r}")
    counted = [planned for planned in plans if planned.timer.runs_left is not None]
    try:
        claim_send_advance([planned for planned in plans if planned.timer.runs_left is None], world, tally)
    except Unavailable as trouble:
        tally.problems.append(f"{len(plans) - len(counted)} timers: {trouble}")
    for planned in counted:
        try:
            claim_counted(planned, world, tally)
        except Unavailable as trouble:
            tally.problems.append(f"{planned.timer.job}: {trouble}")


def give_up_backlog(timer: Timer | BrokenTimer, *, world: World, now: datetime, policy: str) -> None:
    """Record what is due by `now` and not dispatched as skipped, and let the timer go on after it."""
    if timer.next_at is not None:
        rest = SkippedRange(job=timer.job, first=timer.next_at, until=now + SECOND, policy=policy)
        _skip(timer, rest, Place(now + SECOND), world, now)


def recheck(job: JobKey, *, now: datetime, after: datetime, until: datetime) -> Recheck:
    """What whoever moves a timer past (after, until] owes to runs that another process may be claiming at this moment."""
    return Recheck(job=job, after=after, until=until, next_at=now + LONGEST_DISPATCH)


def _calendars(due: Sequence[Due], world: World, tally: Tally) -> Mapping[CalendarKey, Calendar] | None:
    """The calendars that these timers name, read once for all of them; None when they could not be read."""
    named: set[CalendarKey] = set()
    for timer in due:
        # Most agendas name none, which their texts tell without being decoded.
        if isinstance(timer, Timer) and CALENDARS in timer.schedule:
            with suppress(ValueError):  # planning tells
                named.update(calendars_of(timer.job, agenda_of(timer.schedule)))
    try:
        return world.calendars.get(sorted(named)) if named else {}
    except Unavailable as trouble:
        tally.problems.append(f"calendars {', '.join(map(str, sorted(named)))}: {trouble}"[:500])
        return None


def _planned(
    timer: Timer,
    world: World,
    calendars: Mapping[CalendarKey, Calendar] | None,
    tally: Tally,
    *,
    now: datetime,
    until: datetime,
) -> Plan | None:
    """The plan, its skipped range already recorded; None when the timer is set aside or somebody else moved it."""
    if calendars is None and CALENDARS in timer.schedule:
        return None
    try:
        planned = plan(timer, now=now, until=until, calendars=calendars or {})
    except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one timer must not delay another
        broken = BrokenTimer(
            job=timer.job, revision=timer.revision, next_at=timer.next_at or now, problem=f"{trouble!r}"
        )
        _set_aside(broken, world, now, tally)
        return None
    if planned.skipped is None:
        return planned
    if not _skip(timer, planned.skipped, place(planned, planned.stands_at), world, now):
        return None
    tally.skipped_ranges += 1
    return planned


def _set_aside(timer: BrokenTimer, world: World, now: datetime, tally: Tally) -> None:
    later = now + SET_ASIDE
    skipped = SkippedRange(
        job=timer.job, first=timer.next_at, until=later, policy=f"timer set aside: {timer.problem}"[:500]
    )
    tally.problems.append(f"{timer.job}: timer set aside until {later}: {timer.problem}")
    _skip(timer, skipped, Place(later), world, now)


def _skip(timer: Timer | BrokenTimer, skipped: SkippedRange, goes_on: Place, world: World, now: datetime) -> bool:
    move = Move(timer.job, timer.revision, old=skipped.first, new=goes_on.next_at, offset=goes_on.offset)
    owed = recheck(timer.job, now=now, after=skipped.first - SECOND, until=skipped.until)
    return world.timers.skip(skipped, move, owed)


def _send_queued(timer: Deadline | Recheck, runs: Iterable[Run], world: World, tally: Tally) -> None:
    """Send what is still queued, and only then remove the timer that reminded us."""
    queued = [message_for(run) for run in runs if run.state is RunState.QUEUED]
    sent = world.outbox.send(queued)
    tally.sent += sum(sent)
    if all(sent):
        world.timers.settle(timer)
