"""What is removed when agents are gone: nodes with their inboxes after a day, pools with their queues after two weeks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.node import NodeKey, PoolKey
from minutehand.usecases.agents.clean_up import CleanedUp, clean_up
from minutehand.usecases.agents.registering import leave
from tests.unit.domain.examples import SECOND
from tests.unit.usecases.agents.serving import POOL, A, B, Serving

DAY = timedelta(days=1)


@pytest.fixture
def stage() -> Serving:
    stage = Serving()
    stage.joins(A)
    return stage


def cleans(stage: Serving, after: timedelta = timedelta(0)) -> CleanedUp:
    stage.now += after
    return clean_up(stage.nodes, stage.queues, stage.now)


def test_a_node_and_its_inbox_go_a_day_after_it_was_seen(stage: Serving) -> None:
    leave(stage.nodes, A, "session-a")
    assert cleans(stage, DAY) == CleanedUp(0, 0)
    assert A in stage.state.nodes
    assert cleans(stage, SECOND) == CleanedUp(1, 0)
    assert A not in stage.state.nodes
    assert set(stage.state.pool_queues) == {POOL}
    assert cleans(stage) == CleanedUp(0, 0)


def test_a_node_that_is_live_stays_and_keeps_its_pool(stage: Serving) -> None:
    for _ in range(30):
        stage.wait(DAY.total_seconds())
        stage.joins(A)
        assert cleans(stage) == CleanedUp(0, 0)
    assert stage.state.pools == {POOL: stage.now}
    assert set(stage.state.pool_queues) == {POOL, A}


def test_a_pool_and_its_queue_go_two_weeks_after_its_last_agent_if_no_message_is_left(stage: Serving) -> None:
    stage.forward()
    assert cleans(stage, 14 * DAY) == CleanedUp(1, 0)
    assert cleans(stage, SECOND) == CleanedUp(0, 0), "a message is in its queue"
    stage.of(POOL).clear()
    assert cleans(stage) == CleanedUp(0, 1)
    assert stage.state.pools == stage.state.pool_queues == {}


def test_an_agent_that_registers_while_its_old_node_is_removed_stays(stage: Serving) -> None:
    stage.now += DAY + SECOND
    stage.nodes.before("remove", lambda: stage.joins(A, "session-of-a-new-one"))
    assert cleans(stage) == CleanedUp(0, 0)
    assert stage.state.nodes[A].session == "session-of-a-new-one"


def test_a_queue_that_could_not_be_deleted_is_deleted_by_the_next_clean_up(stage: Serving) -> None:
    stage.joins(B, "session-b")
    stage.queues.fails("delete")
    with pytest.raises(Unavailable):
        cleans(stage, DAY + SECOND)
    assert set(stage.state.nodes) == {A}, "it keeps no other node from being removed"
    assert cleans(stage) == CleanedUp(1, 0)
    assert set(stage.state.pool_queues) == {POOL}


def test_a_pool_that_cannot_be_cleaned_up_keeps_no_other_from_it(stage: Serving) -> None:
    other = NodeKey(PoolKey("shop", "zone"), "c")
    stage.joins(other, "session-c")
    stage.queues.fails("delete")
    with pytest.raises(Unavailable):
        cleans(stage, DAY + SECOND)
    assert set(stage.state.nodes) == {A}
