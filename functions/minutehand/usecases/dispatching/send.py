"""Messages of runs: send them, send them again when a run is overdue, and store deadlines, the timers that send them later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.timer import Deadline
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message

LONGEST_WAIT = timedelta(minutes=13)
"""Longest time before its run starts that a message is sent, unless the look-ahead is longer. SQS delays messages by 15 minutes
at most."""
SEND_WITHIN = timedelta(seconds=30)
"""A deadline timer that is stored together with a new run is due after this time; the next tick then sends a run not yet sent."""
OVERDUE = timedelta(minutes=2)
"""An active run is overdue this long after a worker should have started or checked it, but not before this long after its claim."""
RESEND_AFTER = timedelta(minutes=10)
"""Minimum time between two resends of a run, so that resends do not lengthen a queue that is merely long."""
SWEPT_HOURS = (1, 24, 168)
"""The sweep reads all runs scheduled within an hour once more when that hour began this many hours ago."""
REMIND_EVERY = timedelta(days=1)
"""Interval at which a deadline timer sends an active run again that is too old for the sweep."""
_SWEPT_FOR = timedelta(hours=SWEPT_HOURS[-1]) - REMIND_EVERY


def message_for(run: Run, *, no_earlier_than: datetime | None = None) -> Message:
    """The message that starts a run's next attempt when it is due."""
    at = run.wakes_at if no_earlier_than is None else max(run.wakes_at, no_earlier_than)
    retries = run.state is RunState.RETRYING
    return Message(run=run.key, attempt=run.attempt + 1, target=run.target, not_before=at, retries=retries)


def reminder(run: Run, not_before: datetime) -> Message:
    """A message that has a worker check a run, at `not_before` or later."""
    return Message(run=run.key, attempt=run.attempt + 1, target=run.target, not_before=not_before)


def longest_wait(ports: Ports) -> timedelta:
    """Longest time that a message may be sent before its run starts.

    It is never shorter than the look-ahead, because a deadline timer is due that long before its run starts. If a message could not
    wait as long, the due timer would be stored again unchanged, and then removed as done.
    """
    return max(LONGEST_WAIT, ports.look_ahead)


def send(
    ready: Sequence[Run], ports: Ports, now: datetime, *, spread: Mapping[RunKey, datetime] = MappingProxyType({})
) -> Sequence[bool]:
    """Send each run's message so that it arrives when a worker should start or check the run. Returns whether each was accepted.

    A run that starts later than a message can wait gets a deadline timer instead, which sends it in time. A run that is too old for
    the sweep gets a deadline timer as well, which sends the active run again in case its message is lost.

    Args:
        spread: later starts for some of the runs.
    """
    soon = [run for run in ready if run.wakes_at - now <= longest_wait(ports)]
    sent = ports.outbox.send([message_for(run, no_earlier_than=spread.get(run.key)) for run in soon]) if soon else []
    accepted = {run.key: taken for run, taken in zip(soon, sent, strict=True)}
    for run in ready:
        if run.key not in accepted:
            accepted[run.key] = _remind(run, run.wakes_at - ports.look_ahead, ports)
        elif accepted[run.key] and past_the_sweep(run, now):
            accepted[run.key] = _remind(run, max(run.wakes_at, now) + REMIND_EVERY, ports)
    return [accepted[run.key] for run in ready]


def _remind(run: Run, at: datetime, ports: Ports) -> bool:
    try:
        ports.timers.remind(Deadline(run=run.key, next_at=at))
    except Unavailable:
        return False
    return True


def past_the_sweep(run: Run, now: datetime) -> bool:
    """Whether an active run is so long past its instant that the sweep may not reach it any more.

    A child's run is scheduled for the beginning of its join window, and starts when its parents have ended, which may be weeks
    later. Runs of backfills are left out, since a backfill's watchdog sends them again.
    """
    return now - run.scheduled_for > _SWEPT_FOR and not run.state.finished and run.key.backfill is None


def overdue(run: Run, now: datetime) -> bool:
    """Whether a run should have begun or ended by now, and was not resent within `RESEND_AFTER`."""
    if run.state.finished or (run.resent_at is not None and now < run.resent_at + RESEND_AFTER):
        return False
    return max(run.wakes_at, run.claimed_at) + OVERDUE <= now


def resend(run: Run, now: datetime, ports: Ports) -> bool:
    """Mark a run as resent and send its message; whether both were done.

    Raises:
        Unavailable: when a store does not answer.
    """
    marked = replace(run, resent_at=now)
    return ports.runs.move(run, marked) == marked and all(ports.outbox.send([reminder(run, now)]))


def try_resend(run: Run, now: datetime, ports: Ports) -> bool:
    """As `resend`, but returns False when a store does not answer."""
    try:
        return resend(run, now, ports)
    except Unavailable:
        return False
