"""Promises P1 to P3, P5 and P7, and P4 as far as edits go, under seeded faults."""

from __future__ import annotations

import os
from functools import cache

import pytest

from minutehand.domain.run import RunState
from tests.simulation.observed import Moved
from tests.simulation.playing import Played, play
from tests.simulation.rules import Rule
from tests.simulation.scenario import Scenario

SEEDS = int(os.environ.get("SEEDS", "2000"))
"""How many histories: those that come after them are for `python -m tests.simulation`."""
GROUP = 50
ENOUGH = 500
"""Histories in which each rule of the judge has a case."""


@cache
def group(first: int) -> list[Played]:
    return [play(seed) for seed in range(first, first + GROUP)]


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_no_history_of_faults_breaks_a_promise(first: int) -> None:
    for played in group(first):
        assert not played.problems, str(played)


def test_the_histories_come_to_a_case_of_each_rule() -> None:
    unseen = set(Rule)
    for first in range(0, ENOUGH, GROUP):
        unseen -= {rule for played in group(first) for rule, times in played.judged.items() if times}
        if not unseen:
            return
    assert not unseen, f"no case of these in {ENOUGH} histories"


def test_the_same_seed_is_the_same_history() -> None:
    def played() -> list[Moved]:
        scenario = Scenario(1)
        scenario.play()
        return scenario.history.moves

    moves = played()
    assert moves == played()
    assert {RunState.QUEUED, RunState.RUNNING, RunState.SUCCEEDED} <= {move.after.state for move in moves}
