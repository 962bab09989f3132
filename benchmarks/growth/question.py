"""The tick with a hundred due, among few jobs and among a million."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from shutil import disk_usage
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tests.contract import tables as made

from benchmarks import stack
from benchmarks.charts.chart import Chart
from benchmarks.growth import crowd
from benchmarks.scene import MINUTE, SHARDS, Scene, job, scene, store
from benchmarks.sizes import read_together
from benchmarks.table import Cell, Table, not_run, ratio, within
from minutehand.entrypoints.threads import Threads
from minutehand.entrypoints.tick import AT_A_TIME
from minutehand.usecases.dispatching.tick import tick

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

SIZES = (1_000, 10_000, 100_000, 1_000_000)
DUE = 100
ROUNDS = 15
MOST = 1.2
_ROOM = 3 * 10**9
"""Bytes: several times what 1,111,000 timers take in a file."""
TITLE = "Growth: a tick with 100 jobs due, by how many there are"
_CHART = Chart(
    name="growth",
    kind="lines",
    over=("jobs",),
    values=("processor ms", "elapsed ms"),
    x="jobs in the table (logarithmic)",
    y="time of a tick with 100 due, ms",
    log_x=True,
)


def tables() -> list[Table]:
    """Measure on DynamoDB Local, in whose index a query finds its place as DynamoDB's does."""
    try:
        return [table(SIZES, rounds=ROUNDS)]
    except (stack.AbsentError, crowd.UnlikeError) as trouble:
        return [not_run(TITLE, f"{trouble}.")]


def table(sizes: Sequence[int], *, rounds: int) -> Table:
    """Ticks over each of these numbers of jobs, in turn.

    Raises:
        AbsentError: without DynamoDB Local.
        UnlikeError: when its file is not as it is known here.
    """
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-", dir=_in_memory()) as place:
        folder = Path(place)
        began = perf_counter()
        _fill(folder, sizes)
        took = perf_counter() - began
        with stack.ministack() as queues, stack.dynamodb_local(folder) as url:
            crowds = [_crowd(url, queues, jobs) for jobs in sizes]
            for crowd_ in crowds:
                crowd_.tick()  # once beforehand, for connections and caches
                crowd_.forget()
            for turn in range(rounds):
                first = turn % len(crowds)
                for crowd_ in crowds[first:] + crowds[:first]:
                    crowd_.tick()
    return answer([one.measured for one in crowds], filled_in=took)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The ticks among so many jobs: seconds of each, and what the last one called and read."""

    jobs: int
    processor: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    units: list[float] = field(default_factory=list)


def answer(measured: Sequence[Measured], *, filled_in: float) -> Table:
    """The table of these ticks; the goal is judged between the first and the last."""
    least, most = measured[0], measured[-1]
    grown = ratio(most.processor, least.processor)
    same = {(tuple(sorted(set(one.units))), tuple(sorted(set(one.calls)))) for one in measured}
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
        for one in measured
    ]
    return Table(
        title=TITLE,
        goal=(
            f"processor time among {most.jobs:,} ≤ {MOST} times that among {least.jobs:,}, and as many calls and read units in each tick of all"
        ),
        holds=within(grown, MOST) and len(same) == 1,
        columns=("jobs", "ticks", "processor ms", "ratio", "elapsed ms", "elapsed ratio", "calls", "read units"),
        rows=tuple(rows),
        notes=(
            (
                "Medians of ticks by the real use case over the real adapters, with the threads that the function has, each number of jobs in its turn, a minute of the benchmark's clock apart; "
                f"each claims, sends and advances the same {DUE} jobs, which are due every minute. DynamoDB is DynamoDB Local, one server with a pair of tables for each number, and SQS is MiniStack."
            ),
            (
                "Processor time is this process's, the tick's own. Elapsed time has the servers' in it: DynamoDB Local's index is SQLite's, a tree; "
                "it is here to show that nothing is looked through. MiniStack is not asked for timers: it sorts the whole partition of an index for each query, so that its time would be shown, not ours."
            ),
            (
                f"All other jobs are due once a day, hours later. Only their timers are there, {sum(one.jobs for one in measured):,} in all, which is what the index holds; a definition is read by workers alone. "
                f"They were put into DynamoDB Local's file, not through its API, in {filled_in:.0f} s; each time it is seen that what it writes itself is the same, and that it finds them."
            ),
            "Read units are weighed by DynamoDB's published rules: a query of each shard, half a unit for each 4 KB that it finds.",
        ),
        chart=_CHART,
    )


def _in_memory() -> Path | None:
    """A folder that no disk is under, where there is one with room: what is measured is not how a disk is waited for."""
    folder = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    return folder if folder.is_dir() and disk_usage(folder).free > _ROOM else None


def _fill(folder: Path, sizes: Sequence[int]) -> None:
    with stack.dynamodb_local(folder) as url:
        client = stack.dynamodb(url)
        for jobs in sizes:
            jobs_table, _ = made.create(client, suffix=str(jobs))
            store(client, jobs_table, [job(f"due-{n:03d}", "* * * * *") for n in range(DUE)])
            client.put_item(TableName=jobs_table, Item=next(crowd.others(1)))
    for jobs in sizes:
        crowd.fill(folder, f"JobsTable{jobs}", jobs - DUE)


def _crowd(dynamodb_url: str, sqs_url: str, jobs: int) -> Crowd:
    dynamodb, sqs = stack.dynamodb(dynamodb_url), stack.sqs(sqs_url)
    crowd.check(dynamodb, f"JobsTable{jobs}", jobs - DUE)
    queue = sqs.create_queue(QueueName=f"growth-{jobs}")["QueueUrl"]
    given = scene(dynamodb, sqs, jobs_table=f"JobsTable{jobs}", runs_table=f"RunsTable{jobs}", queue=queue)
    ticking = Crowd(given, sqs, Measured(jobs=jobs))
    for client in (dynamodb, sqs):
        client.meta.events.register("after-call", ticking.called)
    return ticking


class Crowd:
    """A scene with so many jobs, ticked again and again."""

    def __init__(self, given: Scene, sqs: SQSClient, measured: Measured) -> None:
        self.measured = measured
        self._scene = given
        self._sqs = sqs
        self._side_by_side = Threads(AT_A_TIME)
        self._answers: list[tuple[str, Any]] = []

    def called(self, model: Any, parsed: Any, **_: Any) -> None:
        """An answer came: it is weighed when the clock stands."""
        self._answers.append((model.name, parsed))

    def tick(self) -> None:
        """Once, a minute after the last time.

        Raises:
            RuntimeError: when something was not claimed, sent or advanced: then the times mean nothing.
        """
        self._answers.clear()
        gc.collect()
        began = perf_counter(), process_time()
        dispatched = tick(
            self._scene.ports,
            shards=range(SHARDS),
            time_left=lambda: timedelta(minutes=1),
            parallel=self._side_by_side,
        )
        self.measured.processor.append(process_time() - began[1])
        self.measured.elapsed.append(perf_counter() - began[0])
        if dispatched.problems or not dispatched.claimed == dispatched.sent == dispatched.advanced == DUE:
            raise RuntimeError(f"the tick did not go as it should: {dispatched}")
        self.measured.calls.append(len(self._answers))
        self.measured.units.append(
            sum(read_together(told["Items"], consistent=False) for name, told in self._answers if name == "Query")
        )
        self._scene.clock.now += MINUTE
        self._sqs.purge_queue(QueueUrl=self._scene.queue)

    def forget(self) -> None:
        """What was measured so far."""
        for figures in (self.measured.processor, self.measured.elapsed, self.measured.calls, self.measured.units):
            figures.clear()
