"""Claiming: claim, then enqueue, then advance; of each run, whoever made it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND, floor
from minutehand.domain.job import JobKey
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.timer import Deadline, Timer
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.dispatching.resend import LOOKED_AT_EVERY, past_the_sweep
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.ports.stores import Claim, Move

if TYPE_CHECKING:
    from minutehand.domain.planning import Plan

LONGEST_WAIT = timedelta(minutes=13)
"""A message is sent at most this long before its run starts, or the look-ahead where that is longer: a queue keeps one back for 15 minutes."""

_SPREAD = timedelta(minutes=1)
_OPENED_AGAIN = (SkipReason.PAUSED, SkipReason.SUPERSEDED, SkipReason.DELETED)


def claim_send_advance(
    plans: Sequence[Plan], ports: Ports, dispatched: DispatchReport, goes_on: Callable[[], bool]
) -> None:
    """Claim, enqueue and advance, for all of these at once. What must be looked at one by one is, for as long as it `goes_on`."""
    if not plans:
        return
    now = ports.clock()
    wanted = [new_run(p, instant, now) for p in plans for instant in p.occurrences]
    outcomes = ports.runs.claim(wanted) if wanted else []
    ready = [run for run, outcome in zip(wanted, outcomes, strict=True) if outcome is Claim.CLAIMED]
    dispatched.claimed += len(ready)
    found = _Found(
        ready=ready,
        taken={p.timer.job for p in plans if p.rule.calendars or p.timer.outstanding == p.timer.next_at},
        looked_for={
            RunKey.scheduled(p.timer.job, p.timer.outstanding) for p in plans if _looks(p.timer) and p.timer.outstanding
        },
    )
    existing = [run for run, outcome in zip(wanted, outcomes, strict=True) if outcome is Claim.EXISTS]
    _resolve_existing(existing, found, ports, dispatched, goes_on)
    sent = send(ready, ports, now, spread=spread_of(plans, now))
    handled = found.handled | {run.key for run, accepted in zip(ready, sent, strict=True) if accepted}
    dispatched.sent += sum(sent)
    if left := [run.key for run in wanted if run.key not in handled]:
        unclaimed, unsent = outcomes.count(Claim.FAILED), len(sent) - sum(sent)
        dispatched.problems.append(
            f"{len(left)} of {len(wanted)} occurrences stay due for the next tick ({unclaimed} not claimed, {unsent} not sent), "
            f"first {left[0].job} {left[0].run_id}"
        )
    moves = [move for move in (_move(p, handled) for p in plans) if move]
    if moves:
        ports.timers.advance(moves)
    dispatched.advanced += len(moves)


@dataclass(kw_only=True)
class _Found:
    """Runs without a worker, which are to be sent, and the keys of those that are past that.

    Attributes:
        taken: the jobs of which only what their own timer has claimed may run; it takes over what an earlier revision's has.
        looked_for: runs of which somebody is to see what has become of them, whatever their state.
    """

    ready: list[Run]
    taken: set[JobKey]
    looked_for: set[RunKey]
    handled: set[RunKey] = field(default_factory=set)


def _looks(timer: Timer) -> bool:
    """Whether a timer is due to see what has become of its outstanding run."""
    return timer.outstanding is not None and timer.outstanding != timer.next_at


def spread_of(plans: Sequence[Plan], now: datetime) -> Mapping[RunKey, datetime]:
    """When to start what was missed, spread over the minute for each job and among them: an outage ends without a stampede."""
    starts: dict[RunKey, datetime] = {}
    for planned in plans:
        timer, late = planned.timer, planned.missed(now)
        if not late:
            continue
        step = _SPREAD / timer.max_catch_up
        first = crc32(str(timer.job).encode()) % _SPREAD.seconds * SECOND if len(late) == 1 else timedelta(0)
        starts.update({RunKey.scheduled(timer.job, t): now + first + n * step for n, t in enumerate(late)})
    return starts


def _resolve_existing(
    wanted: Sequence[Run], found: _Found, ports: Ports, dispatched: DispatchReport, goes_on: Callable[[], bool]
) -> None:
    """Sort runs that were there before."""
    if not wanted:
        return
    try:
        there = ports.runs.get([run.key for run in wanted])
    except Unavailable as trouble:
        if len(wanted) == 1:
            dispatched.problems.append(f"{wanted[0].key} could not be read again: {trouble}")
            return
        for one in wanted:
            if not goes_on():
                return
            _resolve_existing([one], found, ports, dispatched, goes_on)
        return
    for new in wanted:
        run: Run | None = there.get(new.key)
        if run is not None and _is_to_be_taken(run, new, found.taken):
            run = _reopened(run, new, ports, dispatched)
        if run is None or _is_to_be_taken(run, new, found.taken):
            continue
        if run.state is RunState.QUEUED or (run.key in found.looked_for and _may_be_forgotten(run, ports.clock())):
            found.ready.append(run)
        else:
            found.handled.add(run.key)


def _may_be_forgotten(run: Run, now: datetime) -> bool:
    """Whether somebody is to look at an outstanding run: it has ended, or somebody should have looked at it by now. Of one that is waited for,
    a message is on its way, and each further one would be on its way for as long as it waits."""
    return run.state.finished or run.wakes_at <= now


def _is_to_be_taken(run: Run, new: Run, taken: set[JobKey]) -> bool:
    waits = (run.state is RunState.SKIPPED and run.skip_reason in _OPENED_AGAIN) or (
        run.state is RunState.QUEUED and run.key.job in taken
    )
    return waits and run.revision < new.revision


def _reopened(skipped: Run, new: Run, ports: Ports, dispatched: DispatchReport) -> Run | None:
    try:
        return ports.runs.move(skipped, new)
    except Unavailable as trouble:
        dispatched.problems.append(f"{new.key} could not be opened again: {trouble}")
        return None


def send(
    ready: Sequence[Run], ports: Ports, now: datetime, *, spread: Mapping[RunKey, datetime] = MappingProxyType({})
) -> Sequence[bool]:
    """Send each run's message, to arrive when a worker should look at it; where that is later than a message can wait, leave a deadline
    that sends it in time. `spread` holds later instants for some.

    A run that the sweep will not find should its message be lost has a deadline besides, which sends it anew as long as it is active.
    """
    soon = [run for run in ready if run.wakes_at - now <= longest_wait(ports)]
    sent = ports.outbox.send([message_for(run, no_earlier_than=spread.get(run.key)) for run in soon]) if soon else []
    accepted = {run.key: taken for run, taken in zip(soon, sent, strict=True)}
    for run in ready:
        if run.key not in accepted:
            accepted[run.key] = _reminded(run, run.wakes_at - ports.look_ahead, ports)
        elif accepted[run.key] and past_the_sweep(run, now):
            accepted[run.key] = _reminded(run, max(run.wakes_at, now) + LOOKED_AT_EVERY, ports)
    return [accepted[run.key] for run in ready]


def _reminded(run: Run, at: datetime, ports: Ports) -> bool:
    try:
        ports.timers.remind(Deadline(run=run.key, next_at=at))
    except Unavailable:
        return False
    return True


def longest_wait(ports: Ports) -> timedelta:
    """How long before its run starts a message may be sent: never less than the look-ahead, at which a deadline has it sent. One that came
    due before that would be stored anew as it stands, and then removed for what it had sent."""
    return max(LONGEST_WAIT, ports.look_ahead)


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
    there = place(planned, goes_on)
    return Move(timer.job, timer.revision, planned.stands_at, there.next_at, there.offset)


def new_run(planned: Plan, instant: datetime, now: datetime) -> Run:
    """The run of a planned occurrence."""
    timer = planned.timer
    delay = planned.rule.delay_of(timer.job, instant)
    return Run(
        key=RunKey.scheduled(timer.job, instant),
        target=timer.target,
        revision=timer.revision,
        claimed_at=now,
        expires_at=floor(max(instant + delay, now)) + timer.retention,
        start_delay=delay,
    )


def message_for(run: Run, *, no_earlier_than: datetime | None = None) -> Message:
    """The message that has a worker look at a run when it is time."""
    at = run.wakes_at if no_earlier_than is None else max(run.wakes_at, no_earlier_than)
    return Message(run=run.key, attempt=run.attempt + 1, target=run.target, not_before=at)


class Place(NamedTuple):
    """Where a timer goes on, and the offset that its clocks have there."""

    next_at: datetime | None
    offset: timedelta | None = None


def place(planned: Plan, next_at: datetime | None) -> Place:
    """The place of a plan's timer at an instant."""
    return Place(next_at, None if next_at is None else planned.rule.schedule.offset_at(next_at))
