"""What the tick takes of the processor, beside the bare calls of boto3 that carry the same data."""

from __future__ import annotations

import gc
from collections import Counter
from datetime import timedelta
from statistics import median
from time import process_time
from typing import Any

from benchmarks import stack
from benchmarks.recorder import Bare, Recorder, refused
from benchmarks.scene import MINUTE, SHARDS, Scene, job, scene, store
from benchmarks.table import Cell, Table, ratio, within
from minutehand.usecases.tick import tick

REPETITIONS = {500: 9, 2000: 5}
"""By how many jobs are due at once: what is over sooner is noisier, and done more often."""
MOST = 1.5
TITLE = "Processor time of the tick"


def table(ministack_url: str) -> Table:
    """Measure with DynamoDB on MiniStack and, if it is there, on DynamoDB Local; SQS is MiniStack's in both."""
    rows = [_row("MiniStack", ministack_url, ministack_url, load) for load in REPETITIONS]
    notes: list[str] = []
    try:
        with stack.dynamodb_local() as url:
            rows.append(_row("DynamoDB Local", url, ministack_url, min(REPETITIONS)))
    except stack.AbsentError as absent:
        notes.append(f"Not run: {absent}.")
    return Table(
        title=TITLE,
        goal=f"≤ {MOST} times that of bare boto3 calls that carry the same data",
        holds=all(within(row[-1], MOST) for row in rows if isinstance(row[-1], float)),
        columns=(
            "DynamoDB",
            "due at once",
            "times",
            "tick: calls",
            "bare: calls",
            "tick: µs per occurrence",
            "bare: µs per occurrence",
            "tick / bare",
        ),
        rows=tuple(rows),
        notes=(
            (
                "Medians of as many of each as the table says, in turn, a minute of the benchmark's clock apart, of `time.process_time`: this process alone, "
                "the servers being others. The tick is the use case over the real adapters."
            ),
            (
                "Bare are the tick's own requests, rehearsed beforehand against a client that records: the queries of the due index, then "
                "the INSERTs in batches of 25, the messages in batches of 10, the UPDATEs in batches of 25. The tick reads, "
                "plans and judges what comes back besides."
            ),
            *notes,
        ),
    )


def _row(name: str, dynamodb_url: str, sqs_url: str, load: int) -> tuple[Cell, ...]:
    contest = Contest(dynamodb_url, sqs_url, load=load)
    for turn in range(REPETITIONS[load]):
        contest.run(bare_first=turn % 2 == 1)
    ours, theirs = contest.ticks, contest.bare
    per_occurrence = [median(times) / load * 1e6 for times in (ours, theirs)]
    return name, load, len(ours), contest.tick_calls, contest.bare_calls, *per_occurrence, ratio(ours, theirs)


class Contest:
    """Ticks and bare calls in turn, over the same jobs, each a minute later than the last."""

    def __init__(self, dynamodb_url: str, sqs_url: str, *, load: int) -> None:
        self._dynamodb, self._sqs = stack.dynamodb(dynamodb_url), stack.sqs(sqs_url)
        self._load = load
        jobs_table, runs_table = stack.empty_tables(self._dynamodb)
        store(self._dynamodb, jobs_table, [job(f"report-{n:04d}", "* * * * *") for n in range(load)])
        queue = self._sqs.create_queue(QueueName=f"tick-{load}")["QueueUrl"]
        self._names = {"jobs_table": jobs_table, "runs_table": runs_table, "queue": queue}
        self._real = scene(self._dynamodb, self._sqs, texts=None, **self._names)
        self.ticks: list[float] = []
        self.bare: list[float] = []
        self.tick_calls = self.bare_calls = 0
        self._calls: Counter[str] = Counter()
        for client in (self._dynamodb, self._sqs):
            client.meta.events.register("before-call", self._count)
        self._tick()  # once beforehand, for connections and caches
        self.ticks.clear()

    def run(self, *, bare_first: bool) -> None:
        """One of each.

        Raises:
            RuntimeError: when something was not claimed, sent or advanced: then the times mean nothing.
        """
        for one in (self._bare, self._tick) if bare_first else (self._tick, self._bare):
            one()
        self._sqs.purge_queue(QueueUrl=self._names["queue"])

    def _count(self, model: Any, **_: Any) -> None:
        self._calls[model.name] += 1

    def _tick(self) -> None:
        self._calls.clear()
        gc.collect()
        began = process_time()
        tally = _tick(self._real)
        self.ticks.append(process_time() - began)
        self.tick_calls = self._calls.total()
        if tally.problems or not tally.claimed == tally.sent == tally.advanced == self._load:
            raise RuntimeError(f"the tick did not go as it should: {tally}")
        self._real.clock.now += MINUTE

    def _bare(self) -> None:
        recorder: Any = Recorder(self._dynamodb)
        rehearsal = scene(recorder, recorder, texts=None, **self._names)
        rehearsal.clock.now = self._real.clock.now
        _tick(rehearsal)
        bare = Bare(recorder, queue=self._names["queue"])
        gc.collect()
        began = process_time()
        answers = bare.send(self._dynamodb, self._sqs)
        self.bare.append(process_time() - began)
        self.bare_calls = bare.calls
        failed = refused(answers)
        if failed:
            raise RuntimeError(f"the bare calls did not go as they should: {failed[:3]}")
        self._real.clock.now += MINUTE


def _tick(given: Scene) -> Any:
    return tick(given.world, shards=range(SHARDS), time_left=lambda: timedelta(minutes=1))
