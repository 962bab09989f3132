"""Histories with runs on several nodes, and their judge. It goes by what agents ran and by the records of runs, and shares no code with the
steps of such runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.targets.command.fields import CommandTarget
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.running.slow_calls import SlowCalls
from minutehand.usecases.running.worker import Worker
from tests.simulation import checker
from tests.simulation.agent_process import Held
from tests.simulation.agents import ForwardingWorkers, Pools, Ran
from tests.simulation.engine import START, Process
from tests.simulation.queue import SimulatedQueue
from tests.simulation.scenario import CHAOS

COUNTS = ("all", "all", "2", "3", None)
VISIBILITY = timedelta(minutes=6)
"""How long a message of the function `agents` is hidden that was received, as in the template."""
NOTICED_BY = timedelta(minutes=8)
"""How late a run may end after its time: a worker may die as it looks, and its message comes back some minutes later; or as it starts the run
of a node, whose lease has to end first, seven minutes later."""
ENDS_EVERY = timedelta(seconds=10)
"""At which instants commands end, and cancels come."""
LONG = 100
"""Seconds; longer commands are ended at their deadlines."""
NOTICED = timedelta(seconds=1)
"""How far clocks of functions and of the judge differ."""


class SpreadingWorkers(ForwardingWorkers):
    """Workers that also begin runs on several nodes."""

    def worker(self, process: Process, ports: Ports, queue: SimulatedQueue, slow_calls: SlowCalls | None) -> Worker:
        worker = super().worker(process, ports, queue, slow_calls)
        begin = getattr(worker.forward, "begin", None)
        return worker._replace(spread=begin)


class Spreading(Pools):
    """One seeded history. Most of its jobs run on several nodes of a pool, which has as many as any job asks for."""

    names = (("a", "b", "c"),)

    def __init__(self, seed: int, *, trace: bool = False) -> None:
        super().__init__(seed, trace=trace)
        self.spread_draws = Random(f"spreads {seed}")
        self.workers = SpreadingWorkers(self)
        self.queue.visibility = self.slow.visibility = VISIBILITY
        self.queue.deliver, self.slow.deliver = self.workers.work, self.workers.work_slow

    def command(self, job: Job) -> Job:
        """A job whose command runs on several nodes, mostly."""
        made, draws = super().command(job), self.spread_draws
        target, count = made.target, draws.choice(COUNTS)
        if not isinstance(target, CommandTarget) or count is None:
            return made
        most = 2 if count == "all" else int(count)
        target = replace(
            target,
            node=None,
            count=count,
            min_success=draws.choice((None, None, 1, most)),
            max_parallel=draws.choice((None, 1, 1, most)),
        )
        return replace(made, target=target)

    def takes(self, held: Held) -> float:
        """Commands end at the same instants, mostly: what matters here are ends of several nodes at once."""
        seconds = super().takes(held)
        if seconds > LONG or self.spread_draws.random() < 0.2:
            return seconds
        over = held.began + timedelta(seconds=seconds)
        return seconds + (-(over - START) % ENDS_EVERY).total_seconds()

    def _prepare(self) -> None:
        super()._prepare()
        for _ in range(self.spread_draws.choice((0, 2, 12))):
            turn = self.spread_draws.randrange(1, CHAOS // ENDS_EVERY)
            after = timedelta(seconds=self.spread_draws.uniform(0, 1))
            self.engine.at(START + turn * ENDS_EVERY + after, self._cancel_one)

    def _cancel_one(self) -> None:
        """Ask for the end of a run that waits for its nodes, or of one on a node."""
        known = [run for run in self.state.runs.values() if run.joins_at or run.share]
        active = [run.key for run in known if not run.state.finished]
        if not active:
            return
        chosen = self.spread_draws.choice(sorted(active))

        def ask(ports: Ports) -> None:
            try:
                cancel(ports, chosen, who=Actor("sim"))
            except (Conflict, NotFound):
                return

        self.requests.ask("cancel", ask)


def violations(history: Spreading) -> list[str]:
    """Every broken promise of a finished history about runs on several nodes."""
    return [
        *history.defects,
        *checker.calls_are_legal(history),
        *checker.everything_rests(history),
        *_parts_belong(history),
        *_run_at_their_nodes(history),
        *_end_after_their_parts(history),
        *_end_in_time(history),
        *_parts_take_nothing(history),
        *_parts_stay_at_their_nodes(history),
        *_end_as_their_parts_did(history),
        *_keep_max_parallel(history),
        *_do_not_overlap(history),
        *_queues_rest(history),
    ]


def _parts(history: Spreading) -> dict[tuple[RunKey, int], list[Run]]:
    """The runs on nodes, by the attempt of which they are a part."""
    found: dict[tuple[RunKey, int], list[Run]] = defaultdict(list)
    for run in history.state.runs.values():
        if run.share is not None:
            found[run.share.parent, run.share.attempt].append(run)
    return found


def _ran(history: Spreading, run: Run) -> Sequence[Ran]:
    return [ran for ran in history.commands if ran.run == run.key]


def _targets(history: Spreading, job: JobKey) -> list[CommandTarget]:
    """The commands that a job ever had."""
    return [c.given.target for c in history.history.of(job) if isinstance(c.given.target, CommandTarget)]


def _parts_belong(history: Spreading) -> Iterator[str]:
    """Each node has one run an attempt, no more nodes than the job ever asked for, and no whole run is itself carried out by an agent."""
    for (parent, attempt), parts in _parts(history).items():
        where = f"{parent.job} {parent.run_id} #{attempt}"
        nodes = Counter(run.share.node for run in parts if run.share)
        yield from (f"{where}: node {node} has {n} runs" for node, n in nodes.items() if n > 1)
        counts = {target.count for target in _targets(history, parent.job)}
        if "all" not in counts and len(nodes) > max((int(count) for count in counts if count), default=1):
            yield f"{where}: has {len(nodes)} nodes, and its job asked for {counts}"
        if parent not in history.state.runs:
            yield f"{where}: has parts, and no record"
    for ran in history.commands:
        run = history.state.runs[ran.run]
        if run.joins_at is not None and run.share is None and ran.attempt == run.attempt:
            yield f"{ran.run.job} {ran.run.run_id}: an agent at {ran.node} ran the whole run"


def _run_at_their_nodes(history: Spreading) -> Iterator[str]:
    for ran in history.commands:
        share = history.state.runs[ran.run].share
        if share is not None and (share.pool, share.node) != (ran.node.pool.name, ran.node.name):
            yield f"{ran.run.job} {ran.run.run_id}: ran at {ran.node}, and is the part of node {share.node}"


def _end_after_their_parts(history: Spreading) -> Iterator[str]:
    """When a run on several nodes has ended, all of its parts have, and none begins any more, neither as a record nor as a command."""
    made = {moved.after.key: moved.at for moved in history.history.moves if moved.before is None}
    over = {
        moved.after.key: moved.at
        for moved in history.history.moves
        if moved.after.state.finished and not (moved.before and moved.before.state.finished)
    }
    for (parent, attempt), parts in _parts(history).items():
        whole = history.state.runs.get(parent)
        if whole is None or whole.attempt != attempt or parent not in over:
            continue
        for part in parts:
            where = f"{parent.job} {parent.run_id}: ended at {over[parent]}, and its part {part.key.run_id}"
            if made[part.key] > over[parent]:
                yield f"{where} was made at {made[part.key]}"
            elif part.key in over and over[part.key] > over[parent]:
                yield f"{where} at {over[part.key]}"
            for ran in _ran(history, part):
                if ran.until > over[parent] + NOTICED:
                    yield f"{where} ran at {ran.node} until {ran.until}"


def _end_in_time(history: Spreading) -> Iterator[str]:
    """A run on several nodes ends soon after its time is over, whatever became of its nodes."""
    for moved in history.history.moves:
        run, before = moved.after, moved.before
        if before is None or not run.state.finished or before.joins_at is None or before.deadline_at is None:
            continue
        if moved.at > before.deadline_at + NOTICED_BY:
            yield f"{run.key.job} {run.key.run_id}: had until {before.deadline_at}, and ended at {moved.at}"


def _parts_take_nothing(history: Spreading) -> Iterator[str]:
    """The whole run has passed every rule of a start, so none keeps a part from starting but its own time."""
    allowed = (None, SkipReason.TARGET, SkipReason.START_WITHIN, SkipReason.SHADOW)
    for moved in history.history.moves:
        run = moved.after
        if run.share is None:
            continue
        if moved.permits or run.skip_reason not in allowed:
            yield f"{run.key.job} {run.key.run_id}: took {moved.permits}, and was skipped for {run.skip_reason}"


def _parts_stay_at_their_nodes(history: Spreading) -> Iterator[str]:
    """A part whose agent had its order, and fell silent, is lost: only a failure that was reported is retried."""
    for moved in history.history.moves:
        run, before = moved.after, moved.before
        if run.share is None or before is None or before.state is not RunState.WAITING:
            continue
        if run.takeovers > before.takeovers or run.attempt > before.attempt:
            yield f"{run.key.job} {run.key.run_id}: attempt {before.attempt} had been given to an agent, and was taken over"


def _end_as_their_parts_did(history: Spreading) -> Iterator[str]:
    """A run that succeeded did so on enough nodes, and one that did not, not on all of those it had."""
    for (parent, attempt), parts in _parts(history).items():
        whole = history.state.runs.get(parent)
        spread = history.state.spreads.get((parent, attempt))
        if whole is None or spread is None or whole.attempt != attempt:
            continue
        good = sum(_is_good(part) for part in parts)
        least = {t.min_success for t in _targets(history, parent.job)} | {spread.min_success}
        lowest = min((len(spread.nodes) if one is None else one for one in least), default=1)
        if whole.state is RunState.SUCCEEDED and good < min(lowest, len(spread.nodes)):
            yield f"{parent.job} {parent.run_id}: succeeded with {good} of {len(spread.nodes)} nodes"
        if whole.state is RunState.FAILED and good == len(spread.nodes):
            yield f"{parent.job} {parent.run_id}: failed, and all of its nodes succeeded"


def _is_good(run: Run) -> bool:
    return run.state is RunState.SUCCEEDED or (run.state is RunState.SKIPPED and run.skip_reason is SkipReason.TARGET)


def _keep_max_parallel(history: Spreading) -> Iterator[str]:
    """No more parts are under way at once than the job ever allowed."""
    for (parent, attempt), parts in _parts(history).items():
        spread = history.state.spreads.get((parent, attempt))
        bounds = {target.max_parallel for target in _targets(history, parent.job) if target.count is not None}
        if spread is None or None in bounds:
            continue
        most = max((one for one in bounds if one is not None), default=len(spread.nodes))
        spans = [(ran.began, ran.until) for part in parts for ran in _ran(history, part)]
        for at, _ in spans:
            under_way = sum(began <= at < until for began, until in spans)
            if under_way > most:
                yield f"{parent.job} {parent.run_id}: ran on {under_way} nodes at once at {at}; {most} is the most"


def _do_not_overlap(history: Spreading) -> Iterator[str]:
    """Where runs of a job must not overlap, no command of one run is under way while one of another is."""
    for job in history.jobs:
        if history.overlaps[job] is Overlap.ALLOW:
            continue
        spans: list[tuple[datetime, datetime, RunKey]] = []
        for ran in history.commands:
            if ran.run.job == job:
                share = history.state.runs[ran.run].share
                spans.append((ran.began, ran.until, ran.run if share is None else share.parent))
        spans.sort()
        for place, (_, until, whole) in enumerate(spans):
            for began, _, other in spans[place + 1 :]:
                if other != whole and began < until:
                    yield f"{job}: {other.run_id} began at {began}, and {whole.run_id} was under way until {until}"


def _queues_rest(history: Spreading) -> Iterator[str]:
    for served, queue in history.pool_queues.queues.items():
        if queue.held:
            yield f"{len(queue.held)} messages are left in the queue of {served}"
