"""Execute a worker's batch: wait for early messages, read all runs at once, and handle each message."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta

from minutehand.domain.deadlines import LEASE_MARGIN, call_limit
from minutehand.domain.errors import Unavailable, unanswered
from minutehand.domain.instants import SECOND
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.meter import Recording, unrecorded
from minutehand.usecases.ports.stores import Clock, Governing
from minutehand.usecases.running.acknowledge import Delivery, delete, hand_back_later
from minutehand.usecases.running.cancel_watch import EVERY
from minutehand.usecases.running.handle import handle
from minutehand.usecases.running.other_workers import move_to_their_workers
from minutehand.usecases.running.slow_calls import move_slow
from minutehand.usecases.running.worker import Handled, Sleep, Worker

LONGEST = timedelta(seconds=2)
"""Longest wait for an early message. Messages are sent to arrive up to a second early, and the sender's clock may differ."""
_STEPS = 3


def execute(batch: Sequence[Received], *, ports: Ports, worker: Worker) -> Sequence[Handled]:
    """Start, call and report each run of a batch. One answer for each message, in order.

    A batch that cannot be read in one call is read one by one, so that an unreadable run fails alone. A message that arrives up to
    two seconds early waits for its instant, and its run is read only then, so that an edit just before counts. No others wait.
    """
    received = ports.clock()
    prompt, later = _wait_for_early(batch, received, ports.clock, worker.sleep)

    def alone(message: Received) -> Handled:
        return execute([message], ports=ports, worker=worker)[0]

    read = _read(prompt, ports, worker)
    if isinstance(read, Unavailable):
        if len(batch) == 1:
            handed_back = hand_back_later(Delivery(batch[0], ports, worker), problem=str(read))
            return [handed_back._replace(unanswered=unanswered(read))]
        return list(worker.parallel(alone, batch))
    runs, governing, moved = read
    recording = _recording_of(prompt, governing, ports, worker, received=received)

    def one(message: Received) -> Handled:
        try:
            if message in later:
                return alone(message)
            if message in moved:
                return Handled(received=message, deletable=True, run=runs[message.run], moved=True)
            with recording(message) as record:
                delivery, run = Delivery(message, ports, worker, record), runs.get(message.run)
                return delete(delivery, run) if run is None else handle(delivery, run, *governing.of(run.key.job))
        except Unavailable as trouble:
            handed_back = hand_back_later(Delivery(message, ports, worker), problem=str(trouble))
            return handed_back._replace(unanswered=unanswered(trouble))
        except Exception as trouble:  # noqa: BLE001 - one poisonous run must not fail the others of its batch
            return hand_back_later(Delivery(message, ports, worker), problem=f"{type(trouble).__name__}: {trouble}")

    return [one(batch[0])] if len(batch) == 1 else list(worker.parallel(one, batch))


def _read(
    batch: Sequence[Received], ports: Ports, worker: Worker
) -> tuple[Mapping[RunKey, Run], Governing, Collection[Received]] | Unavailable:
    """Read the runs and definitions of a batch, and move those that belong there to another worker or to the slow lane. Hide the other messages for longer
    than the longest call limit of their jobs: if this worker dies, they come back then, and not only after the queue's longer
    visibility timeout.

    Returns:
        The runs, what decides about them, and the messages of those that were moved.
    """
    try:
        runs = ports.runs.get([message.run for message in batch])
        governing = ports.definitions.governing(sorted({message.run.job for message in batch}))
        definitions = governing.definitions
        moved = move_to_their_workers(batch, runs, definitions, worker.is_called_elsewhere, ports)
        own = [message for message in batch if message not in moved]
        moved |= move_slow(own, runs, definitions, worker.slow_calls, ports)
        kept = [message for message in own if message not in moved]
        jobs = {message.run.job for message in kept} & definitions.keys()
        limits = [call_limit(definitions[job].job) for job in jobs]
        if kept:
            worker.inbox.hide(kept, max(limits, default=SECOND) + 2 * LEASE_MARGIN)
    except Unavailable as trouble:
        return trouble
    return runs, governing, moved


def _wait_for_early(
    batch: Sequence[Received], now: datetime, clock: Clock, sleep: Sleep
) -> tuple[Sequence[Received], Sequence[Received]]:
    """If all messages of a batch are early, wait for the first of their instants. Returns the messages to handle now, and those
    that wait longer.

    A batch of which some messages are not early is split without waiting. A message early by more than `LONGEST` counts as not
    early: it is handled now, which hands it back to the queue.
    """
    later = [one for one in batch if now < one.due_at <= now + LONGEST]
    if later and len(later) == len(batch):
        first = min(message.due_at for message in later)
        wait_until(first, clock, sleep)
        later = [message for message in later if message.due_at > first]
    return [message for message in batch if message not in later], later


def wait_until(instant: datetime, clock: Clock, sleep: Sleep) -> None:
    """Sleep until `clock` shows this instant or later. Sleeps up to three times, since the clock of `sleep` may be a little faster;
    not more often, since `clock` may stand still."""
    for _ in range(_STEPS):
        left = (instant - clock()) / SECOND
        if left <= 0:
            return
        sleep(left)


def _recording_of(
    batch: Sequence[Received], governing: Governing, ports: Ports, worker: Worker, *, received: datetime
) -> Callable[[Received], AbstractContextManager[Recording]]:
    """A function that opens the `Recording` of a message's run, which counts usage only for jobs with `record_units`."""
    if not any(definition.job.record_units for definition in governing.definitions.values()):
        return lambda _: nullcontext(unrecorded)
    from minutehand.usecases.metering.usage_notes import BatchMetering  # noqa: PLC0415 - loads the schedule library, 11 ms

    metering = BatchMetering(batch, governing, worker.meter(), clock=ports.clock, received=received, looks_every=EVERY)
    return metering.over
