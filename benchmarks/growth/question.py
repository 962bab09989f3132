"""The question `growth`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from shutil import disk_usage
from statistics import median
from time import perf_counter

from tests.contract import tables as contract_tables

from benchmarks import emulators
from benchmarks.growth import bulk_timers, looks
from benchmarks.growth.ticker import DUE, Ticker, Ticks
from benchmarks.table import Cell, Table, not_run, ratio, within
from benchmarks.timing import rotated
from benchmarks.workload import jobs, store

SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 15
MOST = 1.2
TITLE = "Time of a tick with 100 jobs due, by the number of all jobs"
_ROOM = 3 * 10**9
"""Bytes: several times the file of 1,111,000 timers."""


def tables(sizes: Sequence[int] = SIZES, *, rounds: int = ROUNDS) -> list[Table]:
    """All tables of the question, on DynamoDB Local, whose index is a tree as DynamoDB's is."""
    try:
        return [_measured(sizes, rounds), *looks.tables()]
    except (emulators.AbsentError, bulk_timers.FileFormatError) as error:
        return [not_run(TITLE, f"{error}.")]


def _measured(sizes: Sequence[int], rounds: int) -> Table:
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-", dir=_in_memory()) as place:
        folder = Path(place)
        began = perf_counter()
        _fill(folder, sizes)
        took = perf_counter() - began
        with emulators.ministack() as queues, emulators.dynamodb_local(folder) as url:
            tickers = [_ticker(url, queues, size) for size in sizes]
            for ticker in tickers:
                ticker.tick()
                ticker.forget()
            for turn in range(rounds):
                for ticker in rotated(tickers, turn):
                    ticker.tick()
    return _table([ticker.ticks for ticker in tickers], filled_in=took)


def _ticker(dynamodb_url: str, sqs_url: str, size: int) -> Ticker:
    dynamodb = emulators.dynamodb(dynamodb_url)
    bulk_timers.check(dynamodb, f"JobsTable{size}", size - DUE)
    return Ticker(dynamodb, emulators.sqs(sqs_url), size)


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
