"""Handle one message: decide about its run, start and make an attempt, or write what was decided instead."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from minutehand.domain.concurrency import Full, next_look
from minutehand.domain.deadlines import LEASE_MARGIN, call_limit
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable, unanswered
from minutehand.domain.instants import SECOND
from minutehand.domain.overlap_lock import CLOCKS_DIFFER, Queue
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_decisions import Close, Done, Join, Lose, Miss, Skip, Start, Wait, next_check
from minutehand.domain.run_successors import decided, joins_next, looking_again
from minutehand.domain.shadow import in_shadow
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
from minutehand.usecases.running.admit import keep_longer, naming_blocker
from minutehand.usecases.running.attempt import PermitTaken, given_again, start_attempt
from minutehand.usecases.running.deciding import decision_about
from minutehand.usecases.running.worker import Handled

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace

TRIES = 4
PERMIT_TRIES = 3
"""Tries to take permits while other runs take them first. After the last, the run waits as if no slot were free."""


def handle(delivery: Delivery, run: Run, definition: Definition | None, namespace: Namespace | None) -> Handled:
    """Handle a message: start its run's next attempt, or do what else the run's record calls for.

    Raises:
        Unavailable: when a store does not answer; the message has to stay.
    """
    tries, place = 0, None

    def update(run: Run) -> Handled | Contended[Run]:
        nonlocal definition, tries, place
        tries += 1
        if definition is not None and run.revision > definition.revision:
            # A later revision claimed the run again after the definition was read, and the definition as read would skip it.
            definition = delivery.ports.definitions.get([run.key.job]).get(run.key.job)
        now = delivery.ports.clock()
        decision = decision_about(run, definition, namespace, delivery.ports, now)
        if isinstance(decision, Start):
            decision = in_shadow(run, decision, definition, namespace, stack=delivery.ports.shadow)
        if isinstance(decision, Wait) and definition is not None:
            again = given_again(run, definition, delivery)
            if again is not None:
                return again
        if not isinstance(decision, Start):
            return _apply(run, definition, decision, now, delivery)
        if definition is None:
            raise ValueError(f"run {run.key.run_id} of {run.key.job} was to start without a definition")
        if (forwarded := _forwarded(run, decision, definition, now, delivery)) is not None:
            return forwarded
        if delivery.worker.time_left() < call_limit(definition.job) + LEASE_MARGIN:
            # This process ends before the call could; another worker has to start the attempt.
            return hand_back(delivery, timedelta(0), run=run)
        started = start_attempt(run, decision, definition, namespace, delivery, place=place, now=now)
        if isinstance(started, Handled | Contended):
            return started
        if isinstance(started, PermitTaken):
            place = started.place
            return Contended(run) if tries < PERMIT_TRIES else _apply(run, definition, Full(), now, delivery)
        return _apply(run, definition, started, now, delivery)

    done = retry_on_stored(run, update, tries=TRIES)
    if isinstance(done, Contended):
        return hand_back(delivery, HAND_BACK, run=done.stored, problem="too many concurrent updates of the run")
    return done


def _forwarded(run: Run, start: Start, definition: Definition, now: datetime, delivery: Delivery) -> Handled | None:
    """Pass a run on to whoever starts it instead of this worker, or let it wait while nobody can; None if this worker starts it.

    ◆ The message is deleted only after the other queue has accepted one: if that queue refuses, this raises, and the message stays.
    """
    forward = delivery.worker.forward
    if forward is None or start.shadow:
        return None
    forwarded = forward(run, definition)
    if forwarded is None:
        return None
    keep_longer(run, definition, delivery.ports, now)
    if isinstance(forwarded, Full):
        return _look_again(run, definition, forwarded, now, delivery)
    if run.waits_for is not None:
        with suppress(Unavailable):  # what it waited for is only shown
            delivery.ports.runs.move(run, _no_longer_waiting(run))
    return delete(delivery, run)._replace(moved=True)


def _no_longer_waiting(run: Run) -> Run:
    """The run after it found whom it waited for. One that is to be retried keeps the instant of that."""
    return replace(run, waits_for=None, retry_at=None if run.state is RunState.QUEUED else run.retry_at)


def _apply(
    run: Run,
    definition: Definition | None,
    decision: Skip | Lose | Close | Miss | Join | Wait | Done | Queue | Full,
    now: datetime,
    delivery: Delivery,
) -> Handled | Contended[Run]:
    """Do what was decided instead of a start."""
    match decision:
        case Done():
            return follow_up_and_delete(delivery, run, definition)
        case Wait():
            return _wait(run, decision, delivery)
        case Join():
            return _join(run, now, delivery)
        case Queue():
            return send_later(delivery, run, next_check(run, definition, decision.until))
        case Full():
            return _look_again(run, definition, decision, now, delivery)
    if isinstance(decision, Skip) and definition is not None:
        decision = naming_blocker(decision, run, definition, delivery.ports, now)
    after = delivery.record(run, decided(run, decision, definition, now))
    stored = retry_when_unavailable(lambda: delivery.ports.runs.move(run, after))
    if stored != after:
        return Contended(stored)
    return follow_up_and_delete(delivery, stored, definition)._replace(ended=True)


def _look_again(run: Run, definition: Definition | None, full: Full, now: datetime, delivery: Delivery) -> Handled:
    """Let the run look for a free slot again later, or wait for its place in a minute.

    ◆ The message for that is sent before `retry_at` is written, since workers delete messages of the run that come earlier. ◆ It takes
    this one's place even when the write fails or another writer is faster: with both kept, messages would multiply.
    """
    place = full.place
    named = delivery.message.receipt
    again = next_look(run, now, of=named) if place is None else place.wait(of=named)
    until = next_check(run, definition, again)
    replaced = send_later(delivery, run, until)
    if not replaced.deletable:
        return replaced
    try:
        taken = full.limit and full.limit.taken
        after = delivery.record(run, looking_again(run, until, taken, place and place.minute))
        return replaced._replace(run=retry_when_unavailable(lambda: delivery.ports.runs.move(run, after)))
    except Unavailable as trouble:
        return replaced._replace(problem=str(trouble), unanswered=unanswered(trouble))


def _wait(run: Run, decision: Wait, delivery: Delivery) -> Handled:
    """Make sure that a message of the run arrives when a worker must check the run again."""
    now = delivery.ports.clock()
    looks_again = run.state is RunState.QUEUED or run.waits_for is not None
    again = run.joins_at if run.state is RunState.WAITING else run.retry_at if looks_again else None
    if again is not None and now + CLOCKS_DIFFER < again:
        return delete(delivery, run)  # another message of the run, sent before that was written, arrives then
    if run.state in (RunState.WAITING, RunState.RETRYING):
        # Heartbeats, or waits for a later retry, may postpone the check often. A new message each time avoids the limit of receives.
        return Handled(received=delivery.message, deletable=all(send([run], delivery.ports, now)), run=run)
    return hand_back(delivery, max(decision.until - now, SECOND), run=run)


def _join(run: Run, now: datetime, delivery: Delivery) -> Handled:
    """Look at the runs on nodes of a run, and have a worker do so again.

    ◆ The message for that is sent before `joins_at` is written, since workers delete messages of the run that come earlier.
    """
    from minutehand.usecases.completion.join_nodes import step  # noqa: PLC0415 - few runs are on several nodes

    again = joins_next(run, now)
    replaced = send_later(delivery, run, again)
    if not replaced.deletable:
        return replaced
    ports = delivery.ports
    try:
        ports.runs.move(run, replace(run, joins_at=again))
        done = step(ports, run.key, run.attempt, watch=True)
    except Unavailable as trouble:
        return replaced._replace(problem=str(trouble), unanswered=unanswered(trouble))
    return replaced if done else replaced._replace(problem="the step of the run on several nodes is incomplete")
