"""Handle one message: decide about its run, start and make an attempt, or write what was decided instead."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.concurrency import Full, next_look
from minutehand.domain.definition import Definition
from minutehand.domain.instants import SECOND
from minutehand.domain.overlap_lock import CLOCKS_DIFFER, Queue
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_decisions import Close, Done, Lose, Miss, Skip, Start, Wait, decide
from minutehand.domain.run_successors import decided, looking_again
from minutehand.usecases.dispatching.send import send
from minutehand.usecases.retries import Contended, retry_on_stored, retry_when_unavailable
from minutehand.usecases.running.acknowledge import (
    HAND_BACK,
    Delivery,
    delete,
    follow_up_and_delete,
    hand_back,
    send_later,
)
from minutehand.usecases.running.attempt import make_attempt
from minutehand.usecases.running.start import PermitTaken, Started, TooLittleTime, start_attempt
from minutehand.usecases.running.worker import Handled

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace

TRIES = 4
PERMIT_TRIES = 3
"""Tries at permits that others take first; the last of them waits as if there were no free slot."""


class Turn(NamedTuple):
    """One try at a run, which others may change meanwhile."""

    number: int
    run: Run
    definition: Definition | None

    def next(self, run: Run) -> Contended[Turn]:
        """The try after this one."""
        return Contended(self._replace(number=self.number + 1, run=run))


def handle(delivery: Delivery, run: Run, definition: Definition | None, namespace: Namespace | None) -> Handled:
    """Do what is due about the run of a message.

    Raises:
        Unavailable: when a store does not answer; the message has to stay.
    """
    done = retry_on_stored(Turn(1, run, definition), lambda turn: _take(turn, namespace, delivery), tries=TRIES)
    if isinstance(done, Contended):
        return hand_back(delivery, HAND_BACK, run=done.stored.run, problem="too many concurrent updates of the run")
    return done


def _take(turn: Turn, namespace: Namespace | None, delivery: Delivery) -> Handled | Contended[Turn]:
    run, definition = turn.run, turn.definition
    if definition is not None and run.revision > definition.revision:
        # The run was claimed anew since, under a later revision: the earlier one would skip it as superseded.
        definition = delivery.ports.definitions.get([run.key.job]).get(run.key.job)
        turn = turn._replace(definition=definition)
    now = delivery.ports.clock()
    decision = decide(run, definition, namespace, now=now)
    if isinstance(decision, Start):
        return _start(turn, decision, namespace, now, delivery)
    return _apply(turn, decision, now, delivery)


def _start(
    turn: Turn, decision: Start, namespace: Namespace | None, now: datetime, delivery: Delivery
) -> Handled | Contended[Turn]:
    run, definition = turn.run, turn.definition
    if definition is None:
        raise ValueError(f"run {run.key.run_id} of {run.key.job} was to start without a definition")
    started = start_attempt(run, decision, definition, namespace, delivery, now=now)
    match started:
        case Started():
            return make_attempt(started, definition, delivery)
        case TooLittleTime():
            return hand_back(delivery, timedelta(0), run=run)
        case Contended():
            return turn.next(started.stored)
        case PermitTaken():
            return turn.next(run) if turn.number < PERMIT_TRIES else _apply(turn, Full(), now, delivery)
        case _:
            return _apply(turn, started, now, delivery)


def _apply(
    turn: Turn, decision: Skip | Lose | Close | Miss | Wait | Done | Queue | Full, now: datetime, delivery: Delivery
) -> Handled | Contended[Turn]:
    """Do what was decided instead of a start."""
    run, until = turn.run, None
    match decision:
        case Done():
            return follow_up_and_delete(delivery, run, turn.definition)
        case Wait():
            return _wait(run, decision, delivery)
        case Queue():
            return send_later(delivery, run, decision.until)
        case Full():
            until = next_look(run, now, of=delivery.message.receipt)
            wanted = looking_again(run, until)
        case _:
            wanted = decided(run, decision, turn.definition, now)
    after = delivery.record(run, wanted)
    stored = retry_when_unavailable(lambda: delivery.ports.runs.move(run, after))
    if stored != after:
        return turn.next(stored)
    return send_later(delivery, stored, until) if until else follow_up_and_delete(delivery, stored, turn.definition)


def _wait(run: Run, decision: Wait, delivery: Delivery) -> Handled:
    """See that a message comes back when the run is to be looked at again."""
    now = delivery.ports.clock()
    if run.state in (RunState.WAITING, RunState.RETRYING):
        # Heartbeats, or looks for a slot, postpone it again and again. A message of its own each time never wears out.
        return Handled(received=delivery.message, deletable=all(send([run], delivery.ports, now)), run=run)
    if run.state is RunState.QUEUED and run.retry_at is not None and now + CLOCKS_DIFFER < run.retry_at:
        return delete(delivery, run)  # another message of it comes then
    return hand_back(delivery, max(decision.until - now, SECOND), run=run)
