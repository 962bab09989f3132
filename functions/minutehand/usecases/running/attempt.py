"""One attempt, from its start to its report."""

from __future__ import annotations

from minutehand.domain.definition import Definition
from minutehand.domain.instants import SECOND
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_successors import answered_later, is_same_attempt
from minutehand.usecases.completion.report import NotRecorded, reported
from minutehand.usecases.dispatching.send import send
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.running.acknowledge import HAND_BACK, Delivery, follow_up_and_delete, hand_back
from minutehand.usecases.running.call import TooLate, make_call, payload_gone
from minutehand.usecases.running.start import Started
from minutehand.usecases.running.worker import Handled


def make_attempt(start: Started, definition: Definition, delivery: Delivery) -> Handled:
    """Make the call of an attempt that has started, and report its outcome.

    Raises:
        Unavailable: when a store does not answer.
    """
    run, ports = start.run, delivery.ports
    outcome = payload_gone(run) if start.call is None else make_call(start.call, definition.job, ports, delivery.worker)
    if isinstance(outcome, TooLate):
        late = f"attempt {run.attempt} took so long to start that its time is over; the run's next message takes it further"
        return hand_back(delivery, max(outcome.lease_left, SECOND), run=run, problem=late)
    # Before the run waits, something leads back to it: a message that arrives when its target was not heard of in time.
    if outcome.state is RunState.WAITING and not _watched(run, outcome, definition, ports):
        return hand_back(delivery, HAND_BACK, run=run, problem="the deadline of the answer could not be set")
    stored = reported(run, outcome, definition, ports, delivery.record, holds_permits=start.holds_permits)
    if isinstance(stored, NotRecorded):
        return Handled(received=delivery.message, deletable=False, problem=stored.why)
    if not is_same_attempt(stored, run):
        now_at = f"the run is at attempt {stored.attempt}, {stored.state.value}"
        fenced = f"attempt {run.attempt} reported too late: {now_at}"
        return Handled(received=delivery.message, deletable=False, run=stored, started=True, problem=fenced)
    return follow_up_and_delete(delivery, stored, definition, started=True)


def _watched(run: Run, outcome: Outcome, definition: Definition, ports: Ports) -> bool:
    """Send the message that leads back to a run that waits for its answer."""
    waiting = answered_later(run, outcome, definition.job, ports.clock())
    return all(send([waiting], ports, ports.clock()))
