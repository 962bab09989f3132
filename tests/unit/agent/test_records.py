"""What goes wrong with commands, from the job to the record of its run: the agent itself, and the product's API over memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from minutehand.agent import running
from minutehand.agent.rules import Rules
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import Role
from tests.support.agent_server import MemoryQueues
from tests.support.api_server import TOKEN
from tests.support.recorded_protocol import AgentApiServer
from tests.unit.agent.conftest import OWN, Running

pytestmark = pytest.mark.slow

JOB = JobKey("shop", "bad")
NEVER_MADE = "no-user-of-this-name"


@pytest.fixture
def api() -> Iterator[AgentApiServer]:
    with AgentApiServer() as server:
        yield server


def recorded(api: AgentApiServer, folder: Path, target: dict[str, Any], *, forged: bool = False, **more: Any) -> Any:
    """The record of a run of a command, once an agent has reported it.

    Args:
        forged: whether the variables of the target were stored by something that does not check them.
        more: of the agent.
    """
    api.allow(Role.ADMIN)
    variables = target.pop("environment", {}) if forged else {}
    api.add_job(str(JOB), target={"type": "command", "pool": "web", "command": ["true"]} | target)
    definition = api.state.definitions[JOB]
    if forged:
        job = replace(definition.job, target=replace(definition.job.target, environment=tuple(variables.items())))  # type: ignore[type-var]  # a dataclass, like each target
        api.state.definitions[JOB] = replace(definition, job=job)
    key = RunKey(JOB, api.ask("POST", f"namespaces/{JOB.namespace}/jobs/{JOB.name}/trigger")["run_id"])
    api.allow(Role.AGENT, JOB.namespace)
    queues = MemoryQueues()
    rules = Rules(users=(OWN.name, NEVER_MADE))
    agent = Running(
        api.url, queues, token=TOKEN, session="session-1", slots=1, rules=rules, spool=folder / "spool", **more
    )
    queues.send(json.dumps({"job": str(JOB), "run_id": key.run_id, "attempt": 1}), "/shop/web")
    try:
        for _ in range(3000):
            if api.state.runs[key].finished_at is not None:
                break
            threading.Event().wait(0.02)
    finally:
        agent.stop()
        agent.ended()
    api.allow(Role.ADMIN)
    return api.runs(str(JOB))[key.run_id]


@pytest.mark.parametrize(
    ("target", "more", "error", "message"),
    [
        ({"user": NEVER_MADE}, {}, "UnknownUser", f"this machine has no user {NEVER_MADE}"),
        ({"directory": "/no/such/place"}, {}, "NoDirectory", "this machine has no directory /no/such/place"),
        ({}, {"variables": {"LANG": "x" * 200_000}}, "NotStarted", "cannot start true now: Argument list too long"),
        (
            {"environment": {"A=B": "c"}},
            {"forged": True},
            "CommandRefused",
            "environment: 'A=B' cannot be the name of a variable",
        ),
    ],
)
def test_what_keeps_a_command_from_starting_is_in_the_record_of_its_run(
    api: AgentApiServer, tmp_path: Path, target: dict[str, Any], more: dict[str, Any], error: str, message: str
) -> None:
    run = recorded(api, tmp_path, target, **more)
    assert (run["state"], run["error"]["type"]) == ("failed", error)
    assert message in run["error"]["message"]


def test_a_defect_of_the_agent_is_in_the_record_of_the_run(
    api: AgentApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> NoReturn:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(running, "launched", broken)
    run = recorded(api, tmp_path, {})
    assert (run["state"], run["error"]["type"]) == ("failed", "AgentFailed")
    assert run["error"]["message"] == "the agent has a defect: ZeroDivisionError: division by zero"
