"""Dispatch: claim, then enqueue, then advance. Every step may be repeated, by anyone, after a crash anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import JobKey, OnBlocked
from minutehand.domain.occurrence_rule import CALENDARS, rule_of
from minutehand.domain.planning import Plan, plan
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.timer import (
    BrokenTimer,
    Deadline,
    Due,
    Recheck,
    SkipCause,
    SkippedRange,
    SkipPolicy,
    Timer,
    Watchdog,
)
from minutehand.usecases.dispatching.claim import Place, claim_send_advance, place, send
from minutehand.usecases.dispatching.counted_claims import claim_counted
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Move

if TYPE_CHECKING:
    from minutehand.domain.calendar import Calendar, CalendarKey

LONGEST_DISPATCH = timedelta(seconds=90)
"""No process that dispatches lives longer (a tick has 60 s, the API 30 s), clocks' differences included."""
ROUNDS = 8
"""How often a timer that calendars stop is looked at again at once; what is still due then waits for the next tick."""
MOST_TOGETHER = 250
"""Occurrences that are claimed together, but for those of one job, which all are."""
SET_ASIDE = timedelta(minutes=10)
"""How far a timer that cannot be read is pushed forward before it is looked at again."""


def dispatch(
    due: Sequence[Due],
    *,
    ports: Ports,
    look_ahead: timedelta,
    dispatched: DispatchReport,
    rounds: int = ROUNDS,
    goes_on: Callable[[], bool] = lambda: True,
) -> None:
    """Do what is due for these timers, up to `look_ahead` from now. Trouble with one is noted and delays no other.

    A job that calendars block and free again in that time is planned stretch by stretch, in so many `rounds` at most. Whatever is
    not begun when it no longer `goes_on` stays due.
    """
    now = floor(ports.clock())
    plans: list[Plan] = []
    calendars = _calendars(due, ports, dispatched)
    for timer in due:
        if not goes_on():
            return
        dispatched.timers += 1
        try:
            match timer:
                case Timer():
                    planned = _planned(timer, ports, calendars, dispatched, now=now, until=now + look_ahead)
                    plans += [planned] if planned else []
                case BrokenTimer():
                    _set_aside(timer, timer.problem, ports, now, dispatched)
                case Deadline() if timer.next_at <= now:
                    found = ports.runs.get([timer.run])
                    _send_queued(timer, found.values(), ports, dispatched)
                case Recheck() if timer.next_at <= now:
                    _send_queued(timer, ports.runs.between(timer.job, timer.after, timer.until), ports, dispatched)
                case _:
                    pass
        except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one timer must not delay another
            dispatched.problems.append(f"{timer}: {trouble!r}")
    for together in _together(plans):
        if not goes_on():
            return
        _claim(together, ports, dispatched, goes_on)
    # A step may take a second or two, which what is due to the second does not wait for.
    _watch([timer for timer in due if isinstance(timer, Watchdog) and timer.next_at <= now], ports, dispatched, goes_on)
    if rounds > 1 and (
        stopped := [p for p in plans if p.rule.calendars and p.next_at and p.next_at <= now + look_ahead]
    ):
        again = _moved_on(stopped, ports, dispatched, now)
        dispatch(again, ports=ports, look_ahead=look_ahead, dispatched=dispatched, rounds=rounds - 1, goes_on=goes_on)


def _together(plans: Sequence[Plan]) -> Iterator[Sequence[Plan]]:
    """Plans that are claimed together: so many that what is held of them at a time is bounded, however often their jobs are due. Those
    that count their runs go alone."""
    some: list[Plan] = []
    occurrences = 0
    for planned in plans:
        if planned.timer.runs_left is not None:
            yield [planned]
            continue
        if some and occurrences + len(planned.occurrences) > MOST_TOGETHER:
            yield some
            some, occurrences = [], 0
        some.append(planned)
        occurrences += len(planned.occurrences)
    if some:
        yield some


