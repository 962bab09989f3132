"""Runs on several nodes under faults: the promises hold; and each rule, broken on purpose, is noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from minutehand.adapters.memory import MemorySpreads
from minutehand.domain import share_decisions as shares
from minutehand.domain import spread
from minutehand.domain.run import Run
from minutehand.domain.run_successors import joins_next
from minutehand.domain.spread import Spread, Step
from minutehand.schedule import parser
from minutehand.usecases.completion import join_nodes
from minutehand.usecases.running import admit, handle
from minutehand.usecases.running.acknowledge import send_later
from minutehand.usecases.running.worker import Handled
from tests.simulation import faults
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.playing import read_once
from tests.simulation.spreading import Spreading, violations

HISTORIES = 30
DRAGS = 0.03
"""How many calls are slow: more than elsewhere, since steps of one run that read what is not so any more are what matters here."""
pytestmark = pytest.mark.thorough


def problems(seed: int) -> Sequence[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "parse_parts", read_once)
        patch.setattr(faults, "DRAGS", DRAGS)
        history = Spreading(seed)
        history.play()
        return violations(history)


def test_runs_on_several_nodes_break_no_promise() -> None:
    for seed in range(HISTORIES):
        assert not (found := problems(seed)), (seed, found)


def test_these_histories_have_runs_on_several_nodes() -> None:
    ended = 0
    for seed in range(5):
        history = Spreading(seed)
        history.play()
        ended += sum(run.joins_at is not None and run.state.finished for run in history.state.runs.values())
    assert ended > 5


def a_step_that_stores_over_another(patch: Patch) -> None:
    """Whatever has been stored since it read the spread: that it was closed."""

    def save(self: MemorySpreads, before: Spread, after: Spread) -> bool:
        self._state.spreads[before.parent, before.attempt] = after
        return True

    patch.setattr(MemorySpreads, "save", save)


def a_run_that_ends_without_closing_its_spread(patch: Patch) -> None:
    right = spread.plan_step

    def planned(before: Spread, runs: Any, *, stopped: bool) -> Step:
        found = right(before, runs, stopped=stopped)
        if found.after.closed and not before.closed:
            found = right(found.after, runs, stopped=stopped)._replace(after=before)
        return found

    patch.setattr(join_nodes, "plan_step", planned)


def a_run_that_ends_although_a_node_may_still_begin(patch: Patch) -> None:
    """It does not wait for nodes that were taken and have no run yet."""
    right = spread.plan_step

    def planned(before: Spread, runs: Any, *, stopped: bool) -> Step:
        found = right(before, runs, stopped=stopped)
        if not (found.closed and found.unclaimed) or not all(run.state.finished for run in runs.values()):
            return found
        ended = {node: runs[key] for node, key in before.children.items() if key in runs}
        return found._replace(unclaimed=(), outcome=spread._outcome(before, ended))

    patch.setattr(join_nodes, "plan_step", planned)


def a_node_that_begins_after_its_run_has_ended(patch: Patch) -> None:
    patch.setattr(shares, "_why_over", lambda *_: None)


def a_node_that_takes_the_lock(patch: Patch) -> None:
    right = admit.admit
    patch.setattr(
        "minutehand.usecases.running.attempt.admit",
        lambda run, *more, **named: right(replace(run, share=None), *more, **named),
    )


def a_next_look_that_is_written_before_its_message(patch: Patch) -> None:
    right = handle._join

    def join(run: Run, now: datetime, delivery: Any) -> Any:
        again = joins_next(run, now)
        return right(delivery.ports.runs.move(run, replace(run, joins_at=again)), now, delivery)

    patch.setattr(handle, "_join", join)


def a_watch_without_a_next_look(patch: Patch) -> None:
    right = handle._join

    def join(run: Run, now: datetime, delivery: Any) -> Any:
        patch.setattr(handle, "send_later", lambda _, run, __: Handled(delivery.message, deletable=True, run=run))
        try:
            return right(run, now, delivery)
        finally:
            patch.setattr(handle, "send_later", send_later)

    patch.setattr(handle, "_join", join)


def a_silent_node_that_is_taken_over(patch: Patch) -> None:
    right = shares._decide_waiting

    def decide(run: Run, now: Any) -> Any:
        found = right(run, now)
        if type(found).__name__ == "Lose":
            return handle.Miss(shares.RunError("HeartbeatMissed", "no heartbeat"), taken_over=True)
        return found

    patch.setattr(shares, "_decide_waiting", decide)


MUTATIONS: Mapping[Mutation, int] = {
    a_step_that_stores_over_another: 49,
    a_run_that_ends_without_closing_its_spread: 49,
    a_run_that_ends_although_a_node_may_still_begin: 21,
    a_node_that_begins_after_its_run_has_ended: 20,
    a_node_that_takes_the_lock: 0,
    a_next_look_that_is_written_before_its_message: 100,
    a_watch_without_a_next_look: 31,
    a_silent_node_that_is_taken_over: 3,
}
"""Each with the first of the histories that are asked."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_broken_rule_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, problems, first=MUTATIONS[mutation], histories=60)
