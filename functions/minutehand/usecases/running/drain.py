"""The drain: bring each run whose message reaches the dead-letter queue to its end, by a worker if one still can do so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from minutehand.domain.definition import Definition
from minutehand.domain.instants import doubling
from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Done, Lose, Wait
from minutehand.domain.run_successors import lost
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.dispatching.send import reminder
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.running.deciding import decision_about
from minutehand.usecases.running.worker import Handled

GIVEN_UP_AFTER = timedelta(days=14)
"""A run is lost when no worker could start, check or end it for so long after one should have: as long as the queue keeps messages, and
thus longer than an outage that it outlasts. Until then, take-overs that are used up are the only reason."""
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(minutes=15)
"""How long the drain delays a run's second message, and at most any of its messages. The first one is not delayed."""


def drain(message: Received, *, ports: Ports) -> Handled:
    """Send again a run that can still start, follow up a finished one, and record as lost one that no worker can end.

    That a message came back often says nothing about its run: workers may be unable to read the tables. So the run is sent again, after
    waits that grow, until its take-overs are used up or `GIVEN_UP_AFTER` has passed.

    Raises:
        Unavailable: when a store does not answer; the message has to stay.
    """
    run = ports.runs.get([message.run]).get(message.run)
    if run is None:
        return Handled(received=message, deletable=True)
    definition = ports.definitions.get([message.run.job]).get(message.run.job)
    now = ports.clock()
    decision, problem = None, ""
    try:
        decision = decision_about(run, definition, None, ports, now)
    except Exception as trouble:  # noqa: BLE001 - the run has to end, whatever error keeps workers from deciding about it
        problem = f": {type(trouble).__name__}: {trouble}"
    if isinstance(decision, Done):
        return Handled(received=message, deletable=_followed_up(run, definition, ports), run=run)
    if isinstance(decision, Wait):
        return _sent(message, run, reminder(run, decision.until), ports)
    given_up = max(run.wakes_at, run.claimed_at) + GIVEN_UP_AFTER <= now
    if not isinstance(decision, Lose) and not given_up:
        counted = replace(run, resends=run.resends + 1)
        if ports.runs.move(run, counted) != counted:
            return Handled(received=message, deletable=False, run=run, problem="the run changed meanwhile")
        return _sent(message, counted, reminder(counted, now + wait_before(run.resends)), ports)
    worn_out = f"for {GIVEN_UP_AFTER.days} days no worker could start or end it, in {run.resends} turns through the queue{problem}"
    why = decision.why if isinstance(decision, Lose) else worn_out
    wanted = lost(run, why, definition, now)
    stored = ports.runs.move(run, wanted)
    done = stored.state.finished and _followed_up(stored, definition, ports)
    return Handled(received=message, deletable=done, run=stored, ended=stored == wanted)


def _followed_up(run: Run, definition: Definition | None, ports: Ports) -> bool:
    """Start what the end of a run leads to. Of a run on one of several nodes, the watch of the run on all of them does that."""
    return run.share is not None or follow_up(run, definition, ports)


def wait_before(resends: int) -> timedelta:
    """How long the drain delays the message of a run that it has sent so often before."""
    return doubling(FIRST_WAIT, LONGEST_WAIT, resends)


def _sent(received: Received, run: Run, message: Message, ports: Ports) -> Handled:
    taken = all(ports.outbox.send([message]))
    return Handled(
        received,
        deletable=taken,
        run=run,
        problem="" if taken else "the queue did not take the run's message",
        unanswered=not taken,
    )
