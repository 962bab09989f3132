"""Start a backfill, work it off, and read its state."""

from __future__ import annotations

from typing import Any

from minutehand.domain.actor import Actor
from minutehand.domain.backfill import Backfill
from minutehand.domain.run import RunState
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec, Started
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.stage import Stage

ID = "abc"
FAILURE = Outcome(state=RunState.FAILED)


def asked(stage: Stage, begin: str = "09:00", end: str = "09:05", identity: str = ID, **how: Any) -> Started:
    return backfill.start(
        stage.ports, KEY, BackfillSpec(start=at(begin), end=at(end), **how), identity=identity, who=Actor("ada")
    )


def stored(stage: Stage, identity: str = ID) -> Backfill:
    return stage.state.backfills[KEY, identity]


def watch(stage: Stage) -> None:
    """Run the watchdog when it is due."""
    due = stored(stage).next_at
    assert due is not None
    stage.now = max(stage.now, due)
    stage.tick()


def work_off(stage: Stage, most: int = 50) -> None:
    """Have workers handle messages until none is left."""
    for _ in range(most):
        if not stage.work():
            return
    raise AssertionError("it never comes to rest")


def replayed(stage: Stage) -> list[str]:
    """Clock times of the replayed occurrences, in the order of their calls."""
    return [f"{key.scheduled_for:%H:%M}" for key, _ in stage.called]
