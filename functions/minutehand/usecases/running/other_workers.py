"""Runs that another worker has to call: their jobs got a target of another type after their messages were sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message, Received


def move_to_their_workers(
    batch: Sequence[Received],
    runs: Mapping[RunKey, Run],
    definitions: Mapping[JobKey, Definition],
    is_called_elsewhere: Callable[[str], bool],
    ports: Ports,
) -> set[Received]:
    """Send the runs of a batch whose targets another worker calls to that worker; return their messages.

    Only what a worker could start now is moved, as with `move_slow`: a later message moves the others. ◆ The caller deletes the messages
    that were moved, after this.

    Raises:
        Unavailable: when the queue of a worker does not take a message. This worker must not start the run.
    """
    now = ports.clock()
    wanted: dict[Received, Message] = {}
    for message in batch:
        run, definition = runs.get(message.run), definitions.get(message.run.job)
        if run is None or definition is None or run.state.finished or run.wakes_at > now or run.share is not None:
            continue
        target = definition.job.target.type
        if is_called_elsewhere(target):
            wanted[message] = Message(run.key, message.attempt, target, now)
    if wanted and not all(ports.outbox.send([*wanted.values()])):
        raise Unavailable("the queue of another worker, which calls the job's target, did not take the run's message")
    return set(wanted)
