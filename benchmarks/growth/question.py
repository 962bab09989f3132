"""The question `growth`."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import disk_usage
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tests.contract import tables as contract_tables

from benchmarks import emulators, read_units
from benchmarks.growth import bulk_timers
from benchmarks.table import Cell, Table, not_run, ratio, within
from benchmarks.timing import rotated
from benchmarks.workload import MINUTE, Stack, connect, jobs, store
from minutehand.entrypoints.tick import AT_A_TIME, Threads

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

SIZES = (1_000, 10_000, 100_000, 1_000_000)
DUE = 100
ROUNDS = 15
MOST = 1.2
TITLE = "Time of a tick with 100 jobs due, by the number of all jobs"
_ROOM = 3 * 10**9
"""Bytes: several times the file of 1,111,000 timers."""


@dataclass(frozen=True, kw_only=True)
class Ticks:
    """The ticks among so many jobs: seconds, calls and read units of each."""

    jobs: int
    processor: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    units: list[float] = field(default_factory=list)


def tables(sizes: Sequence[int] = SIZES, *, rounds: int = ROUNDS) -> list[Table]:
    """All tables of the question, on DynamoDB Local, whose index is a tree as DynamoDB's is."""
    try:
        return [_measured(sizes, rounds)]
    except (emulators.AbsentError, bulk_timers.FileFormatError) as error:
        return [not_run(TITLE, f"{error}.")]


def _measured(sizes: Sequence[int], rounds: int) -> Table:
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-", dir=_in_memory()) as place:
        folder = Path(place)
        began = perf_counter()
        _fill(folder, sizes)
        took = perf_counter() - began
        with emulators.ministack() as queues, emulators.dynamodb_local(folder) as url:
            tickers = [_Ticker(url, queues, size) for size in sizes]
            for ticker in tickers:
                ticker.tick()  # warms connections and caches
                ticker.ticks = Ticks(jobs=ticker.ticks.jobs)
            for turn in range(rounds):
                for ticker in rotated(tickers, turn):
                    ticker.tick()
    return _table([ticker.ticks for ticker in tickers], filled_in=took)


def _table(ticks: Sequence[Ticks], *, filled_in: float) -> Table:
    least, most = ticks[0], ticks[-1]
    same = {(tuple(sorted(set(one.units))), tuple(sorted(set(one.calls)))) for one in ticks}
    rows: list[tuple[Cell, ...]] = [
        (
            one.jobs,
            len(one.processor),
            median(one.processor) * 1e3,
            ratio(one.processor, least.processor),
            median(one.elapsed) * 1e3,
            ratio(one.elapsed, least.elapsed),
            round(median(one.calls)),
            median(one.units),
        )
        for one in ticks
    ]
    return Table(
        title=TITLE,
        goal=(
            f"processor time among {most.jobs:,} jobs ≤ {MOST} times that among {least.jobs:,}, with as many calls and read units in every tick"
        ),
        holds=within(ratio(most.processor, least.processor), MOST) and len(same) == 1,
        columns=("jobs", "ticks", "processor ms", "ratio", "elapsed ms", "elapsed ratio", "calls", "read units"),
        rows=tuple(rows),
        notes=(
            (
                f"Each tick claims, sends and advances the same {DUE} jobs, which are due every minute. DynamoDB is one DynamoDB Local with two tables for each number of jobs; SQS is MiniStack."
            ),
            (
                "Elapsed time shows that nothing is scanned, which would take a thousand times as long. "
                "MiniStack does not hold the timers, because it sorts a whole partition of an index for each query."
            ),
            (
                "Jobs that are not due are daily ones, hours later. "
                f"Only their timers exist, {sum(one.jobs for one in ticks):,} in all, because ticks read nothing else. "
                f"They were inserted into DynamoDB Local's file in {filled_in:.0f} s, and checked through its API."
            ),
            "Each tick queries each shard, at half a read unit for each 4 KB of timers found.",
        ),
    )


def _in_memory() -> Path | None:
    """A folder in memory where there is room, so that no disk is measured."""
    folder = Path("/dev/shm")  # noqa: S108 - a temporary folder is made in it
    return folder if folder.is_dir() and disk_usage(folder).free > _ROOM else None


def _fill(folder: Path, sizes: Sequence[int]) -> None:
    with emulators.dynamodb_local(folder) as url:
        client = emulators.dynamodb(url)
        for size in sizes:
            jobs_table, _ = contract_tables.create(client, suffix=str(size))
            store(client, jobs_table, jobs(DUE, "* * * * *"))
            client.put_item(TableName=jobs_table, Item=next(bulk_timers.timers(1)))
    for size in sizes:
        bulk_timers.fill(folder, f"JobsTable{size}", size - DUE)


class _Ticker:
    """A stack with so many jobs, ticked again and again."""

    def __init__(self, dynamodb_url: str, sqs_url: str, size: int) -> None:
        self.ticks = Ticks(jobs=size)
        self._sqs: SQSClient = emulators.sqs(sqs_url)
        self._stack = self._connect(emulators.dynamodb(dynamodb_url), size)
        self._threads = Threads(AT_A_TIME)
        self._answers: list[tuple[str, Any]] = []

    def _connect(self, dynamodb: Any, size: int) -> Stack:
        bulk_timers.check(dynamodb, f"JobsTable{size}", size - DUE)
        queue = self._sqs.create_queue(QueueName=f"growth-{size}")["QueueUrl"]
        for client in (dynamodb, self._sqs):
            client.meta.events.register("after-call", self._record)
        return connect(dynamodb, self._sqs, jobs_table=f"JobsTable{size}", runs_table=f"RunsTable{size}", queue=queue)

    def _record(self, model: Any, parsed: Any, **_: Any) -> None:
        self._answers.append((model.name, parsed))

    def tick(self) -> None:
        """Tick once, a minute after the last time."""
        self._answers.clear()
        gc.collect()
        began = perf_counter(), process_time()
        self._stack.tick(sends=DUE, advances=DUE, time_left=MINUTE, parallel=self._threads)
        self.ticks.processor.append(process_time() - began[1])
        self.ticks.elapsed.append(perf_counter() - began[0])
        self.ticks.calls.append(len(self._answers))
        self.ticks.units.append(
            sum(
                read_units.of_query(found["Items"], consistent=False)
                for name, found in self._answers
                if name == "Query"
            )
        )
        self._stack.clock.now += MINUTE
        self._sqs.purge_queue(QueueUrl=self._stack.queue)
