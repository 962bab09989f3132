"""A run on several nodes: which nodes it takes, and how it ends."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from minutehand.domain.node import Asked, Destination, Machine, Node, NodeKey, PoolKey
from minutehand.domain.run import Result, Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.spread import Spread, chosen, plan_step
from tests.unit.domain.examples import KEY, MINUTE, at

NINE = at("09:00")
PARENT = RunKey.scheduled(KEY, NINE)
POOL = PoolKey("shop", "web")
WEB = (("role", "web"),)
ENDS = [state for state in RunState if state.finished]


def spread(nodes: str = "abcd", *, min_success: int | None = None, max_parallel: int = 100, **fields: object) -> Spread:
    return replace(
        Spread(
            parent=PARENT,
            attempt=1,
            pool="web",
            nodes=tuple(nodes),
            min_success=len(nodes) if min_success is None else min_success,
            max_parallel=max_parallel,
        ),
        **fields,
    )


def child(of: Spread, node: str, state: RunState = RunState.QUEUED, exit_code: int | None = None) -> Run:
    body = json.dumps({"exit_code": exit_code})
    return Run(
        key=of.child(node),
        target="command",
        revision=1,
        claimed_at=NINE,
        expires_at=at("10:00"),
        state=state,
        skip_reason=SkipReason.TARGET if state is RunState.SKIPPED else None,
        result=None if exit_code is None else Result("command", 0, body),
    )


def children(of: Spread, **states: RunState) -> Mapping[RunKey, Run]:
    found = [child(of, node, state) for node, state in states.items()]
    return {run.key: run for run in found}


def node(name: str, running: int = 0, tags: tuple[tuple[str, str], ...] = (), asked: Asked = Asked.RUN) -> Node:
    return Node(
        key=NodeKey(POOL, name),
        machine=Machine(name, "1", 4, tags),
        session="s",
        seen_at=NINE,
        registered_at=NINE,
        running=running,
        asked=asked,
    )


def test_all_means_each_live_node_with_the_tags_that_takes_work() -> None:
    nodes = [node("a", 2, WEB), node("b", 0, WEB), node("c"), node("d", 0, WEB, Asked.PAUSE)]
    assert chosen(nodes, Destination(POOL, tags=WEB), None, NINE, "x") == ["b", "a"]
    assert chosen(nodes, Destination(POOL, tags=WEB), None, NINE + 3 * MINUTE, "x") == []


@pytest.mark.parametrize(("count", "found"), [(1, 1), (3, 3), (4, 0)])
def test_fewer_live_nodes_than_wanted_are_none(count: int, found: int) -> None:
    nodes = [node("a"), node("b"), node("c")]
    assert len(chosen(nodes, Destination(POOL), count, NINE, "x")) == found


def test_the_ids_of_children_depend_on_run_attempt_and_node_alone() -> None:
    one = spread()
    assert one.child("a") == spread("ba", taken=2).child("a")
    later = replace(one, parent=RunKey.scheduled(KEY, NINE + MINUTE))
    others = {one.child("b"), replace(one, attempt=2).child("a"), later.child("a")}
    assert one.child("a") not in others
    assert len(others) == 3
    assert one.child("a").scheduled_for == NINE
    triggered = replace(one, parent=RunKey.triggered(KEY, NINE, "k"))
    assert triggered.child("a") != one.child("a")
    assert "~node-" in triggered.child("a").run_id
    assert not triggered.child("a").triggered_by_hand


def test_the_first_step_takes_as_many_nodes_as_may_run_at_once() -> None:
    step = plan_step(spread(max_parallel=3), {}, stopped=False)
    assert (step.unclaimed, step.after.taken, step.outcome) == (["a", "b", "c"], 3, None)


def test_a_child_that_was_taken_and_not_claimed_is_claimed_by_the_next_step() -> None:
    one = spread(max_parallel=2, taken=2)
    step = plan_step(one, children(one, a=RunState.WAITING), stopped=False)
    assert (step.unclaimed, step.after.taken) == (["b"], 2)


def test_the_end_of_a_child_makes_room_for_another() -> None:
    one = spread(max_parallel=2, taken=2)
    step = plan_step(one, children(one, a=RunState.FAILED, b=RunState.RETRYING), stopped=False)
    assert (step.unclaimed, step.after.closed) == ((), True)  # the run cannot succeed any more
    one = replace(one, min_success=1)
    step = plan_step(one, children(one, a=RunState.FAILED, b=RunState.RETRYING), stopped=False)
    assert (step.unclaimed, step.after.taken) == (["c"], 3)


def test_a_run_whose_nodes_all_succeeded_has_succeeded_with_what_each_did() -> None:
    one = spread("ab", taken=2)
    runs = {run.key: run for run in (child(one, "a", RunState.SUCCEEDED, 0), child(one, "b", RunState.SKIPPED, 75))}
    step = plan_step(one, runs, stopped=False)
    assert step.outcome is not None
    assert step.outcome.state is RunState.SUCCEEDED
    assert step.outcome.result is not None
    assert json.loads(step.outcome.result.body) == {
        "nodes": [
            {"node": "a", "run_id": one.child("a").run_id, "state": "succeeded", "exit_code": 0},
            {"node": "b", "run_id": one.child("b").run_id, "state": "skipped", "exit_code": 75},
        ]
    }
    assert plan_step(step.after, runs, stopped=False) == step, "a report that was lost is made again"


def test_a_run_with_too_few_successes_has_failed_for_good_and_says_where() -> None:
    one = spread("abc", taken=3)
    ends = {"a": RunState.SUCCEEDED, "b": RunState.LOST, "c": RunState.TIMED_OUT}
    step = plan_step(one, children(one, **ends), stopped=False)
    assert step.outcome is not None
    assert (step.outcome.state, step.outcome.final) == (RunState.FAILED, True)
    assert step.outcome.error is not None
    assert step.outcome.error.type == "NodesFailed"
    assert step.outcome.error.message == "1 of 3 nodes succeeded, 3 had to: b lost, c timed_out"


def test_a_run_that_cannot_succeed_starts_nothing_more_and_ends_when_what_runs_has_ended() -> None:
    one = spread(max_parallel=2, taken=2)
    closes = plan_step(one, children(one, a=RunState.FAILED, b=RunState.SUCCEEDED), stopped=False)
    assert (closes.after, closes.unclaimed, closes.outcome) == (replace(one, closed=True), (), None)
    one = closes.after
    waits = plan_step(one, children(one, a=RunState.FAILED, b=RunState.WAITING), stopped=False)
    assert (waits.after, waits.unclaimed, waits.outcome) == (one, [], None)
    ends = plan_step(one, children(one, a=RunState.FAILED, b=RunState.SUCCEEDED), stopped=False)
    assert ends.outcome is not None
    assert ends.outcome.error is not None
    assert "c not started, d not started" in ends.outcome.error.message


def test_a_run_that_is_stopped_takes_no_node_and_ends_after_its_children() -> None:
    one = spread(max_parallel=2, taken=2, closed=True)
    waits = plan_step(one, children(one, a=RunState.WAITING, b=RunState.CANCELLED), stopped=True)
    assert (waits.unclaimed, waits.outcome) == ([], None)
    step = plan_step(one, children(one, a=RunState.CANCELLED, b=RunState.CANCELLED), stopped=True)
    assert step.outcome is not None
    assert step.outcome.final


def test_a_run_that_is_stopped_waits_until_whoever_took_a_node_cannot_claim_its_child_any_more() -> None:
    one = spread(max_parallel=2, taken=2, closed=True)
    step = plan_step(one, children(one, a=RunState.CANCELLED), stopped=True)
    assert (step.unclaimed, step.closed, step.outcome) == (["b"], True, None)


def test_a_node_that_was_skipped_before_its_command_began_has_not_succeeded() -> None:
    one = spread("a", taken=1)
    skipped = replace(child(one, "a", RunState.SKIPPED), skip_reason=SkipReason.START_WITHIN)
    step = plan_step(one, {skipped.key: skipped}, stopped=False)
    assert step.outcome is not None
    assert step.outcome.state is RunState.FAILED


@pytest.mark.parametrize("seed", range(50))
def test_any_order_of_ends_and_lost_claims_leads_to_one_child_a_node_and_one_end(seed: int) -> None:
    dice = random.Random(seed)
    size, most = dice.randint(1, 6), dice.randint(1, 4)
    one = spread("abcdef"[:size], min_success=dice.randint(1, size), max_parallel=most)
    runs: dict[RunKey, Run] = {}
    outcomes = []
    for _ in range(1000):
        step = plan_step(one, runs, stopped=False)
        one = step.after
        if step.outcome is not None:
            outcomes.append(step.outcome)
            break
        for name in step.unclaimed:
            if dice.random() < 0.7:  # otherwise the process died before this claim
                key = one.child(name)
                assert key not in runs
                runs[key] = child(one, name, RunState.CANCELLED if step.closed else RunState.QUEUED)
        active = [key for key, run in runs.items() if not run.state.finished]
        assert len(active) <= most
        if active and dice.random() < 0.5:
            key = dice.choice(active)
            runs[key] = replace(runs[key], state=dice.choice(ENDS), skip_reason=SkipReason.TARGET)
    assert len(outcomes) == 1
    assert all(run.state.finished for run in runs.values())
    good = sum(run.state in (RunState.SUCCEEDED, RunState.SKIPPED) for run in runs.values())
    assert (outcomes[0].state is RunState.SUCCEEDED) is (good >= one.min_success)
    if outcomes[0].state is RunState.SUCCEEDED:
        assert len(runs) == size
