"""Where a run goes that agents start: to its pool's queue, or to the inbox of the node that its job names."""

from __future__ import annotations

import pytest

from minutehand.domain.node import Asked, NodeKey, PoolKey
from minutehand.domain.run import RunState
from minutehand.targets.http.fields import HttpTarget
from tests.unit.domain.examples import KEY, SECOND
from tests.unit.usecases.agents.serving import POOL, A, B, Serving


@pytest.fixture
def stage() -> Serving:
    return Serving()


def test_a_run_goes_to_the_queue_of_its_pool_if_any_of_its_agents_is_live(stage: Serving) -> None:
    stage.joins(A)
    [handled] = stage.forward()
    assert (handled.moved, handled.deletable) == (True, True)
    [message] = stage.of(POOL)
    assert (message.run, message.attempt, message.target) == (stage.nine.key, 1, "command")
    assert stage.of(A) == []


def test_a_run_of_a_job_that_names_a_node_goes_to_the_inbox_of_that_node() -> None:
    stage = Serving(command={"node": "b"})
    for node in (A, B):
        stage.joins(node)
    stage.forward()
    assert [message.run for message in stage.of(B)] == [stage.nine.key]
    assert stage.of(A) == stage.of(POOL) == []


@pytest.mark.parametrize(
    ("node", "text"),
    [(None, "pool web, which has no live agent"), ("b", "node b of pool web, which is not live")],
)
def test_a_run_that_no_live_agent_may_start_waits_and_says_for_whom(node: str | None, text: str) -> None:
    stage = Serving(command={"node": node})
    if node is not None:
        stage.joins(A)
    [handled] = stage.forward()
    assert (handled.moved, handled.deletable) == (False, True)
    assert stage.nine.waits_for is not None
    assert stage.nine.waits_for.text == text
    assert stage.of(POOL) == stage.of(A) == []


def test_a_run_that_waited_is_forwarded_once_an_agent_has_come(stage: Serving) -> None:
    stage.forward()
    stage.joins(A)
    stage.wait(15)
    [handled] = stage.forward()
    assert handled.moved
    assert (stage.nine.state, stage.nine.waits_for) == (RunState.QUEUED, None)


@pytest.mark.parametrize(("seconds", "live"), [(149, True), (150, False)])
def test_an_agent_is_live_for_150_seconds_after_it_was_seen(stage: Serving, seconds: int, live: bool) -> None:
    stage.joins(A)
    stage.wait(seconds)
    [handled] = stage.forward()
    assert handled.moved is live


@pytest.mark.parametrize("asked", [Asked.PAUSE, Asked.DRAIN])
def test_a_node_that_takes_no_work_counts_as_nobody(stage: Serving, asked: Asked) -> None:
    stage.joins(A)
    stage.asks(A, asked)
    [handled] = stage.forward()
    assert not handled.moved
    stage.joins(B)
    stage.wait(15)
    [handled] = stage.forward()
    assert handled.moved


def test_a_pool_of_another_namespace_with_the_same_name_takes_nothing(stage: Serving) -> None:
    stage.joins(NodeKey(PoolKey("elsewhere", "web"), "a"))
    [handled] = stage.forward()
    assert not handled.moved


def test_a_pool_is_looked_at_once_for_all_runs_of_a_batch(stage: Serving) -> None:
    stage.joins(A)
    stage.nodes.calls.clear()
    forwarding = stage.forwarding()
    definition = stage.state.definitions[KEY]
    for _ in range(3):
        forwarding(stage.nine, definition)
    assert stage.nodes.calls == {"of_pool": 1}
    assert len(stage.of(POOL)) == 3


def test_a_run_whose_message_the_pools_queue_refuses_stays_in_the_queue_of_the_function(stage: Serving) -> None:
    stage.joins(A)
    stage.queues.fails("send")
    [handled] = stage.forward()
    assert (handled.deletable, handled.moved) == (False, False)
    assert handled.achieved_nothing


def test_at_a_node_its_own_runs_and_those_of_the_pool_start_and_others_are_forwarded() -> None:
    stage = Serving(command={"node": "b"})
    for node in (A, B):
        stage.joins(node)
    definition = stage.state.definitions[KEY]
    assert stage.forwarding(here=B)(stage.nine, definition) is None
    assert stage.forwarding(here=A)(stage.nine, definition) is not None
    assert [message.run for message in stage.of(B)] == [stage.nine.key]


def test_a_job_that_no_agent_runs_is_left_to_the_worker(stage: Serving) -> None:
    stage.change(command={})
    definition = stage.save(
        stage.state.definitions[KEY].job.__class__(
            key=KEY,
            schedule="0 9 * * *",
            target=HttpTarget(method="GET", url="https://shop.test/"),
            timeout=10 * SECOND,
        )
    )
    assert stage.forwarding()(stage.nine, definition) is None
