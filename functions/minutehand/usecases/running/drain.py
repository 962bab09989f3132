"""The drain: what comes to the dead-letter queue is seen to its end, by a worker where that can still be."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.run_decisions import Decision, Done, Lose, Wait, decide
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.completion.report import lost
from minutehand.usecases.dispatching.send import reminder
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.running.worker import Handled

MOST_RESENDS = 3
"""How often a run comes back from the dead-letter queue before it is lost, besides once for each take-over."""


def drain(message: Received, *, ports: Ports) -> Handled:
    """Send again what can still run, follow up what is finished, and record as lost what cannot run any more.

    Raises:
        Unavailable: when the stores do not answer; the message has to stay.
    """
    run = ports.runs.get([message.run]).get(message.run)
    definition = ports.definitions.get([message.run.job]).get(message.run.job)
    now = ports.clock()
    trouble = ""
    try:
        decision: Decision | None = decide(run, definition, now=now)
    except Exception as problem:  # noqa: BLE001 - what no worker can decide must come to an end all the same
        decision, trouble = None, f": {type(problem).__name__}: {problem}"
    if run is None:
        return Handled(received=message, deletable=True)
    if isinstance(decision, Done):
        return Handled(received=message, deletable=follow_up(run, definition, ports), run=run)
    if isinstance(decision, Wait):
        sent = ports.outbox.send([reminder(run, decision.until)])
        return Handled(received=message, deletable=all(sent), run=run)
    worn_out = run.resends >= MOST_RESENDS + (definition.job.takeovers if definition else 0)
    if isinstance(decision, Lose) or worn_out:
        came_back = f"came back from the dead-letter queue {run.resends} times and no worker could end it{trouble}"
        why = decision.why if isinstance(decision, Lose) else came_back
        stands = ports.runs.move(run, lost(run, why, now))
        ended = stands.state.finished and follow_up(stands, definition, ports)
        return Handled(received=message, deletable=ended, run=stands)
    counted = replace(run, resends=run.resends + 1)
    if ports.runs.move(run, counted) != counted:
        return Handled(received=message, deletable=False, run=run, problem="the run moved meanwhile")
    sent = ports.outbox.send([reminder(counted, now)])
    return Handled(received=message, deletable=all(sent), run=counted)
