"""Where a run goes whose job asks for tags: to the inbox of a node that has them."""

from __future__ import annotations

from collections import Counter

import pytest

from minutehand.domain.node import Asked, NodeKey
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.upkeep.sweep import sweep
from tests.unit.domain.examples import KEY, MINUTE, at
from tests.unit.usecases.agents.serving import POOL, A, B, Serving

C = NodeKey(POOL, "c")
WEB, BIG = (("role", "web"),), (("role", "web"), ("size", "big"))


@pytest.fixture
def stage() -> Serving:
    return Serving(command={"tags": WEB})


def runs_of(stage: Serving, *nodes: NodeKey) -> list[int]:
    return [len(stage.of(node)) for node in nodes]


def test_a_run_goes_to_the_inbox_of_a_node_that_has_all_tags(stage: Serving) -> None:
    stage.change(command={"tags": BIG})
    stage.joins(A, tags=WEB)
    stage.joins(B, tags=(("role", "web"), ("size", "big"), ("zone", "a")))
    stage.joins(C, tags=(("role", "db"), ("size", "big")))
    stage.forward()
    assert runs_of(stage, A, B, C) == [0, 1, 0]
    assert stage.of(POOL) == []


@pytest.mark.parametrize(
    ("tags", "words"), [(WEB, "role=web"), (BIG, "role=web, size=big")], ids=["one tag", "two tags"]
)
def test_a_run_waits_while_no_live_node_has_the_tags_and_says_so(
    stage: Serving, tags: tuple[tuple[str, str], ...], words: str
) -> None:
    stage.change(command={"tags": tags})
    stage.joins(A, tags=(("role", "db"),))
    [handled] = stage.forward()
    assert not handled.moved
    assert stage.nine.waits_for is not None
    assert stage.nine.waits_for.text == f"pool web, which has no live agent with {words}"
    stage.joins(B, tags=tags)
    stage.wait(15)
    [handled] = stage.forward()
    assert handled.moved
    assert runs_of(stage, A, B) == [0, 1]


def test_a_node_that_takes_no_work_is_not_chosen(stage: Serving) -> None:
    for node in (A, B):
        stage.joins(node, tags=WEB)
    stage.asks(A, Asked.PAUSE)
    stage.forward()
    assert runs_of(stage, A, B) == [0, 1]


def test_the_node_with_the_smallest_share_of_its_slots_in_use_gets_the_run(stage: Serving) -> None:
    stage.joins(A, "session-a", tags=WEB, slots=2)
    stage.joins(B, "session-b", tags=WEB, slots=8)
    stage.nodes.beat(A, "session-a", 1, stage.now)
    stage.nodes.beat(B, "session-b", 3, stage.now)
    stage.forward()
    assert runs_of(stage, A, B) == [0, 1]


def test_the_runs_of_a_batch_are_shared_among_nodes_by_their_slots(stage: Serving) -> None:
    stage.joins(A, tags=WEB, slots=1)
    stage.joins(B, tags=WEB, slots=3)
    forwarding, definition = stage.forwarding(), stage.state.definitions[KEY]
    stage.nodes.calls.clear()
    for _ in range(8):
        forwarding(stage.nine, definition)
    assert runs_of(stage, A, B) == [2, 6]
    assert stage.nodes.calls == {"of_pool": 1}


def test_runs_of_many_batches_come_to_every_idle_node(stage: Serving) -> None:
    for node in (A, B, C):
        stage.joins(node, tags=WEB)
    definition = stage.state.definitions[KEY]
    for minute in range(60):
        run = stage.nine.__class__(
            key=RunKey.scheduled(KEY, at(f"10:{minute:02}")),
            target="command",
            revision=1,
            claimed_at=stage.now,
            expires_at=stage.nine.expires_at,
        )
        stage.forwarding()(run, definition)
    got = Counter(dict(zip("abc", runs_of(stage, A, B, C), strict=True)))
    assert got.total() == 60
    assert min(got.values()) >= 10


def test_a_run_that_is_sent_again_goes_to_another_node_if_the_first_has_died(stage: Serving) -> None:
    stage.joins(A, tags=WEB)
    stage.forward()
    assert runs_of(stage, A, B) == [1, 0]
    stage.state.messages.clear()
    stage.joins(B, "session-b", tags=WEB)
    for _ in range(4):
        stage.wait(60)
        stage.nodes.beat(B, "session-b", 0, stage.now)
        sweep(stage.ports, time_left=lambda: MINUTE)
        stage.forward()
        stage.state.messages.clear()
    assert not stage.nodes.get(A).takes_work(stage.now)
    assert stage.of(B), "the second time that the sweep sent it, the first node was not live any more"
    assert [each.decision.value for each in stage.starts(node=B, session="session-b")] == ["run"]
    stage.joins(A, "session-c", tags=WEB)
    [late] = stage.starts(node=A, session="session-c")
    assert late.decision.value == "drop", "the message in the inbox of the node that came back starts nothing"
    assert stage.nine.attempt == 1


def test_a_node_that_lost_the_tags_starts_nothing_and_passes_the_run_on(stage: Serving) -> None:
    stage.joins(A, tags=WEB)
    stage.forward()
    stage.joins(A, tags=())
    stage.joins(B, tags=WEB)
    [asked] = stage.starts()
    assert asked.decision.value == "drop"
    assert stage.nine.state is RunState.QUEUED
    assert runs_of(stage, A, B) == [1, 1]


def test_an_agent_with_the_tags_starts_what_the_queue_of_the_pool_still_had(stage: Serving) -> None:
    stage.joins(A, tags=BIG)
    [asked] = stage.starts()
    assert asked.decision.value == "run"
