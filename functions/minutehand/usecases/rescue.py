"""Rescue: the drain of the dead-letter queue and the slow sweep. They decide nothing; they see that a worker looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.deciding import Decision, Done, Lose, Wait, decide
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunKey
from minutehand.usecases.execute import Handled
from minutehand.usecases.ports import Message, Received
from minutehand.usecases.report import lost, no_takeover_left
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
    trouble = ""
    try:
        decision: Decision | None = decide(run, definition, now=now)
    except Exception as problem:  # noqa: BLE001 - what no worker can decide must come to an end all the same
        decision, trouble = None, f": {type(problem).__name__}: {problem}"
    if isinstance(decision, Done) or run is None:
        return Handled(received=message, deletable=True, run=run)
    if isinstance(decision, Wait):
        sent = world.outbox.send([_reminder(run, decision.until)])
        return Handled(received=message, deletable=all(sent), run=run)
    worn_out = run.resends >= MOST_RESENDS + (definition.job.takeovers if definition else 0)
    if isinstance(decision, Lose) or worn_out:
        came_back = f"came back from the dead-letter queue {run.resends} times and no worker could end it{trouble}"
        why = no_takeover_left(run) if isinstance(decision, Lose) else came_back
        stands = world.runs.move(run, lost(run, why, now))
        return Handled(received=message, deletable=stands.state.finished, run=stands)
    counted = replace(run, resends=run.resends + 1)
    if world.runs.move(run, counted) != counted:
        return Handled(received=message, deletable=False, run=run, problem="the run moved meanwhile")
    sent = world.outbox.send([_reminder(counted, now)])
    return Handled(received=message, deletable=all(sent), run=counted)


def sweep(world: World, *, time_left: Callable[[], timedelta]) -> Sequence[RunKey]:
    """Send again what has been active past every limit: what a purged queue or an expired message left behind.

    Namespaces are begun at another one each hour, so that sweeps that run short of time starve none. Answers the runs
    that were sent again; there should be none.
    """
    now = world.clock()
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    namespaces = world.definitions.namespaces()
    begin = int(now.timestamp()) // 3600 % max(len(namespaces), 1)
    resent: list[RunKey] = []
    for namespace in [*namespaces[begin:], *namespaces[:begin]]:
        for age in SWEPT_HOURS:
            for keys in world.runs.in_hour(namespace, this_hour - timedelta(hours=age)):
                if time_left() < _RESERVE:
                    return resent
                resent += [run.key for run in _readable(keys, world) if _stuck(run, now) and _resent(run, now, world)]
    return resent


def _readable(keys: Sequence[RunKey], world: World) -> list[Run]:
    """The runs that can be read, one by one when one call for all fails: the others must not wait for a bad one."""
    try:
        return list(world.runs.get(keys).values())
    except Unavailable:
        return [] if len(keys) == 1 else [run for key in keys for run in _readable([key], world)]


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
