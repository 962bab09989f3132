"""The commands `node`."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from minutehand.domain.node import Asked, Machine, Node, NodeKey, PoolKey
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
KEY = NodeKey(PoolKey("shop", "web"), "web-1")


@pytest.fixture
def node(api: ApiServer) -> Node:
    machine = Machine("web-1.shop.internal", "1.0.0", 4, (("zone", "a"),))
    node = Node(key=KEY, machine=machine, session="s", seen_at=NOW, registered_at=NOW, running=1)
    api.state.nodes[KEY] = node
    return node


@pytest.mark.usefixtures("node")
def test_the_examples_print_what_the_page_says(cli: Cli) -> None:
    section = "".join(re.findall(r"^## `minutehand node.+?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    examples = re.findall(r"```console\n\$ minutehand (.+?)\n(.+?)```", section, re.DOTALL)
    assert [line.split()[1] for line, _ in examples] == ["list", "show", "pause", "resume", "drain"]
    for line, output in examples:
        result = cli(*line.split())
        assert (result.stdout, result.exit_code) == (output, 0), result.stderr


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize(("command", "asked"), [("pause", "pause"), ("resume", "run"), ("drain", "drain")])
def test_programs_get_the_document_of_the_node(cli: Cli, api: ApiServer, command: str, asked: str) -> None:
    answered = json.loads(cli("node", command, "shop/web", "web-1", "-o", "json").stdout)
    assert answered["asked"] == asked
    assert api.state.nodes[KEY].asked.value == asked
    assert json.loads(cli("node", "list", "-n", "shop", "-o", "json").stdout) == {"items": [answered], "next": None}


def test_a_node_that_is_not_live_learns_of_it_when_it_is_back(cli: Cli, api: ApiServer, node: Node) -> None:
    api.state.nodes[KEY] = replace(node, seen_at=NOW - timedelta(minutes=3))
    assert "once its agent is back: it is not live" in cli("node", "drain", "shop/web", "web-1").stdout
    assert cli("node", "list", "-n", "shop").stdout.splitlines()[1].split()[2] == "no"


def test_a_pool_without_a_live_agent_that_takes_work_is_named(cli: Cli, api: ApiServer, node: Node) -> None:
    waits = "no agent that takes work is live in pool web: runs of its jobs wait"
    assert waits not in cli("node", "list", "-n", "shop").stderr
    api.state.nodes[KEY] = replace(node, seen_at=NOW - timedelta(minutes=3))
    assert waits in cli("node", "list", "-n", "shop").stderr
    api.state.nodes[KEY] = replace(node, asked=Asked.PAUSE)
    assert waits in cli("node", "list", "-n", "shop").stderr
    other = NodeKey(KEY.pool, "web-2")
    api.state.nodes[other] = replace(node, key=other)
    assert waits not in cli("node", "list", "-n", "shop").stderr


def test_a_namespace_without_agents_says_how_to_start_one(cli: Cli) -> None:
    result = cli("node", "list", "-n", "shop")
    assert (
        "no agent has registered in namespace shop (-n names another); `minutehand agent` starts one" in result.stderr
    )


def test_a_node_that_does_not_exist_is_not_found(cli: Cli) -> None:
    result = cli("node", "show", "shop/web", "web-2")
    assert result.exit_code == 3
    assert "the pool shop/web has no node web-2" in result.stderr
