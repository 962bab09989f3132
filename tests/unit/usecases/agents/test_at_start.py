"""Jobs that run at the start of a machine: once on each node and for each boot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import NodeKey, PoolKey
from minutehand.domain.run import Run, RunState
from minutehand.usecases.operations.at_start import start_for_boot
from tests.unit.domain.examples import KEY, MINUTE, job
from tests.unit.usecases.agents.serving import COMMAND, POOL, A, B, Serving

OTHER = JobKey(KEY.namespace, "z-other")


@pytest.fixture
def stage() -> Serving:
    stage = Serving()
    saves(stage)
    stage.state.messages.clear()
    return stage


def saves(stage: Serving, *, paused: bool = False, **target: Any) -> None:
    """Save a job that runs at the start of a machine."""
    wanted = replace(COMMAND, **{"at_start": True} | target)
    stage.save(job("@manual", key=OTHER, target=wanted, timeout=10 * MINUTE, paused=paused))


def boots(stage: Serving, boot: str = "boot-1", node: NodeKey = A) -> list[Run]:
    stage.joins(node)
    return start_for_boot(stage.ports, stage.agents.nodes, stage.state.nodes[node], boot)


def test_a_new_boot_starts_the_jobs_that_ask_for_it_on_that_node_alone(stage: Serving) -> None:
    stage.joins(B)
    [run] = boots(stage)
    assert (run.key.job, run.only_node, run.state) == (OTHER, "a", RunState.QUEUED)
    assert stage.state.nodes[A].boot == "boot-1"
    stage.forward()
    assert [message.run for message in stage.of(A)] == [run.key]
    assert stage.of(B) == stage.of(POOL) == []


def test_the_same_boot_starts_nothing_again_and_the_next_one_does(stage: Serving) -> None:
    [first] = boots(stage)
    assert boots(stage) == []
    stage.wait(60)
    [second] = boots(stage, "boot-2")
    assert first.key != second.key


def test_each_node_starts_them_for_itself(stage: Serving) -> None:
    [one], [other] = boots(stage, node=A), boots(stage, node=B)
    assert (one.only_node, other.only_node) == ("a", "b")


def test_an_agent_that_does_not_know_its_boot_starts_nothing(stage: Serving) -> None:
    assert boots(stage, "") == []


def test_a_crash_before_the_boot_is_noted_starts_nothing_twice(stage: Serving) -> None:
    stage.joins(A)
    node = stage.state.nodes[A]
    [run] = start_for_boot(stage.ports, stage.agents.nodes, node, "boot-1")
    stage.state.nodes[A] = node  # as if the function had died before the note
    stage.wait(60)
    assert start_for_boot(stage.ports, stage.agents.nodes, node, "boot-1") == []
    assert [each.key for each in stage.state.runs.values() if each.only_node] == [run.key]


def test_a_boot_whose_runs_could_not_all_be_stored_is_not_noted(stage: Serving) -> None:
    stage.runs.fails("trigger")
    with pytest.raises(Unavailable):
        boots(stage)
    assert stage.state.nodes[A].boot == ""
    assert len(boots(stage)) == 1


def test_an_agent_whose_name_another_one_took_notes_no_boot(stage: Serving) -> None:
    stage.joins(A)
    mine = stage.state.nodes[A]
    stage.state.nodes[A] = replace(mine, session="of-another")
    start_for_boot(stage.ports, stage.agents.nodes, mine, "boot-1")
    assert stage.state.nodes[A].boot == ""


@pytest.mark.parametrize("changed", [{"at_start": False}, {"node": "b"}, {"pool": "db"}])
def test_jobs_of_others_and_those_that_do_not_ask_are_left_alone(stage: Serving, changed: dict[str, Any]) -> None:
    saves(stage, **changed)
    assert boots(stage) == []


def test_a_paused_job_is_not_started(stage: Serving) -> None:
    saves(stage, paused=True)
    assert boots(stage) == []


def test_a_node_of_another_pool_with_the_same_name_is_another_node(stage: Serving) -> None:
    boots(stage)
    assert boots(stage, node=NodeKey(PoolKey(KEY.namespace, "db"), "a")) == []


def test_a_run_for_one_node_waits_for_this_node(stage: Serving) -> None:
    [run] = boots(stage)
    stage.joins(B)
    stage.state.nodes[A] = stage.state.nodes[A].left()
    stage.forward()
    assert (taken := stage.state.runs[run.key].waits_for) is not None
    assert taken.text == "node a of pool web, which is not live"
    [answer] = stage.starts(run.key, node=B)
    assert answer.order is None, "another node may not start it"
