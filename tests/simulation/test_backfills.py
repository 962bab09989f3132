"""Backfills under seeded faults; and each rule of their steps, broken on purpose, is noticed."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain.backfill import Backfill
from minutehand.usecases.dispatching import replay
from tests.simulation.backfilling import Backfilling, broken_backfills
from tests.simulation.checker import violations
from tests.simulation.mutations import Mutation, Patch, assert_noticed

SEEDS = 60
GROUP = 10
pytestmark = pytest.mark.thorough


def played(seed: int) -> Backfilling:
    scenario = Backfilling(seed)
    scenario.play()
    return scenario


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_no_history_of_faults_breaks_a_promise_about_backfills(first: int) -> None:
    for seed in range(first, first + GROUP):
        scenario = played(seed)
        found = [*broken_backfills(scenario), *violations(scenario)]
        assert not found, f"seed {seed}: {found}"


def what_is_missing_is_not_claimed(patch: Patch) -> None:
    right = replay.plan_step

    def planned(before: Backfill, *rest: Any, **how: Any) -> Any:
        found = right(before, *rest, **how)
        return found._replace(unclaimed=[t for t in found.unclaimed if t not in before.active])

    patch.setattr(replay, "plan_step", planned)


def a_step_that_is_stored_last(patch: Patch) -> None:
    """What is taken is claimed and sent first."""
    right = replay.plan_step

    def planned(before: Backfill, runs: Any, definition: Any, ports: Any, **how: Any) -> Any:
        found = right(before, runs, definition, ports, **how)
        if definition is not None:
            replay.start_step(found, definition, ports, how["now"])
        return found

    patch.setattr(replay, "plan_step", planned)


def a_watchdog_that_sends_nothing_again(patch: Patch) -> None:
    patch.setattr(replay, "resend_each", lambda *_: frozenset())


@pytest.mark.parametrize(
    "mutation",
    [
        what_is_missing_is_not_claimed,
        a_step_that_is_stored_last,
        a_watchdog_that_sends_nothing_again,
    ],
    ids=lambda mutation: mutation.__name__,
)
def test_a_broken_rule_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, lambda seed: broken_backfills(played(seed)), histories=400)
