"""Processor time of the sweep for each run that it checks."""

from __future__ import annotations

import gc
from datetime import timedelta
from statistics import median
from time import process_time

from benchmarks import emulators
from benchmarks.capacity import model
from benchmarks.table import Table
from benchmarks.worker import without_delay, work
from benchmarks.workload import MINUTE, connect, jobs, store
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.usecases.upkeep.sweep import sweep

RUNS, ROUNDS = 60, 5


def table() -> Table:
    """Measure on MiniStack."""
    with emulators.ministack() as url:
        swept = _measured(url)
    return Table(
        title="Processor time of the sweep",
        columns=("runs it looks at", "measured: µs a run", "in the model: µs a run"),
        rows=((RUNS, median(swept) * 1e6, model.SWEEP_CPU * 1e6),),
        notes=(
            (
                f"Median of {ROUNDS} rounds of `time.process_time` of the sweep, on MiniStack. "
                "`dispatch` measures the tick, `end_to_end` the worker; a test compares the simulation's model with all three."
            ),
        ),
    )


def _measured(url: str) -> list[float]:
    dynamodb, sqs = emulators.dynamodb(url), emulators.sqs(url)
    without_delay(sqs)
    jobs_table, runs_table = emulators.empty_tables(dynamodb)
    # Every five minutes: each sweep, five minutes after the one before, then checks one occurrence of each job.
    store(dynamodb, jobs_table, jobs(RUNS, "*/5 * * * *"))
    dynamodb.put_item(TableName=jobs_table, Item=keys.namespace("benchmark"))
    queue = sqs.create_queue(QueueName="capacity")["QueueUrl"]
    stack = connect(dynamodb, sqs, jobs_table=jobs_table, runs_table=runs_table, queue=queue)
    swept: list[float] = []
    stack.clock.now += 4 * MINUTE
    for _ in range(ROUNDS + 1):
        stack.tick(sends=RUNS, time_left=MINUTE)
        stack.clock.now += MINUTE
        work(stack, sqs, messages=RUNS)
        stack.clock.now += 3 * MINUTE
        gc.collect()
        began = process_time()
        sweep(stack.ports, time_left=lambda: timedelta(minutes=5))
        swept.append((process_time() - began) / RUNS)
        stack.clock.now += MINUTE
    return swept[1:]  # the first warms connections and caches
