"""Processor time of a worker for each run, beside bare requests with the same data."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import timedelta
from multiprocessing import get_context
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from benchmarks import emulators, http_target
from benchmarks.end_to_end.bare_requests import Batch, Recorder, Sender
from benchmarks.recording import RecordingClient
from benchmarks.table import Table, ratio
from benchmarks.worker import BATCH, make_worker, receive, without_delay
from benchmarks.workload import connect, jobs, store
from minutehand.domain.run import RunState
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.running.execute import execute

LOAD = 200
ROUNDS = 9
PROCESSES = 5
"""One process after another, since each has its own hash seed and its own places in memory, which make several percent."""
MOST = 1.15
LAP = timedelta(minutes=2)
"""The period of the jobs, equal to the tick's look-ahead: each tick finds each job once."""


class _Taken(NamedTuple):
    """Seconds of processor time of each round, and the bare requests of a round."""

    worker: list[float]
    bare: list[float]
    as_installed: list[float]
    requests: int


def table(*, load: int = LOAD, rounds: int = ROUNDS, processes: int = PROCESSES) -> Table:
    """Rounds of the worker and of bare requests, in turn, on MiniStack."""
    with emulators.ministack() as ministack, http_target.in_own_process() as target:
        each = [_in_own_process(ministack, target, load, rounds) for _ in range(processes)]
    beside_bare = median(ratio(one.worker, one.bare) for one in each)
    return Table(
        title="Processor time of the worker",
        goal=f"the worker takes ≤ {MOST} times the processor time of its own requests by boto3 and urllib3 alone",
        holds=beside_bare <= MOST,
        columns=(
            "runs at a time",
            "times",
            "processes",
            "requests a run",
            "worker: µs per run",
            "bare: µs per run",
            "worker / bare",
            "bare as installed: µs per run",
            "worker / bare as installed",
        ),
        rows=(
            (
                load,
                rounds,
                processes,
                each[0].requests / load,
                median(median(one.worker) for one in each) / load * 1e6,
                median(median(one.bare) for one in each) / load * 1e6,
                beside_bare,
                median(median(one.as_installed) for one in each) / load * 1e6,
                median(ratio(one.worker, one.as_installed) for one in each),
            ),
        ),
        notes=(
            (
                f"Medians of {processes} processes, of {rounds} rounds each. The worker has the real HTTP caller, with batches of {BATCH} messages on {BATCH} threads."
            ),
            (
                "Bare requests are the worker's own, recorded before and sent by boto3 and urllib3 alone on as many threads: for each batch the runs, the definitions and the hiding; for each run the start, the call of the "
                "target and the report. They decide nothing, check no address and limit no call's time."
            ),
            (
                "Bare requests have the settings of the worker's clients; as installed, those of boto3, which checks parameters and assembles its User-Agent at each call."
            ),
            "Neither the worker's time nor the bare requests' includes the function's log lines and metrics.",
        ),
    )


def _in_own_process(ministack: str, target: str, load: int, rounds: int) -> _Taken:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_taken, ministack, target, load, rounds).result()


def _taken(ministack: str, target: str, load: int, rounds: int) -> _Taken:
    measured = _Rounds(ministack, target, load=load)
    plays = (measured.play_worker, measured.play_bare, measured.play_as_installed)
    for play in plays:
        play()  # warms connections and caches
    for taken in (measured.worker, measured.bare, measured.as_installed):
        taken.clear()
    for turn in range(rounds):
        for play in plays if turn % 2 == 0 else reversed(plays):
            play()
    return _Taken(measured.worker, measured.bare, measured.as_installed, measured.requests)


class _Rounds:
    """Rounds over the next runs of the same jobs, in seconds of processor time.

    Attributes:
        requests: bare requests of a round.
    """

    def __init__(self, ministack: str, target: str, *, load: int) -> None:
        self._clients: dict[str, Any] = {"dynamodb": emulators.dynamodb(ministack), "sqs": emulators.sqs(ministack)}
        self._as_installed: dict[str, Any] = {
            "dynamodb": emulators.dynamodb(ministack, emulators.AS_INSTALLED),
            "sqs": emulators.sqs(ministack, emulators.AS_INSTALLED),
        }
        self._load = load
        without_delay(self._clients["sqs"])
        jobs_table, runs_table = emulators.empty_tables(self._clients["dynamodb"])
        called = HttpTarget(method="POST", url=f"{target}/close", headers=(("X-Ledger", "main"),))
        store(self._clients["dynamodb"], jobs_table, jobs(load, "*/2 * * * *", target=called))
        queue = self._clients["sqs"].create_queue(QueueName="end-to-end")["QueueUrl"]
        self._names = {"jobs_table": jobs_table, "runs_table": runs_table, "queue": queue}
        self._stack = connect(self._clients["dynamodb"], self._clients["sqs"], **self._names)
        self._threads = ThreadPoolExecutor(BATCH)
        self.worker: list[float] = []
        self.bare: list[float] = []
        self.as_installed: list[float] = []
        self.requests = 0

    def play_worker(self) -> None:
        """A round of the worker."""
        batches = self._batches()
        worker = make_worker(self._stack, self._clients["sqs"], HttpCaller(allow_loopback=True), threads=self._threads)
        self.worker.append(
            _seconds(lambda: [execute(batch, ports=self._stack.ports, worker=worker) for batch in batches])
        )
        self._check()

    def play_bare(self) -> None:
        """A round of bare requests by the worker's clients."""
        self.bare.append(self._sent(self._clients))

    def play_as_installed(self) -> None:
        """A round of bare requests by clients with boto3's own settings."""
        self.as_installed.append(self._sent(self._as_installed))

    def _sent(self, clients: dict[str, Any]) -> float:
        requests = self._recorded(self._batches())
        self.requests = sum(len(batch.shared) + sum(map(len, batch.runs)) for batch in requests)
        sender = Sender(clients, self._threads)
        taken = _seconds(lambda: sender.send(requests))
        self._check()
        return taken

    def _recorded(self, batches: Sequence[Sequence[Received]]) -> list[Batch]:
        recorder = Recorder()
        clients: dict[str, Any] = {
            name: RecordingClient(name, client, recorder.record) for name, client in self._clients.items()
        }
        stack = connect(clients["dynamodb"], clients["sqs"], **self._names)
        stack.clock.now = self._stack.clock.now
        worker = make_worker(stack, clients["sqs"], recorder.call, threads=self._threads)
        worker = worker._replace(parallel=recorder.parallel)
        recorded = []
        for batch in batches:
            execute(batch, ports=stack.ports, worker=worker)
            recorded.append(recorder.batch())
        return recorded

    def _batches(self) -> list[Sequence[Received]]:
        """The messages of the next runs, which are due now."""
        self._stack.tick(sends=self._load)
        self._stack.clock.now += LAP
        batches: list[Sequence[Received]] = []
        while sum(map(len, batches)) < self._load:
            batches.append(receive(self._stack, self._clients["sqs"]))
        return batches

    def _check(self) -> None:
        """Check that each run succeeded; otherwise the times mean nothing."""
        now, runs = self._stack.clock.now, self._stack.ports.runs
        found = [run for keys in runs.within("benchmark", now, now + LAP) for run in keys]
        succeeded = sum(run.state is RunState.SUCCEEDED for run in runs.get(found).values())
        if succeeded != self._load:
            raise RuntimeError(f"{succeeded} of {self._load} runs succeeded")
        self._clients["sqs"].purge_queue(QueueUrl=self._names["queue"])


def _seconds(do: Callable[[], object]) -> float:
    gc.collect()
    began = process_time()
    do()
    return process_time() - began
