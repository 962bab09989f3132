"""Counting: claims for a job whose number of runs is limited."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise

from minutehand.domain.instants import SECOND, floor
from minutehand.domain.planning import Plan
from minutehand.domain.run import Run, RunState
from minutehand.domain.timer import Deadline
from minutehand.usecases.dispatching.claim import longest_wait, message_for, new_run, place, spread_of
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Move

SEND_WITHIN = timedelta(seconds=30)
"""When a run that was claimed together with a deadline is still without a message after this long, the next tick sends it."""


def claim_counted(planned: Plan, ports: Ports, dispatched: DispatchReport, goes_on: Callable[[], bool]) -> None:
    """Claim for a job whose number of runs is limited: each claim and the move that counts it are one transaction.

    So what has been claimed has been counted, whatever becomes of this process, and a deadline sees to its message. It stops
    where the timer has moved: another process, or an edit, goes on from there. So it does when it no longer `goes_on`.
    """
    timer, now = planned.timer, ports.clock()
    left, stands_at = timer.runs_left or 0, planned.stands_at
    spread = spread_of([planned], now)
    for instant, following in pairwise([*planned.occurrences, planned.next_at]):
        if instant is None or stands_at is None or not goes_on():
            return
        run = new_run(planned, instant, now)
        there = place(planned, following)
        move = Move(timer.job, timer.revision, stands_at, there.next_at, there.offset, left - 1)
        reminder = max(floor(now) + SEND_WITHIN, run.starts_at - ports.look_ahead)
        deadline = Deadline(run=run.key, next_at=reminder)
        if ports.runs.claim_counted(run, move, deadline):
            left -= 1
            dispatched.claimed += 1
            dispatched.advanced += 1
        else:
            _pass_over(run, move, planned, ports)
            return
        stands_at = following
        message = message_for(run, no_earlier_than=spread.get(run.key))
        if run.starts_at - now <= longest_wait(ports) and all(ports.outbox.send([message])):
            dispatched.sent += 1
            ports.timers.settle(deadline)
    if not planned.occurrences and planned.stands_at != planned.next_at and stands_at is not None:
        there = place(planned, planned.next_at)
        ports.timers.advance([Move(timer.job, timer.revision, stands_at, there.next_at, there.offset)])


def _pass_over(run: Run, move: Move, planned: Plan, ports: Ports) -> None:
    """Go on from an occurrence that an edit has given back and that cannot be claimed again.

    If it has begun all the same it has had its run, and counts. If it was cancelled before, it stays given back: each
    edit in turn would count it otherwise.
    """
    there = ports.runs.get([run.key]).get(run.key)
    if there is None or there.revision >= run.revision or there.state in (RunState.QUEUED, RunState.SKIPPED):
        return
    if there.attempt == 0:
        behind = place(planned, run.scheduled_for + SECOND)  # planning goes on from there to what is named
        move = Move(move.job, move.revision, move.old, behind.next_at, behind.offset)
    ports.timers.advance([move])
