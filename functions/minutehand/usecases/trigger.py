"""Trigger: a run asked for by hand, once per idempotency key."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.job import JobKey
from minutehand.domain.run import Run, RunKey
from minutehand.domain.timer import Deadline
from minutehand.usecases.claiming import message_for
from minutehand.usecases.counting import SEND_WITHIN
from minutehand.usecases.manage import get
from minutehand.usecases.world import World


class Triggered(NamedTuple):
    """The run of an idempotency key; `created` is False when the key was used before."""

    run: Run
    created: bool


def trigger(world: World, key: JobKey, *, idempotency_key: str) -> Triggered:
    """Run a job now, whatever its schedule and even while it is paused.

    Run, record of the key and deadline are one transaction; sending removes the deadline. Asking twice is asking once.

    Raises:
        NotFound: when there is no such job.
    """
    definition = get(world, key)
    now = world.clock()
    identity = hashlib.sha256(idempotency_key.encode()).hexdigest()[:16]
    run = Run(
        key=RunKey.triggered(key, now, identity),
        target=definition.job.target.type,
        revision=definition.revision,
        claimed_at=now,
        expires_at=floor(now) + definition.job.retention,
    )
    deadline = Deadline(run=run.key, next_at=floor(now) + SEND_WITHIN)
    stands = world.runs.trigger(run, idempotency_key, deadline)
    if stands != run:
        return Triggered(run=stands, created=False)
    try:
        if all(world.outbox.send([message_for(stands)])):
            world.timers.settle(deadline)
    except Unavailable:
        pass  # the run is there and the deadline will have it sent: to the caller it is done
    return Triggered(run=stands, created=True)