def _claim(together: Sequence[Plan], ports: Ports, dispatched: DispatchReport, goes_on: Callable[[], bool]) -> None:
    try:
        if together[0].timer.runs_left is None:
            claim_send_advance(together, ports, dispatched, goes_on)
        else:
            claim_counted(together[0], ports, dispatched, goes_on)
    except Unavailable as trouble:
        what = f"{len(together)} timers" if len(together) > 1 else str(together[0].timer.job)
        dispatched.problems.append(f"{what}: {trouble}")


def _watch(
    watchdogs: Sequence[Watchdog], ports: Ports, dispatched: DispatchReport, goes_on: Callable[[], bool]
) -> None:
    """Look after backfills that nobody may be taking further."""
    if not watchdogs:
        return
    from minutehand.usecases.dispatching import replay  # noqa: PLC0415 - most ticks meet no backfill

    for timer in watchdogs:
        if not goes_on():
            return
        try:
            replay.step(ports, timer.job, timer.backfill, watch=True)
        except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one backfill must not delay another
            dispatched.problems.append(f"{timer}: {trouble!r}")


def _moved_on(stopped: Sequence[Plan], ports: Ports, dispatched: DispatchReport, now: datetime) -> Sequence[Timer]:
    """The timers of these plans as they stand now, those that have moved, with what is left of what each may catch up with at once."""
    found = []
    for planned in stopped:
        try:
            timer = ports.timers.get(planned.timer.job)
        except Unavailable as trouble:
            dispatched.problems.append(f"{planned.timer.job}: {trouble}")
            continue
        if isinstance(timer, Timer) and timer.next_at is not None and timer.next_at != planned.timer.next_at:
            left = planned.timer.max_catch_up - len(planned.missed(now))
            found.append(replace(timer, max_catch_up=left))
    return found


def give_up_backlog(timer: Timer | BrokenTimer, *, ports: Ports, now: datetime, reason: str) -> None:
    """Record what is due by `now` and not dispatched as skipped, and let the timer go on after it."""
    if timer.next_at is not None:
        rest = SkippedRange(
            job=timer.job, first=timer.next_at, until=now + SECOND, policy=SkipPolicy(SkipCause.OTHER, reason)
        )
        _skip(timer, rest, _aside(timer, now + SECOND), ports, now)


def recheck(job: JobKey, *, now: datetime, after: datetime, until: datetime) -> Recheck:
    """What whoever moves a timer past (after, until] owes to runs that another process may be claiming at this moment."""
    return Recheck(job=job, after=after, until=until, next_at=now + LONGEST_DISPATCH)


def _calendars(due: Sequence[Due], ports: Ports, dispatched: DispatchReport) -> Mapping[CalendarKey, Calendar | None]:
    """The calendars that these timers name, read once for all of them; None for one that could not be read."""
    named: set[CalendarKey] = set()
    for timer in due:
        if isinstance(timer, Timer):
            with suppress(ValueError):  # planning tells
                named.update(_named_by(timer))
    return _read(sorted(named), ports, dispatched) if named else {}


def _named_by(timer: Timer) -> Sequence[CalendarKey]:
    """The calendars that a timer names. Most name none, which their texts tell without being decoded."""
    if CALENDARS not in timer.rule:
        return ()
    from minutehand.domain.calendar_filter import calendars_of  # noqa: PLC0415 - most jobs name no calendar

    return calendars_of(timer.job, rule_of(timer.rule))


def _read(
    named: Sequence[CalendarKey], ports: Ports, dispatched: DispatchReport
) -> Mapping[CalendarKey, Calendar | None]:
    """The calendars that exist, one by one when one call for all fails: no job must wait for another's."""
    try:
        return ports.calendars.get(named)
    except Unavailable as trouble:
        if len(named) == 1:
            dispatched.problems.append(f"calendar {named[0]}: {trouble}"[:500])
            return {named[0]: None}
    found: dict[CalendarKey, Calendar | None] = {}
    for calendar in named:
        found.update(_read([calendar], ports, dispatched))
    return found


