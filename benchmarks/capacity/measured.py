"""Processor time of the sweep for each run that it looks at: what the model takes it to need."""

from __future__ import annotations

import gc
from datetime import timedelta
from statistics import median
from time import process_time

from benchmarks import stack
from benchmarks.capacity import model
from benchmarks.scene import MINUTE, job, scene, store
from benchmarks.table import Table
from benchmarks.worker import without_delay, work
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.usecases.dispatching.tick import tick
from minutehand.usecases.upkeep.sweep import sweep

RUNS, ROUNDS = 60, 5


def table() -> Table:
    """Measure on a MiniStack of its own."""
    with stack.ministack() as url:
        swept = _measured(url)
    return Table(
        title="Processor time of the sweep",
        columns=("runs it looks at", "measured: µs a run", "in the model: µs a run"),
        rows=((RUNS, median(swept) * 1e6, model.SWEEP_CPU * 1e6),),
        notes=(
            (
                f"Median of {ROUNDS} rounds, `time.process_time` of this process alone, on MiniStack. "
                "The tick's is in the answer to `dispatch`, the worker's in that to `end_to_end`; a test holds the model to all three."
            ),
        ),
    )


def _measured(url: str) -> list[float]:
    dynamodb, sqs = stack.dynamodb(url), stack.sqs(url)
    without_delay(sqs)
    jobs_table, runs_table = stack.empty_tables(dynamodb)
    # Every five minutes, so that the sweep's look at three of them meets one occurrence of each job.
    store(dynamodb, jobs_table, [job(f"report-{n:04d}", "*/5 * * * *") for n in range(RUNS)])
    dynamodb.put_item(TableName=jobs_table, Item=keys.namespace("benchmark"))
    queue = sqs.create_queue(QueueName="capacity")["QueueUrl"]
    there = scene(dynamodb, sqs, jobs_table=jobs_table, runs_table=runs_table, queue=queue)
    swept: list[float] = []
    there.clock.now += 4 * MINUTE
    for _ in range(ROUNDS + 1):
        dispatched = tick(there.ports, shards=range(8), time_left=lambda: MINUTE)
        if dispatched.sent != RUNS:
            raise RuntimeError(f"{dispatched.sent} of {RUNS} messages were sent: {dispatched.problems}")
        there.clock.now += MINUTE
        work(there, sqs, messages=RUNS)
        there.clock.now += 3 * MINUTE
        gc.collect()
        began = process_time()
        sweep(there.ports, time_left=lambda: timedelta(minutes=5))
        swept.append((process_time() - began) / RUNS)
        there.clock.now += MINUTE
    return swept[1:]  # the first is for connections and caches
