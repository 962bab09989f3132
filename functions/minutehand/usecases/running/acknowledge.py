"""Acknowledgement of messages: hand one back, delete it, or have another one take its place."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable, unanswered
from minutehand.domain.instants import doubling
from minutehand.domain.run import Run
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.dispatching.send import message_for
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.meter import Recording, unrecorded
from minutehand.usecases.retries import retry_when_unavailable
from minutehand.usecases.running.worker import Handled, Worker

HAND_BACK = timedelta(seconds=10)
"""How long a message stays hidden when the stores did not answer for the first time."""
LONGEST_HAND_BACK = timedelta(minutes=15)
"""How long it stays hidden at most, however often they did not. Twenty receives, after which a message becomes a dead letter, then last
for over three hours."""
READ_AGAIN_AFTER = timedelta(seconds=10)
"""After an attempt longer than this, the definition is read again for the follow-up."""


class Delivery(NamedTuple):
    """One message in a worker's hands, and what handling it needs."""

    message: Received
    ports: Ports
    worker: Worker
    record: Recording = unrecorded


def hand_back(delivery: Delivery, hidden: timedelta, *, run: Run | None, problem: str = "") -> Handled:
    """Leave a message in its queue, to be received again after `hidden`, or if hiding fails, when its present hiding ends."""
    try:
        delivery.worker.inbox.hide([delivery.message], max(hidden, timedelta(0)))
    except Unavailable as trouble:
        problem = problem or str(trouble)
    return Handled(received=delivery.message, deletable=False, run=run, problem=problem)


def hand_back_later(delivery: Delivery, *, run: Run | None = None, problem: str) -> Handled:
    """Leave a message in its queue after a failure that may last, hidden for twice as long each time that it is received."""
    return hand_back(
        delivery, doubling(HAND_BACK, LONGEST_HAND_BACK, delivery.message.receives), run=run, problem=problem
    )


def delete(delivery: Delivery, run: Run | None) -> Handled:
    """Let the message be deleted."""
    return Handled(received=delivery.message, deletable=True, run=run)


def send_later(delivery: Delivery, run: Run, until: datetime) -> Handled:
    """Replace a message by a new one that arrives at `until`. One that is handed back too often would end in the dead-letter queue."""
    if not all(delivery.ports.outbox.send([message_for(run, no_earlier_than=until)])):
        hidden = until - delivery.ports.clock()
        handed_back = hand_back(delivery, hidden, run=run, problem="the run's next message could not be sent")
        return handed_back._replace(unanswered=True)
    return delete(delivery, run)


def follow_up_and_delete(
    delivery: Delivery, run: Run, definition: Definition | None, *, started: bool = False
) -> Handled:
    """Follow up a run, and let its message be deleted once that is done.

    Args:
        started: whether this worker made the attempt that led here.
    """
    ports = delivery.ports
    try:
        if started and run.started_at is not None and ports.clock() - run.started_at >= READ_AGAIN_AFTER:
            # During a long call the job's children or its delay may have changed.
            definition = ports.definitions.get([run.key.job]).get(run.key.job)
        done = retry_when_unavailable(lambda: follow_up(run, definition, ports))
        problem, silent = "" if done else "the follow-up of the run is incomplete", False
    except Unavailable as trouble:
        done, problem, silent = False, str(trouble), unanswered(trouble)
    handled = delete(delivery, run) if done else hand_back_later(delivery, run=run, problem=problem)
    return handled._replace(started=started, unanswered=silent)
