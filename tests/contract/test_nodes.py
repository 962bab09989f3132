"""Contract of stores of nodes and pools."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, audit_record
from minutehand.domain.node import Asked, Machine, Node, NodeKey, PoolKey
from minutehand.usecases.ports.audits import Wanted
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE
from tests.contract.together import together

MACHINE = Machine("web-1.shop.internal", "1.2.0", 4, (("rack", "größe 7"), ("zone", "a")))


@pytest.fixture
def pool(namespace: str) -> PoolKey:
    return PoolKey(namespace, "web")


@pytest.fixture
def node(pool: PoolKey) -> Node:
    seen = NINE + MILLISECONDS
    return Node(key=NodeKey(pool, "a.1"), machine=MACHINE, session="s1", seen_at=seen, registered_at=seen)


def named(node: Node, name: str, *, pool: str = "web") -> Node:
    return replace(node, key=NodeKey(PoolKey(node.key.pool.namespace, pool), name))


def test_a_node_is_stored_whole_and_read_by_its_key(stores, node):
    assert stores.nodes.get(node.key) is None
    whole = replace(node, running=3, asked=Asked.DRAIN)
    assert stores.nodes.replace(None, whole)
    assert stores.nodes.get(node.key) == whole
    assert stores.nodes.get(NodeKey(node.key.pool, "a")) is None


def test_a_node_without_tags_and_session_is_read_as_it_was_stored(stores, node):
    plain = replace(node, machine=MACHINE._replace(tags=()), session="")
    assert stores.nodes.replace(None, plain)
    assert stores.nodes.get(node.key) == plain


@pytest.mark.parametrize(
    "change",
    [{"session": "s2"}, {"seen_at": NINE + MINUTE}, {"asked": Asked.PAUSE}],
    ids=lambda change: next(iter(change)),
)
def test_a_node_is_replaced_only_as_it_was_read(stores, node, change):
    assert stores.nodes.replace(None, node)
    assert not stores.nodes.replace(None, replace(node, running=1)), "there is one already"
    changed = replace(node, **change)
    assert not stores.nodes.replace(changed, replace(changed, running=2))
    assert stores.nodes.get(node.key) == node
    assert stores.nodes.replace(node, changed)
    assert stores.nodes.get(node.key) == changed


def test_of_two_who_take_a_name_at_once_one_gets_it(stores, node):
    taken = together(lambda n: stores.nodes.replace(None, replace(node, session=f"s{n}")))
    assert sum(taken) == 1
    assert stores.nodes.get(node.key).session == f"s{taken.index(True)}"


def test_a_change_is_written_with_its_record_or_not_at_all(stores, node):
    assert stores.nodes.replace(None, node)
    record = audit_record(
        Actor("ada"), Action.ASK_NODE, NINE, namespace=node.key.pool.namespace, kept=HOUR, pool="web", node="a.1"
    )
    paused = replace(node, asked=Asked.PAUSE)
    assert not stores.nodes.replace(paused, paused, record)
    assert stores.audits.page(node.key.pool.namespace, Wanted(), 10, None).items == ()
    assert stores.nodes.replace(node, paused, record)
    assert stores.nodes.get(node.key) == paused
    assert stores.audits.page(node.key.pool.namespace, Wanted(), 10, None).items == (record,)


def test_a_beat_notes_when_a_node_was_seen_and_keeps_what_was_asked_of_it_meanwhile(stores, node):
    assert stores.nodes.replace(None, node)
    assert stores.nodes.replace(node, replace(node, asked=Asked.DRAIN))
    beaten = replace(node, asked=Asked.DRAIN, running=2, seen_at=NINE + MINUTE + MILLISECONDS)
    assert stores.nodes.beat(node.key, "s1", 2, NINE + MINUTE + MILLISECONDS) == beaten
    assert stores.nodes.get(node.key) == beaten


def test_a_beat_of_another_session_or_of_an_unknown_node_changes_nothing(stores, node):
    assert stores.nodes.beat(node.key, "s1", 2, NINE + MINUTE) is None
    assert stores.nodes.get(node.key) is None
    assert stores.nodes.replace(None, node)
    assert stores.nodes.beat(node.key, "s2", 2, NINE + MINUTE) is None
    assert stores.nodes.get(node.key) == node


def test_a_node_is_removed_only_as_it_was_read(stores, node):
    assert stores.nodes.replace(None, node)
    assert not stores.nodes.remove(replace(node, seen_at=NINE - MINUTE))
    assert stores.nodes.get(node.key) == node
    assert stores.nodes.remove(node)
    assert stores.nodes.get(node.key) is None
    assert not stores.nodes.remove(node)


def test_the_nodes_of_a_pool_are_those_of_no_other(stores, node):
    mine = [named(node, name) for name in ("a", "a.1", "b")]
    for each in (*mine, named(node, "a", pool="web2"), named(node, "a", pool="we"), named(node, "c", pool="web-1")):
        assert stores.nodes.replace(None, each)
    assert [*stores.nodes.of_pool(node.key.pool)] == mine
    assert [*stores.nodes.of_pool(PoolKey("elsewhere", "web"))] == []


def test_the_nodes_of_a_namespace_are_listed_by_pool_and_name_page_by_page(stores, node, namespace):
    for pool, name in (("web", "b"), ("db", "z"), ("web", "a")):
        assert stores.nodes.replace(None, named(node, name, pool=pool))
    first = stores.nodes.page(namespace, 2, None)
    second = stores.nodes.page(namespace, 2, first.next)
    assert [each.key.name for each in (*first.items, *second.items)] == ["z", "a", "b"]
    assert second.next is None


def test_a_pool_is_listed_with_its_last_use_and_forgotten_only_if_it_had_none_since(stores, pool):
    assert pool not in stores.nodes.pools()
    stores.nodes.note_pool(pool, NINE + MILLISECONDS)
    stores.nodes.note_pool(pool, NINE + MINUTE + MILLISECONDS)
    assert stores.nodes.pools()[pool] == NINE + MINUTE + MILLISECONDS
    assert not stores.nodes.forget_pool(pool, NINE + MILLISECONDS)
    assert pool in stores.nodes.pools()
    assert stores.nodes.forget_pool(pool, NINE + MINUTE + MILLISECONDS)
    assert pool not in stores.nodes.pools()
    assert not stores.nodes.forget_pool(pool, NINE + MINUTE + timedelta(days=1))
