"""Logs of commands: read while they run, whole afterwards, and as far as it was sent if the agent died."""

from __future__ import annotations

import os
import signal

import pytest

from minutehand.client import read_log, wait_for_run
from tests.e2e.conftest import Stack, eventually
from tests.e2e.test_agent_processes import Agents, agents
from tests.e2e.test_agents import save

__all__ = ["agents"]
pytestmark = [pytest.mark.services, pytest.mark.slow]


def texts(stack: Stack, job: str, run_id: str) -> str:
    """What a log has now."""
    pages = read_log(stack.client, job, run_id)
    return "".join(entry["text"] for page in pages for entry in page["entries"] if entry["stream"] == "output")


def test_lines_are_read_before_a_command_has_ended_and_the_whole_afterwards(
    stack: Stack,
    namespace: str,
    agents: Agents,
) -> None:
    agents.start("web", "a", "--spool", str(agents.folder / "spool"))
    command = "for n in $(seq 15); do echo line $n; sleep 1; done"
    job = save(stack, namespace, target={"command": command})
    run = stack.client.trigger(job)
    states = {}
    for page in read_log(stack.client, job, run["run_id"], follow=True):
        for entry in page["entries"]:
            states[entry["text"]] = page["state"]
    assert list(states) == [f"line {n}\n" for n in range(1, 16)]
    assert states["line 1\n"] == "waiting"
    assert page["state"] == "succeeded"
    assert texts(stack, job, run["run_id"]) == "".join(states)
    eventually(lambda: not list((agents.folder / "spool").glob("*/*/*/*")), seconds=30, what="nothing is left to send")


def test_what_a_killed_agent_had_sent_is_read_and_its_next_process_drops_the_rest(
    stack: Stack,
    namespace: str,
    agents: Agents,
) -> None:
    spool = ("--spool", str(agents.folder / "spool"))
    killed = agents.start("web", "a", *spool)
    command = "echo $$ > pid; echo begun; sleep 600"
    target = {"command": command, "heartbeat": "30s", "directory": str(agents.folder)}
    job = save(stack, namespace, target=target, takeovers=0)
    run = stack.client.trigger(job)
    eventually(lambda: texts(stack, job, run["run_id"]) == "begun\n", seconds=90, what="the first part comes")
    killed.kill()
    os.killpg(int((agents.folder / "pid").read_text()), signal.SIGKILL)
    assert wait_for_run(stack.client, run, timeout=150)["state"] == "lost"
    agents.start("web", "a", *spool)
    # Once the killed one's name is free. The token with which more could be sent was in the memory of the killed one alone.
    eventually(lambda: not list((agents.folder / "spool").glob("*/*/*/*")), seconds=200, what="the rest is dropped")
    assert texts(stack, job, run["run_id"]) == "begun\n"