def _planned(
    timer: Timer,
    ports: Ports,
    calendars: Mapping[CalendarKey, Calendar | None],
    dispatched: DispatchReport,
    *,
    now: datetime,
    until: datetime,
) -> Plan | None:
    """The plan, its skipped range already recorded; None when the timer is set aside or somebody else moved it."""
    try:
        own = _named_by(timer)
        known = {key: found for key in own if (found := calendars.get(key)) is not None}
        if any(key in calendars and key not in known for key in own):
            return None  # it stays due until its calendars can be read
        planned = plan(timer, now=now, until=until, calendars=known)
        if planned.rule.on_blocked is OnBlocked.NEXT_DAY:
            planned = _without_repeats(planned, known, ports)
    except Unavailable as trouble:
        dispatched.problems.append(f"{timer.job}: {trouble}")
        return None
    except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one timer must not delay another
        _set_aside(timer, f"{trouble!r}", ports, now, dispatched)
        return None
    if planned.skipped is None:
        return planned
    if not _skip(timer, planned.skipped, place(planned, planned.stands_at), ports, now):
        return None
    dispatched.skipped_ranges += 1
    return planned


def _without_repeats(planned: Plan, calendars: Mapping[CalendarKey, Calendar], ports: Ports) -> Plan:
    """The plan without what is moved from days that were closed only after it had run on them."""
    rule, job = planned.rule, planned.timer.job
    moved = [instant for instant in planned.occurrences if not rule.names(instant)]
    if not moved:
        return planned
    from minutehand.domain.calendar_filter import unblocked  # noqa: PLC0415 - most jobs name no calendar

    named = unblocked(rule, job.namespace, calendars)
    sources = {instant: [RunKey.scheduled(job, t) for t in named.sources(instant)] for instant in moved}
    runs = ports.runs.get([key for keys in sources.values() for key in keys])
    done = {key for key, run in runs.items() if run.state is not RunState.SKIPPED}
    repeats = {instant for instant, keys in sources.items() if keys and done.issuperset(keys)}
    return planned._replace(occurrences=tuple(t for t in planned.occurrences if t not in repeats))


def _set_aside(
    timer: Timer | BrokenTimer, problem: str, ports: Ports, now: datetime, dispatched: DispatchReport
) -> None:
    later = now + SET_ASIDE
    policy = SkipPolicy(SkipCause.OTHER, f"timer set aside: {problem}"[:500])
    skipped = SkippedRange(job=timer.job, first=timer.next_at or now, until=later, policy=policy)
    dispatched.problems.append(f"{timer.job}: timer set aside until {later}: {problem}")
    _skip(timer, skipped, _aside(timer, later), ports, now)


def _aside(timer: Timer | BrokenTimer, instant: datetime) -> Place:
    """A place for a timer at an instant that nothing names, with the offset of its clocks there as far as it can be read."""
    offset = None
    if isinstance(timer, Timer):
        with suppress(ValueError):
            offset = rule_of(timer.rule).schedule.offset_at(instant)
    return Place(instant, offset)


def _skip(timer: Timer | BrokenTimer, skipped: SkippedRange, goes_on: Place, ports: Ports, now: datetime) -> bool:
    move = Move(timer.job, timer.revision, old=skipped.first, new=goes_on.next_at, offset=goes_on.offset)
    owed = recheck(timer.job, now=now, after=skipped.first - SECOND, until=skipped.until)
    return ports.timers.skip(skipped, move, owed)


def _send_queued(timer: Deadline | Recheck, runs: Iterable[Run], ports: Ports, dispatched: DispatchReport) -> None:
    """Send the messages that may be missing, and only then remove the timer that reminded us.

    A recheck may find any run, and those that wait for their start alone may be without a message. A deadline was left for its run:
    whatever that waits for, or what follows from its end, a worker is to see to it.
    """
    wanted = [run for run in runs if isinstance(timer, Deadline) or run.state is RunState.QUEUED]
    sent = send(wanted, ports, ports.clock())
    dispatched.sent += sum(sent)
    if all(sent):
        ports.timers.settle(timer)
