"""Commands of agents, in real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from minutehand.agent.accounts import own_account
from minutehand.agent.agent import Agent, Farewell, Timing
from minutehand.agent.app import AgentApp
from minutehand.agent.attendance import Patience
from minutehand.agent.command import Command
from minutehand.agent.ending import Outcome
from minutehand.agent.events import Event
from minutehand.agent.launch import launched
from minutehand.agent.membership import Node
from minutehand.agent.order import read_order
from minutehand.agent.pauses import Span
from minutehand.agent.queues import Queues
from minutehand.agent.rules import Rules, default_rules
from minutehand.client.agents import ANSWER_WITHIN, LONGEST_ANSWER, AgentCalls
from minutehand.client.bounds import Bounds
from minutehand.client.config import Settings
from minutehand.client.transport import Transport
from tests.support.agent_server import AgentServer, order

QUICK = Patience(term=0.3, kill=5, look=0.02, lease=0.3, limit=0.3)
"""Patience with commands that end when they are told."""
OWN = own_account(os.environ)
NEVER = float("inf")


def command_of(
    command: Any,
    *,
    rules: Rules | None = None,
    patience: Patience = QUICK,
    lease_end: Callable[[], float] = lambda: NEVER,
    variables: dict[str, str] | None = None,
    limit: float = NEVER,
    **more: Any,
) -> Command:
    """A command that is yet to run."""
    found = read_order(order("20261120T090000Z", command, **more))

    def launch(stdin: int, output: int) -> subprocess.Popen[bytes]:
        own = {"PATH": os.environ["PATH"]} if variables is None else variables
        return launched(found, rules or default_rules(OWN.name), OWN, own, node="web-1", stdin=stdin, output=output)

    return Command(found, launch, limit=limit, lease_end=lease_end, patience=patience)


def outcome_of(command: Any, **more: Any) -> Outcome:
    """How a command ends."""
    return command_of(command, **more).run()


def result_of(outcome: Outcome) -> dict[str, Any]:
    """The result that is reported."""
    assert outcome.result is not None
    return outcome.result


def error_of(outcome: Outcome) -> str:
    """The type and the message of the error that is reported."""
    assert outcome.error is not None
    return f"{outcome.error['type']}: {outcome.error['message']}"


def no_threads(monkeypatch: pytest.MonkeyPatch, name: str, most: float = NEVER) -> None:
    """Have the machine refuse threads of a name: the first `most` of them."""
    start, refused = threading.Thread.start, []

    def refusing(self: threading.Thread) -> None:
        if self.name == name and len(refused) < most:
            refused.append(name)
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refusing)


class Running:
    """An agent in a thread.

    Attributes:
        events: what it has told.
        mute: whether its events cannot be written.
        farewell: why it has ended, or the error by which it did.
    """

    def __init__(
        self,
        url: str,
        queues: Queues,
        *,
        token: str,
        session: str,
        slots: int,
        rules: Rules | None,
        spool: Path,
        app: AgentApp | None = None,
        variables: Mapping[str, str] | None = None,
        **timing: Any,
    ) -> None:
        self.events: list[Event] = []
        self.mute = False
        self.farewell: Farewell | Exception | None = None
        # As AgentCalls.at makes it, without its pauses between tries.
        bounds = Bounds(ANSWER_WITHIN, LONGEST_ANSWER)
        http = Transport(url, token, timeout=15, retries=0, backoff=0, bounds=bounds)
        self._calls = AgentCalls(http, pool="shop/web", node="web-1", session=session)
        quick = {
            "poll": 1,
            "retries": Span(0.01, 0.05),
            "patience": QUICK,
            "at_once": 0.3,
            "last_reports": 1,
            "last_logs": 1,
            "least_beat": 0.02,
        }
        self.agent = Agent(
            self._calls,
            lambda _: queues,
            node=Node(host="host", version="1", tags={"zone": "a"}, slots=slots),
            rules=rules or default_rules(OWN.name),
            own=OWN,
            app=app,
            environment={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), **(variables or {})},
            spool=spool,
            log=self._log,
            timing=Timing(**(quick | timing)),
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.agent.stop()

    def ended(self) -> Farewell | Exception | None:
        """Wait for its end, and return why."""
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.farewell

    def actions(self) -> list[str]:
        return [each.action for each in self.events]

    def wait_for(self, action: str) -> None:
        """Wait for an event of an action."""
        for _ in range(6000):
            if action in self.actions():
                return
            threading.Event().wait(0.01)
        raise AssertionError(f"no {action} among {self.actions()}")

    def told(self, action: str) -> str:
        """The texts of its events of an action."""
        return "\n".join(each.text for each in self.events if each.action == action)

    def _log(self, event: Event) -> None:
        if self.mute:
            raise OSError("No space left on device")
        self.events.append(event)

    def _run(self) -> None:
        try:
            with self._calls:
                self.farewell = self.agent.run()
        except Exception as error:  # noqa: BLE001 - for the test to judge
            self.farewell = error


@pytest.fixture
def server() -> Iterator[AgentServer]:
    with AgentServer() as server:
        yield server


Start = Callable[..., Running]


@pytest.fixture
def start(server: AgentServer, tmp_path: Path) -> Iterator[Start]:
    """Start an agent of the server's node."""
    agents: list[Running] = []

    def start(
        *,
        session: str = "session-1",
        slots: int = 4,
        rules: Rules | None = None,
        app: AgentApp | None = None,
        **timing: Any,
    ) -> Running:
        spool = tmp_path / "spool"
        agents.append(
            Running(
                server.url,
                server.queues,
                token="token",
                session=session,
                slots=slots,
                rules=rules,
                spool=spool,
                app=app,
                **timing,
            )
        )
        return agents[-1]

    yield start
    server.away = False
    for each in agents:
        each.stop()
        each.stop()
        each.ended()


def settings_of(server: AgentServer) -> Settings:
    return Settings(url=server.url, token="token", origin="the test")
