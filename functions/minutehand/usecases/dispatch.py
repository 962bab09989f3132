"""Dispatch: claim, then enqueue, then advance. Every step may be repeated, by anyone, after a crash anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from minutehand.domain.agenda import CALENDARS, agenda_of
from minutehand.domain.blocking import calendars_of
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import JobKey
from minutehand.domain.planning import Plan, SkippedRange, plan
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, Timer
from minutehand.usecases.ports import Claim, Message, Move
from minutehand.usecases.world import World

LONGEST_DISPATCH = timedelta(seconds=90)
"""No process that dispatches lives longer (a tick has 60 s, the API 30 s), clocks' differences included."""
LONGEST_WAIT = timedelta(minutes=13)
"""A message is sent at most this long before its run starts: a queue keeps one back for 15 minutes."""
SEND_WITHIN = timedelta(seconds=30)
"""When a run that was claimed together with a deadline is still without a message after this long, the next tick sends it."""
SET_ASIDE = timedelta(minutes=10)
"""How far a timer that cannot be read is pushed forward before it is looked at again."""


@dataclass(kw_only=True)
class Tally:
    """What a dispatch did, for logs and metrics."""

    timers: int = 0
    claimed: int = 0
    sent: int = 0
    advanced: int = 0
    skipped_ranges: int = 0
    problems: list[str] = field(default_factory=list)
    stopped_early: bool = False


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
        _claim_send_advance([planned for planned in plans if planned.timer.runs_left is None], world, tally)
    except Unavailable as trouble:
        tally.problems.append(f"{len(plans) - len(counted)} timers: {trouble}")
    for planned in counted:
        try:
            _claim_counted(planned, world, tally)
        except Unavailable as trouble:
            tally.problems.append(f"{planned.timer.job}: {trouble}")


def give_up_backlog(timer: Timer | BrokenTimer, *, world: World, now: datetime, policy: str) -> None:
    """Record what is due by `now` and not dispatched as skipped, and let the timer go on after it."""
    if timer.next_at is not None:
        rest = SkippedRange(job=timer.job, first=timer.next_at, until=now + SECOND, policy=policy)
        _skip(timer, rest, Place(now + SECOND), world, now)


def message_for(run: Run) -> Message:
    """The message that has a worker look at a queued run when it is time."""
    return Message(run=run.key, attempt=run.attempt + 1, target=run.target, not_before=run.starts_at)


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
    if not _skip(timer, planned.skipped, _place(planned, planned.stands_at), world, now):
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


class Place(NamedTuple):
    """Where a timer goes on, and the offset that its clocks have there."""

    next_at: datetime | None
    offset: timedelta | None = None


def _place(planned: Plan, next_at: datetime | None) -> Place:
    return Place(next_at, None if next_at is None else planned.agenda.schedule.offset_at(next_at))


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


def _claim_send_advance(plans: Sequence[Plan], world: World, tally: Tally) -> None:
    if not plans:
        return
    now = world.clock()
    wanted = [_new_run(p, instant, now) for p in plans for instant in p.occurrences]
    outcomes = world.runs.claim(wanted) if wanted else []
    ready = [run for run, outcome in zip(wanted, outcomes, strict=True) if outcome is Claim.CLAIMED]
    tally.claimed += len(ready)
    handled: set[RunKey] = set()
    taken = {p.timer.job for p in plans if p.agenda.calendars}
    existing = [run for run, outcome in zip(wanted, outcomes, strict=True) if outcome is Claim.EXISTS]
    _resolve_existing(existing, taken, world, ready, handled, tally)
    sent = _sent(ready, world, now)
    handled |= {run.key for run, accepted in zip(ready, sent, strict=True) if accepted}
    tally.sent += sum(sent)
    if len(handled) < len(wanted):
        tally.problems.append(f"{len(wanted) - len(handled)} of {len(wanted)} occurrences stay due for the next tick")
    moves = [move for move in (_move(p, handled) for p in plans) if move]
    if moves:
        world.timers.advance(moves)
    tally.advanced += len(moves)


