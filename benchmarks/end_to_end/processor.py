"""Processor time of a worker for each run, beside bare requests with the same data."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from statistics import median
from time import process_time
from typing import Any

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
ROUNDS = 15
MOST = 1.15
LAP = timedelta(minutes=2)
"""The period of the jobs, equal to the tick's look-ahead: each tick finds each job once."""


def table(*, load: int = LOAD, rounds: int = ROUNDS) -> Table:
    """Rounds of the worker and of bare requests, in turn, on MiniStack."""
    with emulators.ministack() as ministack, http_target.in_own_process() as target:
        measured = _Rounds(ministack, target, load=load)
        measured.play_worker()  # warms connections and caches
        measured.play_bare()
        measured.play_as_installed()
        for taken in (measured.worker, measured.bare, measured.as_installed):
            taken.clear()
        for turn in range(rounds):
            order = (measured.play_worker, measured.play_bare, measured.play_as_installed)
            for play in order if turn % 2 == 0 else reversed(order):
                play()
    worker, bare, as_installed = measured.worker, measured.bare, measured.as_installed
    beside_bare = ratio(worker, bare)
    return Table(
        title="Processor time of the worker",
        goal=f"the worker takes ≤ {MOST} times the processor time of its own requests by boto3 and urllib3 alone",
        holds=beside_bare <= MOST,
        columns=(
            "runs at a time",
            "times",
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
                measured.requests / load,
                median(worker) / load * 1e6,
                median(bare) / load * 1e6,
                beside_bare,
                median(as_installed) / load * 1e6,
                ratio(worker, as_installed),
            ),
        ),
        notes=(
            (
                f"Medians of {rounds} rounds each. The worker has the real HTTP caller, with batches of {BATCH} messages on {BATCH} threads."
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
