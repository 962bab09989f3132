"""Sending again: what is active past its limits gets another message, so that a worker looks at it. It decides nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message

OVERDUE = timedelta(minutes=2)
"""An active run is overdue when this long after its instant, its claim and its lease nothing has begun or ended it."""
RESEND_AFTER = timedelta(minutes=10)
"""A run is sent again no sooner than this after the last time, so that a queue that is merely long grows no longer."""

SWEPT_HOURS = (1, 24, 168)
"""Ages, in hours, at which the sweep looks at all of an hour's runs once more."""
LOOKED_AT_EVERY = timedelta(days=1)
"""How often a run is looked at that the sweep no longer comes to."""
_SWEPT_FOR = timedelta(hours=SWEPT_HOURS[-1]) - LOOKED_AT_EVERY


def past_the_sweep(run: Run, now: datetime) -> bool:
    """Whether a run is still active so long after its instant that the sweep hardly comes to it any more; a backfill looks after its own.

    The run of a window begins when its parents have ended, which may be weeks after the window's beginning.
    """
    return now - run.scheduled_for > _SWEPT_FOR and not run.state.finished and run.key.backfill is None


def overdue(run: Run, now: datetime) -> bool:
    """Whether a run should have begun or ended, and was not sent again a moment ago."""
    if run.state.finished or (run.resent_at is not None and now < run.resent_at + RESEND_AFTER):
        return False
    return max(run.wakes_at, run.claimed_at) + OVERDUE <= now


def resent(run: Run, now: datetime, ports: Ports) -> bool:
    """Mark a run as sent again and send it; whether both were done."""
    try:
        return sent_again(run, now, ports)
    except Unavailable:
        return False


def sent_again(run: Run, now: datetime, ports: Ports) -> bool:
    """The same, where it matters why not.

    Raises:
        Unavailable: when a store does not answer.
    """
    marked = replace(run, resent_at=now)
    return ports.runs.move(run, marked) == marked and all(ports.outbox.send([reminder(run, now)]))


def reminder(run: Run, not_before: datetime) -> Message:
    """The message that has a worker look at a run again."""
    return Message(run=run.key, attempt=run.attempt + 1, target=run.target, not_before=not_before)
