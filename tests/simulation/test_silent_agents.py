"""Commands that agents run: no history breaks a promise, and what is wrong about a silent agent's run is noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from minutehand.domain import run_decisions, run_successors
from minutehand.domain.run import Run
from minutehand.domain.run_decisions import Lose, Miss
from minutehand.targets.command.fields import CommandTarget
from tests.simulation import drawn
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.playing import play
from tests.simulation.rules import Rule

HISTORIES = 60
pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def _commands(monkeypatch: Patch) -> None:
    """As if agents ran the commands of most jobs."""
    right = drawn._target

    def target(random: Random) -> Any:
        if random.random() < 0.3:
            return right(random)
        return CommandTarget(pool="sim", command="work", heartbeat=timedelta(seconds=random.choice([3, 6])))

    monkeypatch.setattr(drawn, "_target", target)


def test_commands_of_agents_break_no_promise() -> None:
    judged: Counter[Rule] = Counter()
    for seed in range(HISTORIES):
        played = play(seed)
        assert not played.problems, str(played)
        judged.update(played.judged)
    assert judged[Rule.TAKEN_OVER] > HISTORIES


def a_silence_that_counts_as_a_failure(patch: Patch) -> None:
    _decided(patch, lambda decision: decision._replace(taken_over=False) if isinstance(decision, Miss) else decision)


def a_take_over_after_a_missed_deadline(patch: Patch) -> None:
    _decided(patch, lambda decision: decision._replace(taken_over=True) if isinstance(decision, Miss) else decision)


def a_silent_agent_that_is_taken_over_without_end(patch: Patch) -> None:
    right = run_decisions._decide_waiting
    patch.setattr(
        run_decisions, "_decide_waiting", lambda run, known, now: right(replace(run, takeovers=0), known, now)
    )


def a_silent_agents_run_that_is_lost_at_once(patch: Patch) -> None:
    _decided(patch, lambda decision: Lose("silent") if isinstance(decision, Miss) and decision.taken_over else decision)


def a_take_over_that_is_early(patch: Patch) -> None:
    right = run_decisions._decide_waiting
    patch.setattr(
        run_decisions, "_decide_waiting", lambda run, known, now: right(run, known, now + timedelta(seconds=20))
    )


def a_take_over_that_waits(patch: Patch) -> None:
    right = run_successors._left

    def left(run: Run, outcome: Any, now: Any) -> Run:
        return replace(right(run, outcome, now), retry_at=now + timedelta(seconds=30))

    patch.setattr(run_successors, "_left", left)


def a_take_over_that_uses_up_a_try(patch: Patch) -> None:
    right = run_successors._left
    patch.setattr(run_successors, "_left", lambda run, *known: replace(right(run, *known), takeovers=run.takeovers))


def _decided(patch: Patch, change: Any) -> None:
    right = run_decisions._decide_waiting
    patch.setattr(run_decisions, "_decide_waiting", lambda *known: change(right(*known)))


MUTATIONS: list[Mutation] = [
    a_silence_that_counts_as_a_failure,
    a_take_over_after_a_missed_deadline,
    a_silent_agent_that_is_taken_over_without_end,
    a_silent_agents_run_that_is_lost_at_once,
    a_take_over_that_is_early,
    a_take_over_that_waits,
    a_take_over_that_uses_up_a_try,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, histories=HISTORIES)
