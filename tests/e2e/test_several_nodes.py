"""Runs on several nodes of a pool, by real agents: each node has a run of its own, and their ends are joined."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from minutehand.client import Run, wait_for_run
from tests.e2e.conftest import Stack, eventually
from tests.e2e.test_agent_processes import Agents, agents
from tests.e2e.test_agents import save

__all__ = ["agents"]
pytestmark = [pytest.mark.services, pytest.mark.slow]


def states(run: Run) -> dict[int, str | None]:
    """What became of each node, by its place."""
    return {each["index"]: each["state"] for each in run["nodes"]}


def test_a_run_on_all_nodes_ends_with_the_last_of_them_and_as_its_rule_says(
    stack: Stack, namespace: str, agents: Agents
) -> None:
    client = stack.client
    for name in "abc":
        agents.start("web", name)
    command = 'echo "$MINUTEHAND_NODE_INDEX of $MINUTEHAND_NODE_TOTAL"; [ $MINUTEHAND_NODE_INDEX != 2 ] || exit 3'
    target = {"command": command, "count": "all", "max_parallel": 2}
    job = save(stack, namespace, target=target)
    run = wait_for_run(client, client.trigger(job), timeout=120)
    assert (run["state"], run["error"] and run["error"]["type"]) == ("failed", "NodesFailed")
    assert states(run) == {0: "succeeded", 1: "succeeded", 2: "failed"}
    assert {each["node"] for each in run["nodes"]} == {"a", "b", "c"}
    for each in run["nodes"]:
        assert each["run_id"] is not None
        own = client.run(job, each["run_id"])
        assert own["result"] is not None
        assert json.loads(own["result"]["body"])["output"] == f"{each['index']} of 3\n"
        assert own["attempts"][-1]["worker"] == f"web/{each['node']}"
    save(stack, namespace, target=target | {"min_success": 2})
    assert wait_for_run(client, client.trigger(job), timeout=120)["state"] == "succeeded"


def test_a_node_that_dies_in_a_run_on_several_is_lost_and_the_others_go_on(
    stack: Stack, namespace: str, agents: Agents
) -> None:
    client = stack.client
    started = {name: agents.start("web", name, "--spool", str(agents.folder / name)) for name in "ab"}
    command = f"echo $$ > {agents.folder}/pid-$MINUTEHAND_NODE_INDEX; [ $MINUTEHAND_NODE_INDEX = 0 ] || exec sleep 600"
    target = {"command": command, "count": "all", "min_success": 1, "heartbeat": "30s"}
    job = save(stack, namespace, target=target)
    run = client.trigger(job)
    file: Path = agents.folder / "pid-1"
    eventually(lambda: file.exists() and file.read_text(), seconds=60, what="the command begins")
    second = next(each["node"] for each in client.run(job, run["run_id"])["nodes"] if each["index"] == 1)
    started[second].kill()
    os.killpg(int(file.read_text()), signal.SIGKILL)
    ended = wait_for_run(client, run, timeout=180)
    assert (ended["state"], states(ended)) == ("succeeded", {0: "succeeded", 1: "lost"})
