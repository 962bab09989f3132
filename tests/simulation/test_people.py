"""Promises under seeded faults while people pause until an instant, resume with a catch-up, trigger beside other runs, and redrive."""

from __future__ import annotations

import pytest

from tests.simulation.backfilling import broken_backfills
from tests.simulation.checker import violations
from tests.simulation.people import Interfering, worn_out

SEEDS = 60
GROUP = 10
pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_no_history_in_which_people_interfere_breaks_a_promise(first: int) -> None:
    for seed in range(first, first + GROUP):
        scenario = Interfering(seed)
        scenario.play()
        found = [*broken_backfills(scenario), *violations(scenario), *worn_out(scenario)]
        assert not found, f"seed {seed}: {found}"
