"""Spread: a run on several nodes. It has a child run for each node of a list, which is made once, and joins their ends. Pure.

A step reads the spread, then its children's runs, and stores what it takes before it claims anything. Any process may repeat any step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.node import Destination, Node
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import Result, Run, RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey

if TYPE_CHECKING:
    from minutehand.domain.job import Job

EVERY_NODE = "all"
"""The `count` of a target that runs on every live node."""
MOST_NODES = 500
"""Most nodes of one run. Each end of a child reads the others."""
_MOST_NAMED = 5
_CODE = re.compile(r'\s*\{\s*"exit_code"\s*:\s*([0-9]{1,3})\s*[,}]')


class Reach(NamedTuple):
    """On how many nodes a job runs.

    Attributes:
        wanted: how many; None for all that are live.
        min_success: how many nodes must succeed; None for all.
        max_parallel: most nodes on which it runs at once; None for all.
    """

    wanted: int | None
    min_success: int | None = None
    max_parallel: int | None = None

    @property
    def needed(self) -> int:
        """How many nodes must be live for a run to begin."""
        return self.wanted or self.min_success or 1


def reach_of(job: Job, run: Run) -> Reach | None:
    """On how many nodes a run of a job is carried out; None for one at one place, as is a run for one node, or on one of several."""
    if run.share is not None or run.only_node:
        return None
    count: str | None = getattr(job.target, "count", None)
    if count is None or count == "1":
        return None
    most = None if count == EVERY_NODE else int(count)
    return Reach(most, getattr(job.target, "min_success", None), getattr(job.target, "max_parallel", None))


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """One attempt of a run on several nodes, as stored.

    Attributes:
        parent, attempt: the run, and the attempt whose children these are.
        pool: the pool of the nodes.
        nodes: their names, in the order in which their children start.
        min_success: how many nodes must succeed for the run to succeed.
        max_parallel: most children that may be unfinished at once.
        taken: how many of the nodes, from the first on, may have a child. The children of the last step may not exist yet.
        closed: whether no more of them are taken.
        version: grows by one with each change.
    """

    parent: Annotated[RunKey, Field(apart=True)]
    attempt: Annotated[int, Field(apart=True)]
    pool: str
    nodes: tuple[str, ...]
    min_success: int
    max_parallel: int
    taken: Annotated[int, Field(always=True)] = 0
    closed: Annotated[bool, Field(always=True)] = False
    version: Annotated[int, Field(always=True)] = 1

    def child(self, node: str) -> RunKey:
        """The key of the child at a node. It depends on the run, the attempt and the node alone, so that a repeated claim finds the same
        run."""
        said = f"{self.parent.run_id} {self.attempt} {node}"
        identity = sha256(said.encode()).hexdigest()[:20]
        instant = self.parent.run_id.partition("~")[0]
        return RunKey(self.parent.job, f"{instant}~node-{identity}")

    @property
    def children(self) -> Mapping[str, RunKey]:
        """The keys of the children that were taken, by their nodes."""
        return {node: self.child(node) for node in self.nodes[: self.taken]}


class Step(NamedTuple):
    """What a step does.

    Attributes:
        after: the spread as the step stores it.
        unclaimed: the nodes whose children it claims, once that is stored.
        closed: whether it claims these as ended, since nothing more is to start.
        outcome: how the run ended; None while it goes on.
    """

    after: Spread
    unclaimed: Sequence[str]
    closed: bool = False
    outcome: Outcome | None = None


def chosen(nodes: Sequence[Node], wanted: Destination, count: int | None, now: datetime, dice: str) -> Sequence[str]:
    """The nodes on which a run is carried out: live ones that take work and that the job means, the least loaded first.

    Args:
        count: how many; None for all of them.
        dice: decides, by a hash, between nodes that are equally loaded.

    Returns:
        Their names; none if there are fewer than `count`, so that the run has to wait.
    """

    def place(node: Node) -> tuple[float, str]:
        return node.running / node.machine.slots, sha256(f"{dice} {node.key.name}".encode()).hexdigest()

    fitting = sorted((one for one in nodes if wanted.includes(one) and one.takes_work(now)), key=place)
    if count is None:
        return [one.key.name for one in fitting]
    return [one.key.name for one in fitting[:count]] if len(fitting) >= count else []


def plan_step(before: Spread, runs: Mapping[RunKey, Run], *, stopped: bool) -> Step:
    """Decide what is next: which nodes to take, or how the run ended.

    Nothing more is taken once the run is stopped, or so many nodes failed that `min_success` cannot be reached. Children that exist go
    on then, and the run ends when they have: whoever holds the run's lock must be able to rely on that nothing of it runs any more.

    ◆ A spread of which nodes are left is closed before the run ends, so that no other step takes any of them.

    ◆ The run ends only once each node that was taken has a child that has ended. A process that has stored a taken node may still be
    about to claim its child. So where nothing more is to start, the child is claimed as ended, and that process finds that it exists.

    A step whose outcome could not be reported comes to it again, and only one report of an attempt is recorded.

    Args:
        runs: the children's runs, read after the spread, as far as they exist.
        stopped: whether the run was cancelled, its job was deleted, or its time is over.
    """
    found = {node: runs[key] for node, key in before.children.items() if key in runs}
    ended = {node: run for node, run in found.items() if run.state.finished}
    missed = sum(not _succeeded(run) for run in ended.values())
    hopeless = len(before.nodes) - missed < before.min_success
    if stopped or hopeless:
        if before.taken < len(before.nodes) and not before.closed:
            return Step(replace(before, closed=True), ())
        unclaimed = [node for node in before.children if node not in found]
        over = len(ended) == before.taken
        return Step(before, unclaimed, closed=True, outcome=_outcome(before, ended) if over else None)
    if len(ended) == len(before.nodes):
        return Step(before, (), outcome=_outcome(before, ended))
    room = 0 if before.closed else before.max_parallel - (before.taken - len(ended))
    after = replace(before, taken=min(before.taken + max(room, 0), len(before.nodes)))
    return Step(after, [node for node in after.nodes[: after.taken] if node not in found])


def _succeeded(run: Run) -> bool:
    """Whether a node counts: its command succeeded, or found that there was nothing to do."""
    nothing_to_do = run.state is RunState.SKIPPED and run.skip_reason is SkipReason.TARGET
    return run.state is RunState.SUCCEEDED or nothing_to_do


def _outcome(spread: Spread, ended: Mapping[str, Run]) -> Outcome:
    succeeded = [node for node, run in ended.items() if _succeeded(run)]
    failed = [node for node in spread.nodes if node not in succeeded]
    result = Result("command", 0, json.dumps({"nodes": [_line(node, ended.get(node)) for node in spread.nodes]}))
    if len(succeeded) >= spread.min_success:
        return Outcome(RunState.SUCCEEDED, result, final=True)
    named = ", ".join(_short(node, ended.get(node)) for node in failed[:_MOST_NAMED])
    more = f" and {len(failed) - _MOST_NAMED} more" if len(failed) > _MOST_NAMED else ""
    message = f"{len(succeeded)} of {len(spread.nodes)} nodes succeeded, {spread.min_success} had to: {named}{more}"
    return Outcome(RunState.FAILED, result, RunError(ErrorType.NODES_FAILED, message), final=True)


def _short(node: str, run: Run | None) -> str:
    return f"{node} {'not started' if run is None else run.state.value}"


def _line(node: str, run: Run | None) -> dict[str, str | int | None]:
    """What the result says of a node. A run's record has only the beginning of its result, which is where agents put the exit code."""
    if run is None:
        return {"node": node, "run_id": None, "state": None, "exit_code": None}
    return {"node": node, "run_id": run.key.run_id, "state": run.state.value, "exit_code": _exit_code(run.result)}


def _exit_code(result: Result | None) -> int | None:
    found = _CODE.match(result.body) if result is not None else None
    return int(found[1]) if found else None
