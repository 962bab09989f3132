"""The drain: bring every run whose message reaches the dead-letter queue to its end, by a worker where one still can."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Decision, Done, Lose, Wait, decide
from minutehand.domain.run_successors import lost
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.dispatching.send import reminder
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.running.worker import Handled

MOST_RESENDS = 3
"""How often a run may come back from the dead-letter queue before it is lost, besides once for each take-over."""


class Undecidable(NamedTuple):
    """No worker can decide about the run; it has to end all the same."""

    problem: str


def drain(message: Received, *, ports: Ports) -> Handled:
    """Send again a run that can still start, follow up a finished one, and record as lost one that no worker can end.

    Raises:
        Unavailable: when a store does not answer; the message has to stay.
    """
    run = ports.runs.get([message.run]).get(message.run)
    if run is None:
        return Handled(received=message, deletable=True)
    definition = ports.definitions.get([message.run.job]).get(message.run.job)
    now = ports.clock()
    decision = _decision(run, definition, now)
    if isinstance(decision, Done):
        return Handled(received=message, deletable=follow_up(run, definition, ports), run=run)
    if isinstance(decision, Wait):
        sent = ports.outbox.send([reminder(run, decision.until)])
        return Handled(received=message, deletable=all(sent), run=run)
    why = _why_lost(run, decision, definition)
    return (
        _send_again(message, run, now, ports)
        if why is None
        else _lose(message, run, why, definition, now=now, ports=ports)
    )


def _decision(run: Run, definition: Definition | None, now: datetime) -> Decision | Undecidable:
    try:
        return decide(run, definition, now=now)
    except Exception as problem:  # noqa: BLE001 - whatever keeps workers from deciding
        return Undecidable(f"{type(problem).__name__}: {problem}")


def _why_lost(run: Run, decision: Decision | Undecidable, definition: Definition | None) -> str | None:
    """Why the run is lost; None while it may be sent again."""
    if isinstance(decision, Lose):
        return decision.why
    if run.resends < MOST_RESENDS + (definition.job.takeovers if definition else 0):
        return None
    problem = f": {decision.problem}" if isinstance(decision, Undecidable) else ""
    return f"came back from the dead-letter queue {run.resends} times and no worker could end it{problem}"


def _lose(
    message: Received, run: Run, why: str, definition: Definition | None, *, now: datetime, ports: Ports
) -> Handled:
    stored = ports.runs.move(run, lost(run, why, now))
    ended = stored.state.finished and follow_up(stored, definition, ports)
    return Handled(received=message, deletable=ended, run=stored)


def _send_again(message: Received, run: Run, now: datetime, ports: Ports) -> Handled:
    counted = replace(run, resends=run.resends + 1)
    if ports.runs.move(run, counted) != counted:
        return Handled(received=message, deletable=False, run=run, problem="the run changed meanwhile")
    sent = ports.outbox.send([reminder(counted, now)])
    return Handled(received=message, deletable=all(sent), run=counted)
