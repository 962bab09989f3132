"""Runs as stored, and sweeps over them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY, sweep
from tests.unit.domain.examples import SECOND
from tests.unit.usecases.stage import FOREVER, Stage

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def put(stage: Stage, *runs: Run) -> None:
    stage.state.runs.update({one.key: one for one in runs})


def swept(stage: Stage, *runs: Run, time_left: timedelta = FOREVER) -> Sequence[RunKey]:
    put(stage, *runs)
    return sweep(stage.ports, time_left=lambda: time_left)


def hasty_sweep(stage: Stage, messages: int) -> Sequence[RunKey]:
    """A sweep that begins no further step once it has sent so many messages, as if each took a second."""
    before = len(stage.state.messages)
    return sweep(stage.ports, time_left=lambda: (10 + messages - len(stage.state.messages) + before) * SECOND)


def sweeps(stage: Stage, *, until: datetime) -> list[tuple[str, RunKey]]:
    """Let time go by with a sweep each minute, and no worker. When each run was sent, and its key."""
    sent = []
    while stage.now < until:
        stage.now += SWEEP_EVERY
        sent += [(f"{stage.now:%H:%M:%S}", key) for key in swept(stage)]
    return sent