def _claim_counted(planned: Plan, world: World, tally: Tally) -> None:
    """Claim for a job whose number of runs is limited: each claim and the move that counts it are one transaction.

    So what has been claimed has been counted, whatever becomes of this process, and a deadline sees to its message. It stops
    where the timer has moved: another process, or an edit, goes on from there.
    """
    timer, now = planned.timer, world.clock()
    left, stands_at = timer.runs_left or 0, planned.stands_at
    for instant, goes_on in pairwise([*planned.occurrences, planned.next_at]):
        if instant is None or stands_at is None:
            return
        run = _new_run(planned, instant, now)
        place = _place(planned, goes_on)
        move = Move(timer.job, timer.revision, stands_at, place.next_at, place.offset, left - 1)
        reminder = max(floor(now) + SEND_WITHIN, run.starts_at - world.look_ahead)
        deadline = Deadline(run=run.key, next_at=reminder)
        if world.runs.claim_counted(run, move, deadline):
            left -= 1
            tally.claimed += 1
            tally.advanced += 1
        elif _has_begun(run, world):
            world.timers.advance([move._replace(runs_left=None)])
            stands_at = goes_on
            continue
        else:
            return
        stands_at = goes_on
        if run.starts_at - now <= LONGEST_WAIT and all(world.outbox.send([message_for(run)])):
            tally.sent += 1
            world.timers.settle(deadline)
    if not planned.occurrences and planned.stands_at != planned.next_at and stands_at is not None:
        place = _place(planned, planned.next_at)
        world.timers.advance([Move(timer.job, timer.revision, stands_at, place.next_at, place.offset)])


def _has_begun(run: Run, world: World) -> bool:
    """Whether the occurrence has had its run under an earlier revision, so that this one passes it and does not count it."""
    there = world.runs.get([run.key]).get(run.key)
    return (
        there is not None and there.revision < run.revision and there.state not in (RunState.QUEUED, RunState.SKIPPED)
    )


def _resolve_existing(
    wanted: Sequence[Run], taken: set[JobKey], world: World, ready: list[Run], handled: set[RunKey], tally: Tally
) -> None:
    """Sort runs that were there before: those without a worker go to `ready`, those past that to `handled`.

    taken: the jobs of which only what their own timer has claimed may run; it takes over what an earlier revision's has.
    """
    if not wanted:
        return
    try:
        found = world.runs.get([run.key for run in wanted])
    except Unavailable as trouble:
        if len(wanted) == 1:
            tally.problems.append(f"{wanted[0].key} could not be read again: {trouble}")
            return
        for one in wanted:
            _resolve_existing([one], taken, world, ready, handled, tally)
        return
    for new in wanted:
        run: Run | None = found.get(new.key)
        if run is not None and _is_to_be_taken(run, new, taken):
            run = _reopened(run, new, world, tally)
        if run is None or _is_to_be_taken(run, new, taken):
            continue
        if run.state is RunState.QUEUED:
            ready.append(run)
        else:
            handled.add(run.key)


def _is_to_be_taken(run: Run, new: Run, taken: set[JobKey]) -> bool:
    waits = run.state is RunState.SKIPPED or (run.state is RunState.QUEUED and run.key.job in taken)
    return waits and run.revision < new.revision


def _reopened(skipped: Run, new: Run, world: World, tally: Tally) -> Run | None:
    try:
        return world.runs.move(skipped, new)
    except Unavailable as trouble:
        tally.problems.append(f"{new.key} could not be opened again: {trouble}")
        return None


def _sent(ready: Sequence[Run], world: World, now: datetime) -> Sequence[bool]:
    """Send each run's message; of one that starts later than a message can wait, leave a deadline that sends it in time."""
    soon = [run for run in ready if run.starts_at - now <= LONGEST_WAIT]
    accepted = {run.key: sent for run, sent in zip(soon, world.outbox.send([message_for(run) for run in soon]), strict=True)} if soon else {}  # fmt: skip
    for run in ready:
        if run.key not in accepted:
            try:
                world.timers.remind(Deadline(run=run.key, next_at=run.starts_at - world.look_ahead))
                accepted[run.key] = True
            except Unavailable:
                accepted[run.key] = False
    return [accepted[run.key] for run in ready]


def _move(planned: Plan, handled: set[RunKey]) -> Move | None:
    """As far as the first occurrence that was not both claimed and sent."""
    timer = planned.timer
    done = 0
    for instant in planned.occurrences:
        if RunKey.scheduled(timer.job, instant) not in handled:
            break
        done += 1
    goes_on = planned.occurrences[done] if done < len(planned.occurrences) else planned.next_at
    if planned.stands_at is None or goes_on == planned.stands_at:
        return None
    place = _place(planned, goes_on)
    return Move(timer.job, timer.revision, planned.stands_at, place.next_at, place.offset)


def _new_run(planned: Plan, instant: datetime, now: datetime) -> Run:
    timer = planned.timer
    return Run(
        key=RunKey.scheduled(timer.job, instant),
        target=timer.target,
        revision=timer.revision,
        claimed_at=now,
        expires_at=floor(max(instant, now)) + timer.retention,
        delay=planned.agenda.delay_of(timer.job, instant),
    )
