"""Runs on several nodes under faults: the promises hold; and each rule, broken on purpose, is noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain import share_decisions as shares
from minutehand.domain import spread
from minutehand.domain.run import Run
from minutehand.domain.spread import Spread
from minutehand.schedule import parser
from minutehand.usecases.completion import join_nodes
from minutehand.usecases.running import admit, handle
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.playing import read_once
from tests.simulation.spreading import Spreading, violations

HISTORIES = 30
pytestmark = pytest.mark.thorough


def problems(seed: int) -> Sequence[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "parse_parts", read_once)
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


def nodes_that_are_claimed_before_they_are_stored(patch: Patch) -> None:
    """So that two steps have more of them under way than may be."""
    patch.setattr(join_nodes, "_claim", join_nodes._claim)
    right = join_nodes.plan_step

    def planned(before: Spread, runs: Any, *, stopped: bool) -> Any:
        found = right(before, runs, stopped=stopped)
        return found if found.closed or found.after.closed else found._replace(after=replace(before))

    patch.setattr(join_nodes, "plan_step", planned)
    patch.setattr(Spread, "children", property(lambda self: {node: self.child(node) for node in self.nodes}))


def a_run_that_ends_without_closing_its_spread(patch: Patch) -> None:
    right = spread.plan_step

    def planned(before: Spread, runs: Any, *, stopped: bool) -> Any:
        found = right(replace(before, closed=True), runs, stopped=stopped)
        return found._replace(after=replace(found.after, closed=before.closed))

    patch.setattr(join_nodes, "plan_step", planned)


def a_run_that_ends_although_a_node_may_still_begin(patch: Patch) -> None:
    """It does not wait for nodes that were taken and have no run yet."""
    right = spread.plan_step

    def planned(before: Spread, runs: Any, *, stopped: bool) -> Any:
        there = [node for node, key in before.children.items() if key in runs]
        return right(replace(before, nodes=(*there,), taken=len(there)), runs, stopped=stopped)._replace(after=before)

    patch.setattr(join_nodes, "plan_step", planned)


def a_node_that_begins_after_its_run_has_ended(patch: Patch) -> None:
    patch.setattr(shares, "_why_over", lambda *_: None)


def a_node_that_takes_the_lock(patch: Patch) -> None:
    right = admit.admit
    patch.setattr(
        "minutehand.usecases.running.attempt.admit",
        lambda run, *more, **named: right(replace(run, share=None), *more, **named),
    )


def a_watch_that_is_not_repeated(patch: Patch) -> None:
    """A worker looks at the nodes of a run once."""
    right = handle._join

    def join(run: Run, now: Any, delivery: Any) -> Any:
        return handle.delete(delivery, right(run, now, delivery).run or run)

    patch.setattr(handle, "_join", join)
    patch.setattr(handle, "joins_next", lambda run, now: now + timedelta(days=1))


def a_silent_node_that_is_taken_over(patch: Patch) -> None:
    right = shares._decide_waiting

    def decide(run: Run, now: Any) -> Any:
        found = right(run, now)
        if type(found).__name__ == "Lose":
            return handle.Miss(shares.RunError("HeartbeatMissed", "no heartbeat"), taken_over=True)
        return found

    patch.setattr(shares, "_decide_waiting", decide)


MUTATIONS: Mapping[Mutation, int] = {
    nodes_that_are_claimed_before_they_are_stored: 0,
    a_run_that_ends_without_closing_its_spread: 0,
    a_run_that_ends_although_a_node_may_still_begin: 0,
    a_node_that_begins_after_its_run_has_ended: 0,
    a_node_that_takes_the_lock: 0,
    a_watch_that_is_not_repeated: 0,
    a_silent_node_that_is_taken_over: 0,
}
"""Each with the first of the histories that are asked."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_broken_rule_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, problems, first=MUTATIONS[mutation], histories=200)
