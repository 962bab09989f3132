"""A pool whose job runs on several of its nodes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from minutehand.domain.node import NodeKey
from minutehand.domain.outcome import Outcome
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.agents.starting import Started
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call
from tests.unit.usecases.agents.serving import POOL, WAITS, Serving

FAILS = Outcome(RunState.FAILED, Result("command", 0, '{"exit_code": 3}'), RunError("ExitCode", "exit code 3"))
SUCCEEDS = Outcome(RunState.SUCCEEDED, Result("command", 0, '{"exit_code": 0}'))


class Spreading(Serving):
    """A stage whose job runs on all live nodes of the pool `web`: a, b and c, unless told otherwise."""

    def __init__(self, nodes: str = "abc", **fields: Any) -> None:
        super().__init__(**{**fields, "command": {"count": "all"} | fields.pop("command", {})})
        self.calls: list[Call] = []
        for name in nodes:
            self.joins(self.node(name), f"session-{name}")

    @staticmethod
    def node(name: str) -> NodeKey:
        return NodeKey(POOL, name)

    @property
    def shares(self) -> dict[str, Run]:
        """The runs on nodes, by their nodes."""
        found = [run for run in self.state.runs.values() if run.share is not None]
        return {run.share.node: run for run in found if run.share is not None}

    @property
    def states(self) -> dict[str, RunState]:
        return {node: run.state for node, run in sorted(self.shares.items())}

    def begins(self) -> None:
        """Have the function begin the run, and forward what that sends."""
        self.forward()
        self.forward()

    def starts_at(self, name: str, run: RunKey | None = None) -> Started:
        """Have the agent of a node ask to start what is in its inbox."""

        def note(call: Call) -> Outcome:
            self.calls.append(call)
            return WAITS

        node = self.node(name)
        wanted = [run] if run is not None else list(dict.fromkeys(message.run for message in self.of(node)))
        self.state.pool_queues.get(node, []).clear()
        [started] = self.starts(*wanted, node=node, session=f"session-{name}", call=note)
        return started

    def ends_at(self, name: str, outcome: Outcome = SUCCEEDS) -> Run:
        """Have the agent of a node report how the command ended."""
        call = next(call for call in reversed(self.calls) if call.run.key == self.shares[name].key)
        return report(self.ports, Speaker(call.run.key, call.run.attempt, call.token), outcome)

    def carries_out(self, name: str, outcome: Outcome = SUCCEEDS) -> None:
        """Have a node run its command from start to end."""
        self.starts_at(name)
        self.ends_at(name, outcome)

    def looks_after(self, seconds: float) -> None:
        """Let time pass, with live agents, and have the function handle what is due then."""
        self.wait(seconds)
        self.keep_alive()
        self.forward()
        self.forward()

    def execute_share(self, name: str) -> None:
        """Have the function handle a message of a node's run."""
        self.keep_alive()
        forwarding = self.forwarding()
        self.execute([Received(self.shares[name].key, 1, receipt="r")], forward=forwarding, spread=forwarding.begin)

    def keep_alive(self, names: Sequence[str] | None = None) -> None:
        """Note that agents are alive, all of them unless named."""
        for key, node in self.state.nodes.items():
            if names is None or key.name in names:
                self.state.nodes[key] = replace(node, seen_at=self.now)

    def lines(self) -> list[dict[str, Any]]:
        """What the result of the run says of each node."""
        result = self.ports.outputs.get(self.nine.key, self.nine.attempt)
        kept = result.result if result is not None else self.nine.result
        assert kept is not None
        found: list[dict[str, Any]] = json.loads(kept.body)["nodes"]
        return found
