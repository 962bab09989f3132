"""Agents as processes: killed, frozen and stopped ones, commands that fail in every way, and many agents with many commands."""

from __future__ import annotations

import getpass
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from minutehand.client import wait_for_run
from tests.e2e.conftest import Stack, eventually
from tests.e2e.test_agents import PlayedAgent, save

pytestmark = [pytest.mark.services, pytest.mark.slow]

AGENTS = 50
COMMANDS, TRIGGERS_AT_ONCE = 200, 4
"""The local stack runs some eight a second."""
_AGENT = [sys.executable, "-c", "from minutehand.cli.main import main; main()", "agent"]


class Agents:
    """Agents of a namespace. Whoever is left of them and of their commands' `pid…` files is killed at the end."""

    def __init__(self, stack: Stack, namespace: str, token: str, folder: Path) -> None:
        self.stack = stack
        self.namespace = namespace
        self.token = token
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []
        self.rules = folder / "agent.toml"
        self.rules.write_text(f'users = ["{getpass.getuser()}"]\nenvironment = ["FILE"]\n', encoding="utf-8")
        self.rules.chmod(0o600)

    def start(self, pool: str, name: str, *options: str) -> subprocess.Popen[str]:
        """Start an agent, and wait until it is live."""
        agent = self._run([*_AGENT, "--pool", f"{self.namespace}/{pool}", "--name", name, *options])
        eventually(lambda: name in self.live(pool), seconds=60, what=f"{name} registers")
        return agent

    def start_many(self, pool: str, number: int) -> None:
        """Start agents that are named n0, n1 and so on, and wait until all are live."""
        program = [sys.executable, "-m", "tests.e2e.many_agents", str(number), str(self.folder)]
        self._run([*program, "--pool", f"{self.namespace}/{pool}"])
        eventually(lambda: len(self.live(pool)) == number, seconds=120, what=f"{number} agents register")

    def live(self, pool: str) -> set[str]:
        """The names of a pool's live nodes."""
        return {
            each["node"] for each in self.stack.client.nodes(self.namespace) if each["live"] and each["pool"] == pool
        }

    def killed_at_the_end(self) -> None:
        """Kill what is left."""
        for agent in self._started:
            if agent.poll() is None:
                os.killpg(agent.pid, signal.SIGKILL)
            agent.wait()
        for file in self.folder.glob("pid*"):
            try:
                os.killpg(int(file.read_text()), signal.SIGKILL)
            except (ProcessLookupError, ValueError):
                continue

    def _run(self, command: list[str]) -> subprocess.Popen[str]:
        own = {"MINUTEHAND_URL": self.stack.record.url, "MINUTEHAND_TOKEN": self.token}
        log = (self.folder / f"agents-{len(self._started)}.log").open("w")
        with log:
            agent = subprocess.Popen(
                [*command, "--config", str(self.rules)],
                env=os.environ | own | {"PYTHONPATH": os.pathsep.join(sys.path)},
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._started.append(agent)
        return agent


@pytest.fixture
def agents(stack: Stack, namespace: str, tmp_path: Path) -> Iterator[Agents]:
    made = stack.client.create_token("agents", role="agent", namespaces=[namespace], expires_in=timedelta(hours=1))
    agents = Agents(stack, namespace, made["secret"], tmp_path)
    yield agents
    agents.killed_at_the_end()
    stack.client.revoke_token(made["id"])


def test_runs_of_agents_that_die_or_freeze_are_taken_over_and_their_late_reports_do_not_count(
    stack: Stack, namespace: str, agents: Agents
) -> None:
    client, folder = stack.client, agents.folder
    text = "echo $$ > pid-$FILE-$MINUTEHAND_ATTEMPT; [ $MINUTEHAND_ATTEMPT = 2 ] || exec sleep 600"
    target = {"command": text, "heartbeat": "30s", "directory": str(folder)}
    killed, frozen = agents.start("killed", "a"), agents.start("frozen", "a")
    played = PlayedAgent(stack, namespace, agents.token, pool="played")
    queue = played.register()["pool_queue_url"]
    pools = ("killed", "frozen", "played")
    jobs = {
        pool: save(stack, namespace, pool, target=target | {"pool": pool, "environment": {"FILE": pool}})
        for pool in pools
    }
    runs = {pool: client.trigger(job) for pool, job in jobs.items()}
    sqs = played.client("sqs")
    [order] = eventually(lambda: played.takes(queue, sqs), seconds=60, what="an order comes")
    for pool in ("killed", "frozen"):
        eventually((folder / f"pid-{pool}-1").exists, seconds=60, what="the command begins")
    killed.kill()
    frozen.send_signal(signal.SIGSTOP)
    for pool in pools:
        agents.start(pool, "b")
    for pool in pools:
        run = wait_for_run(client, runs[pool], timeout=150)
        assert (run["state"], run["attempt"]) == ("succeeded", 2), pool
        assert run["attempts"][-1]["worker"] == f"{pool}/b"

    frozen.send_signal(signal.SIGCONT)
    log = folder / "agents-1.log"
    eventually(lambda: "ended without a report: lease" in log.read_text(), seconds=60, what="its command is ended")
    attempt = {name: order[name] for name in ("job", "run_id", "attempt", "token")}
    [late] = played.ask("POST", "/reports", reports=[attempt | {"state": "failed"}]).body["items"]
    assert not late["recorded"]
    assert played.ask("POST", "/beats", running=[attempt]).body["unwanted"]
    for pool, job in jobs.items():
        assert client.run(job, runs[pool]["run_id"])["state"] == "succeeded"


def test_what_goes_wrong_with_a_command_is_in_its_record(stack: Stack, namespace: str, agents: Agents) -> None:
    client = stack.client
    (agents.folder / "plain").write_text("no program")
    bad: dict[str, dict[str, Any]] = {
        "ExitCode": {"command": "exit 3"},
        "Signal": {"command": "kill -USR1 $$"},
        "TimedOut": {"command": "trap '' TERM; sleep 600"},
        "CommandRefused": {"command": "true", "environment": {"LD_PRELOAD": "x"}},
        "CommandNotFound": {"command": ["no-such-program"]},
        "NotExecutable": {"command": [str(agents.folder / "plain")]},
        "NoDirectory": {"command": "true", "directory": "/no/such/place"},
        "AgentStopped": {"command": "exec sleep 600"},
    }
    agent = agents.start("web", "a", "--concurrency", "10", "--drain-for", "1s")
    jobs = {
        error: save(
            stack, namespace, error.lower(), target=target, **({"timeout": "10s"} if error == "TimedOut" else {})
        )
        for error, target in bad.items()
    }
    noise = save(stack, namespace, "noise", target={"command": r"printf 'a\377b\303'"})
    runs = {error: client.trigger(job) for error, job in jobs.items()}
    noisy = wait_for_run(client, client.trigger(noise), timeout=60)
    for error, run in runs.items():
        if error != "AgentStopped":
            ended = wait_for_run(client, run, timeout=60)
            assert ended["error"]["type"] == error
            assert ended["state"] == ("timed_out" if error == "TimedOut" else "failed")
    result = json.loads(client.output(noise, noisy["run_id"])["text"])
    assert (result["output"], result["output_bytes"]) == ("a�b�", 4)
    agent.terminate()
    assert agent.wait(timeout=60) == 0
    assert wait_for_run(client, runs["AgentStopped"], timeout=60)["error"]["type"] == "AgentStopped"


def test_fifty_agents_run_hundreds_of_commands_once_each(stack: Stack, namespace: str, agents: Agents) -> None:
    agents.start_many("web", AGENTS)
    marks = agents.folder / "marks"
    # A line is written in one piece, whoever else writes.
    command = {"command": 'echo "$MINUTEHAND_RUN_ID" >> "$FILE"', "environment": {"FILE": str(marks)}}
    target = command | {
        "heartbeat": "1m"
    }  # an agent that hears nothing for that long, among so many, loses its run to another
    job = save(stack, namespace, "marks", overlap="allow", target=target)
    with ThreadPoolExecutor(TRIGGERS_AT_ONCE) as threads:
        runs = {*threads.map(lambda _: str(stack.client.trigger(job)["run_id"]), range(COMMANDS))}

    def ended() -> list[Any] | None:
        found = [*stack.client.runs(job)]
        return found if all(run["finished_at"] for run in found) else None

    found = eventually(ended, seconds=180, what="the end of all runs", every=1)
    assert Counter(run["state"] for run in found) == {"succeeded": COMMANDS}
    begun = Counter(marks.read_text().splitlines())
    assert begun.keys() == runs
    again = {run["run_id"]: run["attempt"] for run in found if begun[run["run_id"]] > run["attempt"]}
    assert not again, "a command begins once in an attempt"
    assert sum(run["attempt"] for run in found) < COMMANDS * 1.05
    logs = [path.read_text() for path in agents.folder.glob("n*.log")]
    assert sum(" start " in log for log in logs) > AGENTS / 2, "the work is spread"
