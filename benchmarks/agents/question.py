"""The question `agents`: what an agent takes while idle, how soon it starts commands, and how much it bears."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

from tests.support.agent_server import AgentServer

from benchmarks import deployed_stack
from benchmarks.agents.process import NODE, AgentProcess, agent
from benchmarks.deployed_stack import NAMESPACE
from benchmarks.table import Table, within
from minutehand.client import Client, wait_for_run

SETTLING = 15.0
"""Seconds from the registration until the agent counts as idle."""
IDLE = 120.0
"""Seconds of idleness that are measured: two heartbeats, and six polls of each queue."""
STARTS = 60
"""Seconds in each of which a command is due."""
MEBIBYTES, OUTPUT = 10.0, 10.0
"""Output of a command in a second, and for how many seconds."""
COMMANDS, SLOTS = 400, 8
_POOL = "web"
_WRITER = Path(__file__).with_name("writer.py")
_PATIENCE = 120.0


class Row(NamedTuple):
    """A measurement: what, how much, and the most or least that is good, if there is a goal."""

    what: str
    measured: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def holds(self) -> bool | None:
        """Whether it is as good as it should be; None without a goal."""
        if self.most is not None:
            return within(self.measured, self.most)
        return None if self.least is None else self.measured >= self.least

    @property
    def goal(self) -> str | None:
        """The goal as text."""
        if self.most is not None:
            return f"≤ {self.most:g}"
        return None if self.least is None else f"≥ {self.least:g}"


def tables() -> list[Table]:
    """All measurements in one table."""
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as folder:
        rows = [*_on_the_stack(Path(folder)), *_alone(Path(folder))]
    return [
        Table(
            title="An agent",
            goal="every goal in the table",
            holds=all(row.holds is not False for row in rows),
            columns=("what", "measured", "unit", "goal", "holds"),
            rows=tuple((row.what, row.measured, row.unit, row.goal, row.holds) for row in rows),
            notes=(
                (
                    f"Idle: {IDLE:.0f} s, from {SETTLING:.0f} s after the registration; polls of 20 s and a heartbeat a minute. Processor "
                    "time is that of the agent's process alone."
                ),
                (
                    f"Starts: a command is due in each of {STARTS} seconds on the local stack, which is on the same machine; `date` writes "
                    "when it runs. The answer is the one that has the order."
                ),
                (
                    f"Output: a command writes {MEBIBYTES:g} MiB/s for {OUTPUT:.0f} s in chunks of 64 KiB. Blocked is the share of that "
                    "time in which it was in write(2), beside the same with a file."
                ),
                (
                    f"Rate: {COMMANDS} commands `true` at one agent with {SLOTS} slots, from the first request for orders to the last "
                    "report. Its API and queues are in the memory of another process that answers at once: the local stack is slower."
                ),
            ),
        )
    ]


def _on_the_stack(folder: Path) -> list[Row]:
    with deployed_stack.deployed() as (_, info, client):
        token = client.create_token("agents", role="agent", namespaces=[NAMESPACE], expires_in=timedelta(hours=1))
        with agent(info.url, token["secret"], folder, pool=f"{NAMESPACE}/{_POOL}", slots=4) as process:
            _until(lambda: any(node["node"] == NODE for node in client.nodes(NAMESPACE)), "the agent registers")
            return [*_idle(process), *_starts(process, client), *_output(process, client, folder)]


def _idle(process: AgentProcess) -> list[Row]:
    time.sleep(SETTLING)
    begun, processor = time.time(), process.processor_seconds
    time.sleep(IDLE)
    lasted = time.time() - begun
    taken = process.processor_seconds - processor
    calls = sum(1 for note in process.notes() if "sqs" in note and note["at"] >= begun)
    return [
        Row("idle: SQS calls", calls * 60 / lasted, "a minute", most=6),
        Row("idle: processor", 100 * taken / lasted, "% of a core", most=0.1),
        Row("idle: memory", process.mebibytes, "MiB"),
    ]


def _starts(process: AgentProcess, client: Client) -> list[Row]:
    job = _command("starts", ["date", "+%s.%N"]) | {"schedule": "* * * * * *", "overlap": "allow"}
    client.apply_job(job)
    name = f"{NAMESPACE}/starts"
    time.sleep(STARTS)
    client.pause(name)
    time.sleep(SETTLING)  # of runs that are due after the pause, nothing is to be seen
    answered = {note["run_id"]: note["at"] for note in process.notes() if "run_id" in note}
    begun = {
        run["run_id"]: (_at(run["scheduled_for"]), float(_result(client, name, run["run_id"])["output"]))
        for run in client.runs(name)
        if run["state"] == "succeeded"
    }
    from_answer = [1000 * (at - answered[run_id]) for run_id, (_, at) in begun.items()]
    from_due = [at - due for due, at in begun.values()]
    return [
        Row("from the answer to the command's first instruction, p95", _p95(from_answer), "ms", most=50),
        Row("from due to the command's first instruction, p95", _p95(from_due), "s", most=1.5),
        Row("starts measured", float(len(begun)), "commands"),
    ]


def _output(process: AgentProcess, client: Client, folder: Path) -> list[Row]:
    writer = [sys.executable, str(_WRITER), str(MEBIBYTES), str(OUTPUT)]
    with (folder / "output").open("wb") as file:
        done = subprocess.run(writer, stdout=file, stderr=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our program
    to_file = json.loads(done.stderr)
    client.apply_job(_command("output", writer))
    before = process.processor_seconds
    run = wait_for_run(client, client.trigger(f"{NAMESPACE}/output"), timeout=_PATIENCE)
    taken = process.processor_seconds - before
    result = _result(client, f"{NAMESPACE}/output", run["run_id"])
    to_agent = json.loads(result["output"].splitlines()[-1])
    return [
        Row("output to the agent", result["output_bytes"] / to_agent["lasted"] / 2**20, "MiB/s", least=9.9),
        Row("output to the agent: blocked", 100 * to_agent["blocked"] / to_agent["lasted"], "%", most=5),
        Row("output to a file: blocked", 100 * to_file["blocked"] / to_file["lasted"], "%"),
        Row("output to the agent: processor of the agent", 100 * taken / to_agent["lasted"], "% of a core"),
    ]


def _alone(folder: Path) -> list[Row]:
    with AgentServer() as server:
        server.beat_every = 60
        for number in range(COMMANDS):
            server.order(f"r{number}", ["true"])
        with agent(server.url, "token", folder, pool=f"shop/{_POOL}", slots=SLOTS) as process:
            server.wait(lambda: server.starts, seconds=_PATIENCE)
            begun, processor = time.perf_counter(), process.processor_seconds
            server.wait(lambda: len(server.reports) == COMMANDS, seconds=_PATIENCE)
            lasted, taken = time.perf_counter() - begun, process.processor_seconds - processor
    return [
        Row("commands of one agent", COMMANDS / lasted, "a second", least=20),
        Row("processor time of the agent for a command", 1000 * taken / COMMANDS, "ms"),
    ]


def _command(name: str, command: list[str]) -> dict[str, Any]:
    """A job that runs a command on the pool."""
    target = {"type": "command", "pool": _POOL, "command": command}
    return {"namespace": NAMESPACE, "name": name, "schedule": "@manual", "timeout": "5m", "target": target}


def _result(client: Client, job: str, run_id: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(client.output(job, run_id)["text"] or "{}")
    return found


def _at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


def _until(look: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _PATIENCE
    while not look():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {_PATIENCE:.0f} s")
        time.sleep(0.5)
