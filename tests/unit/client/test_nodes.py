"""Node operations of the client."""

from __future__ import annotations

import pytest

from minutehand.client import Client, NotFound
from minutehand.domain.node import Machine, Node, NodeKey, PoolKey
from tests.support.api_server import NOW, ApiServer


def known(api: ApiServer, pool: str, name: str, namespace: str = "shop") -> None:
    key = NodeKey(PoolKey(namespace, pool), name)
    machine = Machine(f"{name}.shop.internal", "1.0.0", 4, (("zone", "a"),))
    api.state.nodes[key] = Node(key=key, machine=machine, session="s", seen_at=NOW, registered_at=NOW)


def test_the_nodes_of_a_namespace_are_listed_page_by_page(client: Client, api: ApiServer) -> None:
    for number in range(60):
        known(api, "web", f"n{number:02}")
    known(api, "web", "elsewhere", namespace="other")
    assert [each["node"] for each in client.nodes("shop")] == [f"n{number:02}" for number in range(60)]
    assert list(client.nodes()) == []


def test_a_node_is_shown_and_asked(client: Client, api: ApiServer) -> None:
    known(api, "web", "web-1")
    shown = client.node("shop/web", "web-1")
    assert (shown["tags"], shown["live"], shown["asked"]) == ({"zone": "a"}, True, "run")
    assert client.ask_node("shop/web", "web-1", "pause") == shown | {"asked": "pause"}
    assert client.node("shop/web", "web-1")["asked"] == "pause"
    with pytest.raises(NotFound, match="the pool shop/web has no node web-2"):
        client.ask_node("shop/web", "web-2", "drain")


def test_a_pool_without_namespace_is_in_the_default_one(client: Client, api: ApiServer) -> None:
    known(api, "web", "a", namespace="default")
    assert client.node("web", "a")["pool"] == "web"
