"""Rescue: the drain of the dead-letter queue and the slow sweep. They decide nothing; they see that a worker looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.deciding import Done, Lose, Start, Wait, decide
from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Definition
from minutehand.domain.run import Run, RunKey
from minutehand.usecases.execute import Handled, closed
from minutehand.usecases.ports import Message, Received
from minutehand.usecases.world import World

MOST_RESENDS = 3
"""How often a run comes back from the dead-letter queue before it is lost, besides once for each take-over."""
SWEPT_HOURS = (1, 3, 12, 48, 168)
"""Ages, in hours, at which the sweep looks at an hour's runs."""
PAST_EVERY_LIMIT = timedelta(minutes=30)
"""An active run is stuck when this long after its instant, its lease and its last re-send nothing has ended it."""
_RESERVE = timedelta(seconds=10)


def drain(message: Received, *, world: World) -> Handled:
    """Send again what can still run, follow up what is finished, and record as lost what cannot run any more.

    Raises:
        Unavailable: when the stores do not answer; the message has to stay.
    """
    run = world.runs.get([message.run]).get(message.run)
    definition = world.definitions.get([message.run.job]).get(message.run.job)
    now = world.clock()
    decision = decide(run, definition, now=now)
    if isinstance(decision, Done) or run is None:
        return Handled(received=message, deletable=True, run=run)
    if isinstance(decision, Lose) or (isinstance(decision, Start) and _worn_out(run, definition)):
        stands = world.runs.move(run, closed(run, decision, now))
        return Handled(received=message, deletable=stands.state.finished, run=stands)
    if isinstance(decision, Start):
        counted = replace(run, resends=run.resends + 1)
        if world.runs.move(run, counted) != counted:
            return Handled(received=message, deletable=False, run=run, problem="the run moved meanwhile")
    not_before = decision.until if isinstance(decision, Wait) else now
    sent = world.outbox.send([_reminder(run, not_before)])
    return Handled(received=message, deletable=all(sent), run=run)


def _worn_out(run: Run, definition: Definition | None) -> bool:
    return run.resends >= MOST_RESENDS + (definition.job.takeovers if definition else 0)


def sweep(world: World, *, time_left: Callable[[], timedelta]) -> Sequence[RunKey]:
    """Send again what has been active past every limit: what a purged queue or an expired message left behind.

    Answers the runs that were sent again; there should be none.
    """
    now = world.clock()
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    resent: list[RunKey] = []
    for namespace in world.definitions.namespaces():
        for age in SWEPT_HOURS:
            for keys in world.runs.in_hour(namespace, this_hour - timedelta(hours=age)):
                if time_left() < _RESERVE:
                    return resent
                for run in world.runs.get(keys).values():
                    if _stuck(run, now) and _resent(run, now, world):
                        resent.append(run.key)
    return resent


def _stuck(run: Run, now: datetime) -> bool:
    last_sign = max(t for t in (run.scheduled_for, run.claimed_at, run.lease_until, run.resent_at) if t is not None)
    return not run.state.finished and last_sign + PAST_EVERY_LIMIT < now


def _resent(run: Run, now: datetime, world: World) -> bool:
    marked = replace(run, resent_at=now)
    try:
        return world.runs.move(run, marked) == marked and all(world.outbox.send([_reminder(run, now)]))
    except Unavailable:
        return False


def _reminder(run: Run, not_before: datetime) -> Message:
    return Message(run=run.key, attempt=run.attempt + 1, target=run.target, not_before=not_before)
