"""Agents register under the name of a node, leave, and get credentials; operators ask things of nodes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action
from minutehand.domain.errors import Conflict, NotFound, Unavailable
from minutehand.domain.node import Asked, Node
from minutehand.usecases.agents import registering
from minutehand.usecases.agents.registering import ask, credentials, leave, register
from tests.unit.domain.examples import MINUTE
from tests.unit.usecases.agents.serving import MACHINE, POOL, A, B, Serving


@pytest.fixture
def stage() -> Serving:
    return Serving()


def node(stage: Serving) -> Node:
    return stage.state.nodes[A]


def test_an_agent_registers_and_has_two_queues(stage: Serving) -> None:
    done = register(stage.agents, A, MACHINE, "session-a", stage.ports.clock)
    assert done.node == Node(key=A, machine=MACHINE, session="session-a", seen_at=stage.now, registered_at=stage.now)
    assert (done.pool_queue, done.inbox) == ("https://queues.test/shop/web", "https://queues.test/shop/web/a")
    assert stage.state.pools == {POOL: stage.now}
    assert set(stage.state.pool_queues) == {POOL, A}


def test_to_register_again_says_that_the_agent_is_alive(stage: Serving) -> None:
    stage.joins(A)
    stage.wait(60)
    stage.joins(A)
    assert node(stage).seen_at == stage.now


def test_a_second_agent_of_a_name_is_refused_while_the_first_is_live(stage: Serving) -> None:
    stage.joins(A)
    before = node(stage)
    stage.wait(149)
    with pytest.raises(Conflict, match=r"another agent is live as node shop/web/a, on host a\.shop\.internal"):
        stage.joins(A, "session-of-another")
    assert node(stage) == before
    stage.wait(1)
    stage.joins(A, "session-of-another")
    assert node(stage).session == "session-of-another"


def test_of_two_agents_that_register_at_once_the_slower_one_is_refused(stage: Serving) -> None:
    stage.queues.before("ensure", lambda: stage.joins(A, "the-faster-one"))
    with pytest.raises(Conflict, match="another agent is live"):
        stage.joins(A, "the-slower-one")
    assert node(stage).session == "the-faster-one"


def test_a_namespace_has_no_more_nodes_than_it_may(stage: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registering, "MOST_NODES", 1)
    stage.joins(A)
    with pytest.raises(Conflict, match="namespace shop has 1 nodes, and may have 1; one is forgotten a day after"):
        stage.joins(B, "session-b")
    assert set(stage.state.pool_queues) == {POOL, A}
    stage.wait(60)
    stage.joins(A)


def test_a_node_is_live_only_once_it_has_its_queues(stage: Serving) -> None:
    stage.queues.fails("ensure")
    with pytest.raises(Unavailable):
        stage.joins(A)
    assert stage.state.nodes == {}


def test_an_agent_that_leaves_is_not_live_from_then_on_and_may_come_back_at_once(stage: Serving) -> None:
    stage.joins(A)
    leave(stage.nodes, A, "session-a")
    assert not node(stage).is_live(stage.now)
    leave(stage.nodes, A, "session-a")
    stage.joins(A, "session-after-a-restart")
    assert node(stage).is_live(stage.now)


def test_an_agent_whose_name_another_one_has_leaves_nothing_behind(stage: Serving) -> None:
    stage.joins(A, "session-of-another")
    leave(stage.nodes, A, "session-a")
    assert node(stage).is_live(stage.now)
    leave(stage.nodes, B, "session-a")


def test_a_pause_outlasts_a_restart_and_a_drain_does_not(stage: Serving) -> None:
    for asked, after in ((Asked.PAUSE, Asked.PAUSE), (Asked.DRAIN, Asked.RUN)):
        stage.joins(A, f"before-{asked.value}")
        stage.asks(A, asked)
        leave(stage.nodes, A, f"before-{asked.value}")
        stage.joins(A, f"after-{asked.value}")
        assert node(stage).asked is after
        stage.asks(A, Asked.RUN)
        leave(stage.nodes, A, f"after-{asked.value}")


def test_an_agent_that_drains_and_registers_again_as_itself_goes_on_draining(stage: Serving) -> None:
    stage.joins(A)
    stage.asks(A, Asked.DRAIN)
    stage.joins(A)
    assert node(stage).asked is Asked.DRAIN


def test_what_an_operator_asks_is_recorded_and_changes_nothing_else(stage: Serving) -> None:
    stage.joins(A)
    stage.state.audits.clear()
    before = node(stage)
    done = ask(stage.nodes, A, Asked.PAUSE, stage.ports, who=Actor("ada"))
    assert done == node(stage) == replace(before, asked=Asked.PAUSE)
    [record] = stage.state.audits.values()
    assert (record.action, record.actor.name, record.namespace) == (Action.ASK_NODE, "ada", "shop")
    assert record.about == {"pool": "web", "node": "a"}
    assert [(each.path, each.before, each.after) for each in record.changes] == [("/asked", "run", "pause")]


def test_to_ask_for_what_is_asked_already_records_nothing(stage: Serving) -> None:
    stage.joins(A)
    stage.state.audits.clear()
    ask(stage.nodes, A, Asked.RUN, stage.ports, who=Actor("ada"))
    assert not stage.state.audits


def test_a_beat_between_the_read_and_the_write_of_what_is_asked_loses_neither(stage: Serving) -> None:
    stage.joins(A)
    stage.nodes.before(
        "replace", lambda: stage.state.nodes.update({A: replace(node(stage), seen_at=stage.now + MINUTE)})
    )
    ask(stage.nodes, A, Asked.DRAIN, stage.ports, who=Actor("ada"))
    assert (node(stage).asked, node(stage).seen_at) == (Asked.DRAIN, stage.now + MINUTE)


def test_nothing_is_asked_of_a_node_that_does_not_exist(stage: Serving) -> None:
    with pytest.raises(NotFound, match="the pool shop/web has no node a"):
        ask(stage.nodes, A, Asked.PAUSE, stage.ports, who=Actor("ada"))


def test_only_the_agent_of_a_node_gets_credentials_for_its_queues(stage: Serving) -> None:
    with pytest.raises(Conflict, match="register again"):
        credentials(stage.agents, A, "session-a")
    stage.joins(A)
    found = credentials(stage.agents, A, "session-a")
    assert found.expires_at == stage.now + timedelta(minutes=15)
    assert found.secret_access_key not in repr(found)
    with pytest.raises(Conflict, match="another agent"):
        credentials(stage.agents, A, "session-of-another")
