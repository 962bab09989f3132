"""The drain: bring each run whose message reaches the dead-letter queue to its end, by a worker if one still can do so."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Done, Lose, Wait, decide
from minutehand.domain.run_successors import lost
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.dispatching.send import reminder
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.running.worker import Handled

MOST_RESENDS = 3
"""How often a run may come back from the dead-letter queue before it is lost, besides once for each take-over."""


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
    decision, problem = None, ""
    try:
        decision = decide(run, definition, now=now)
    except Exception as trouble:  # noqa: BLE001 - the run has to end, whatever error keeps workers from deciding about it
        problem = f": {type(trouble).__name__}: {trouble}"
    if isinstance(decision, Done):
        return Handled(received=message, deletable=follow_up(run, definition, ports), run=run)
    if isinstance(decision, Wait):
        return _sent(message, run, reminder(run, decision.until), ports)
    most = MOST_RESENDS + (definition.job.takeovers if definition else 0)
    if not isinstance(decision, Lose) and run.resends < most:
        counted = replace(run, resends=run.resends + 1)
        if ports.runs.move(run, counted) != counted:
            return Handled(received=message, deletable=False, run=run, problem="the run changed meanwhile")
        return _sent(message, counted, reminder(counted, now), ports)
    worn_out = f"came back from the dead-letter queue {run.resends} times and no worker could end it{problem}"
    wanted = lost(run, decision.why if isinstance(decision, Lose) else worn_out, now)
    stored = ports.runs.move(run, wanted)
    done = stored.state.finished and follow_up(stored, definition, ports)
    return Handled(received=message, deletable=done, run=stored, ended=stored == wanted)


def _sent(received: Received, run: Run, message: Message, ports: Ports) -> Handled:
    taken = all(ports.outbox.send([message]))
    return Handled(
        received,
        deletable=taken,
        run=run,
        problem="" if taken else "the queue did not take the run's message",
        unanswered=not taken,
    )
