"""What a worker takes of the processor for each run, beside the bare requests that carry the same data."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from statistics import median
from time import process_time
from typing import Any

from benchmarks import stack, target
from benchmarks.charts.chart import Chart
from benchmarks.end_to_end.bare import Bare, Rehearsal
from benchmarks.end_to_end.working import BATCH, messages, work, worker
from benchmarks.scene import SHARDS, Scene, job, scene, store
from benchmarks.table import Table, ratio
from benchmarks.worker import without_delay
from minutehand.domain.run import RunState
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.dispatching.tick import tick

LOAD = 200
ROUNDS = 7
LAP = timedelta(minutes=2)
"""How often the jobs are due: as far apart as a tick looks ahead, so that each tick finds each of them once."""
_WORKER, _BARE = "worker: µs per run", "bare: µs per run"
_CHART = Chart(
    name="worker",
    kind="bars",
    over=("runs at a time",),
    values=(_WORKER, _BARE),
    x="runs at a time",
    y="processor time, µs per run",
)


def table(ministack_url: str, *, load: int = LOAD, rounds: int = ROUNDS) -> Table:
    """Measure on MiniStack."""
    with target.elsewhere() as url:
        contest = Contest(ministack_url, url, load=load)
        for turn in range(rounds):
            contest.run(bare_first=turn % 2 == 1)
    ours, theirs = contest.worker, contest.bare
    return Table(
        title="Processor time of the worker",
        chart=_CHART,
        columns=(
            "runs at a time",
            "times",
            "requests a run",
            _WORKER,
            _BARE,
            "worker / bare",
        ),
        rows=(
            (
                load,
                len(ours),
                contest.requests / load,
                median(ours) / load * 1e6,
                median(theirs) / load * 1e6,
                ratio(ours, theirs),
            ),
        ),
        notes=(
            (
                f"Medians of {rounds} rounds of each, in turn, of `time.process_time` of all threads of this process: the servers and the target are others. The worker is the use case over the real "
                f"adapters and the real HTTP caller, given messages in batches of {BATCH}, which it takes side by side on {BATCH} threads."
            ),
            (
                "Bare are the worker's own requests, rehearsed beforehand against clients that write nothing: for each batch the runs, the definitions and the hiding, for each run the start, the call of the "
                "target and the report, on as many threads, by boto3 and urllib3 alone. They judge nothing, look for no forbidden address and end no call in time."
            ),
            "Log lines and metrics, which the function writes and the use case does not, are in neither.",
        ),
    )


class Contest:
    """Workers and bare requests in turn, over the runs of the same jobs, each two minutes later than the last."""

    def __init__(self, ministack_url: str, target_url: str, *, load: int) -> None:
        self._clients: dict[str, Any] = {"dynamodb": stack.dynamodb(ministack_url), "sqs": stack.sqs(ministack_url)}
        self._load = load
        without_delay(self._clients["sqs"])
        jobs_table, runs_table = stack.empty_tables(self._clients["dynamodb"])
        called = HttpTarget(method="POST", url=f"{target_url}/close", headers=(("X-Ledger", "main"),))
        jobs = [job(f"report-{n:04d}", "*/2 * * * *", target=called) for n in range(load)]
        store(self._clients["dynamodb"], jobs_table, jobs)
        queue = self._clients["sqs"].create_queue(QueueName="end-to-end")["QueueUrl"]
        self._names = {"jobs_table": jobs_table, "runs_table": runs_table, "queue": queue}
        self._scene = scene(self._clients["dynamodb"], self._clients["sqs"], **self._names)
        self._threads = ThreadPoolExecutor(BATCH)
        self.worker: list[float] = []
        self.bare: list[float] = []
        self.requests = 0
        self._worker()  # once beforehand, for connections and caches
        self._bare()
        self.worker.clear()
        self.bare.clear()

    def run(self, *, bare_first: bool) -> None:
        """One of each.

        Raises:
            RuntimeError: when a run did not succeed: then the times mean nothing.
        """
        for one in (self._bare, self._worker) if bare_first else (self._worker, self._bare):
            one()

    def _worker(self) -> None:
        batches = self._due()
        one = worker(self._scene, self._clients["sqs"], self._threads)
        self.worker.append(_timed(lambda: work(batches, self._scene, one)))
        self._check()

    def _bare(self) -> None:
        batches = self._due()
        rehearsal = Rehearsal()
        clients = {name: rehearsal.client(name, client) for name, client in self._clients.items()}
        given = scene(clients["dynamodb"], clients["sqs"], **self._names)
        given.clock.now = self._scene.clock.now
        one = worker(given, clients["sqs"], self._threads)._replace(call=rehearsal.call, parallel=rehearsal.parallel)
        noted = []
        for batch in batches:
            work([batch], given, one)
            noted.append(rehearsal.batch())
        self.requests = sum(len(batch.together) + sum(map(len, batch.apart)) for batch in noted)
        bare = Bare(self._clients, self._threads)
        self.bare.append(_timed(lambda: bare.play(noted)))
        self._check()

    def _due(self) -> list[list[Any]]:
        """The messages of the jobs' next runs, which are due now."""
        dispatched = _tick(self._scene)
        if dispatched.problems or dispatched.sent != self._load:
            raise RuntimeError(f"the tick did not go as it should: {dispatched}")
        self._scene.clock.now += LAP
        return messages(self._scene, self._clients["sqs"], self._load)

    def _check(self) -> None:
        """That each run has succeeded, in the store."""
        now = self._scene.clock.now
        found = [run for keys in self._scene.ports.runs.within("benchmark", now, now + LAP) for run in keys]
        runs = self._scene.ports.runs.get(found).values()
        done = sum(run.state is RunState.SUCCEEDED for run in runs)
        if done != self._load:
            raise RuntimeError(f"of {self._load} runs {done} succeeded")
        self._clients["sqs"].purge_queue(QueueUrl=self._names["queue"])


def _timed(do: Callable[[], object]) -> float:
    gc.collect()
    began = process_time()
    do()
    return process_time() - began


def _tick(given: Scene) -> Any:
    return tick(given.ports, shards=range(SHARDS), time_left=lambda: timedelta(minutes=1))
