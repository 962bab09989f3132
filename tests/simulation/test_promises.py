"""Promises P1 to P3, P5 and P7, and P4 as far as edits go, under seeded faults."""

from __future__ import annotations

import os

import pytest

from minutehand.domain.run import RunState
from tests.simulation.observed import Moved
from tests.simulation.playing import play
from tests.simulation.scenario import Scenario

SEEDS = int(os.environ.get("SEEDS", "2000"))
"""How many histories: those that come after them are for `python -m tests.simulation`."""
GROUP = 50


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_no_history_of_faults_breaks_a_promise(first: int) -> None:
    for seed in range(first, min(first + GROUP, SEEDS)):
        played = play(seed)
        assert not played.problems, str(played)


def test_the_same_seed_is_the_same_history() -> None:
    def played() -> list[Moved]:
        scenario = Scenario(1)
        scenario.play()
        return scenario.history.moves

    moves = played()
    assert moves == played()
    assert {RunState.QUEUED, RunState.RUNNING, RunState.SUCCEEDED} <= {move.after.state for move in moves}
