"""What an occurrence costs: capacity units and calls, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import stack
from benchmarks.doings import DOINGS, Doing
from benchmarks.meter import Meter, Usage
from benchmarks.metered import Metered, worked
from benchmarks.scene import MINUTE, NINE, SHARDS, job, scene, store
from benchmarks.table import Cell, Table, within
from benchmarks.worker import without_delay

if TYPE_CHECKING:
    from minutehand.domain.job import Job

MINISTACK, LOCAL = "MiniStack", "DynamoDB Local"
TICKS = 5
AT_ONCE = 240
"""Occurrences that each tick finds: enough to fill most batches of 8 shards."""
MOST_SQS = 0.35
_SCHEDULES = {1: "* * * * *", 2: "@every 30s", 4: "@every 15s", 12: "@every 5s"}
_NOT_ITS_OWN = ("tick's row", "due", "receive", "delete")
_WRITTEN = ("claim", "advance", "start", "report")


class Costs:
    """All the tables of this question.

    Args:
        ministack: its URL.
        local: DynamoDB Local's URL; None when it is not there.
        absent: why it is not.
    """

    def __init__(self, ministack: str, local: str | None, *, absent: str = "") -> None:
        self._sqs_url = ministack
        self._servers = {MINISTACK: ministack} | ({LOCAL: local} if local else {})
        self._absent = (f"Not run: {absent}.",) if local is None else ()
        self._queues = 0
        self._operations: Counter[str] = Counter()

    def tables(self) -> list[Table]:
        """Measure, and tell."""
        usages = {k: self._per_tick(k, MINISTACK) for k in _SCHEDULES}
        measured = {(MINISTACK, k): used for k, used in usages.items()}
        if LOCAL in self._servers:
            measured[LOCAL, 1] = self._per_tick(1, LOCAL)
        return [
            _units(measured, self._absent),
            _calls(usages),
            self._by_load(usages[1]),
            self._others(),
            self._idle(),
            self._scans(),
        ]

    def _metered(self, jobs: Sequence[Job], server: str = MINISTACK) -> Metered:
        url = self._servers[server]
        plain = stack.dynamodb(url)
        jobs_table, runs_table = stack.empty_tables(plain)
        store(plain, jobs_table, jobs)
        dynamodb, sqs = stack.dynamodb(url), stack.sqs(self._sqs_url)
        without_delay(sqs)
        self._queues += 1
        queue = sqs.create_queue(QueueName=f"benchmark-{self._queues}")["QueueUrl"]
        meter = Meter(plain, self._operations)
        meter.watch(dynamodb)
        meter.watch(sqs)
        given = scene(dynamodb, sqs, jobs_table=jobs_table, runs_table=runs_table, queue=queue)
        return Metered(scene=given, meter=meter, sqs=sqs)

    def _per_tick(self, k: int, server: str) -> list[Usage]:
        """What each of some ticks and the work that follows it use, for jobs due k times in each."""
        jobs = [job(f"report-{n:04d}", _SCHEDULES[k]) for n in range(AT_ONCE // k)]
        return worked(self._metered(jobs, server), occurrences=AT_ONCE, ticks=TICKS)

    def _by_load(self, full: list[Usage]) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for load in (1, 10, 50, AT_ONCE):
            jobs = [job(f"report-{n:04d}", _SCHEDULES[1]) for n in range(load)]
            usages = full if load == AT_ONCE else worked(self._metered(jobs), occurrences=load, ticks=TICKS)
            steps = (("claim", "advance"), ("send",), ("receive", "delete"))
            calls = [median(sum(one.calls[step] for step in together) / load for one in usages) for together in steps]
            rows.append((load, *calls, calls[1] + calls[2]))
        return Table(
            title="Calls per occurrence, by how many are due in the same minute",
            columns=("due together", "claim and advance", "send", "receive and delete", "SQS outside the worker"),
            rows=tuple(rows),
            notes=("Few that are due together cannot fill a batch: for information.",),
        )

    def _others(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for name, doing in DOINGS.items():
            told = {server: self._once(doing, server) for server in self._servers}
            used, refused = told[MINISTACK]
            writes = [sum(told[server][0].writes.values()) if server in told else None for server in (MINISTACK, LOCAL)]
            rows.append((name, *writes, sum(used.reads.values()), sum(used.calls.values()), refused))
        return Table(
            title="Units of what else happens",
            columns=("what", f"written: {MINISTACK}", f"written: {LOCAL}", "read units", "calls", "of them refused"),
            rows=tuple(rows),
            notes=(
                (
                    "The servers disagree about transactions. MiniStack counts two units a KB for each write and one for each entry of "
                    "an index; DynamoDB Local doubles the entries too, and leaves some writes out. Neither is the bill; AWS's own "
                    "pages say two units a KB for each write. Where nothing is in a transaction they agree."
                ),
                (
                    "The jobs that are managed here are due hours later, so that nothing is dispatched besides. What a refused call costs is "
                    "not told, and not in here."
                ),
                (
                    "The tick's own row and its look at the index are left out (see the idle stack), and so are the calls by which Lambda "
                    "fetches and deletes messages; `hide` and `send` are among the calls."
                ),
                *self._absent,
            ),
        )

    def _once(self, doing: Doing, server: str) -> tuple[Usage, int]:
        """What a single doing uses, without what it shares with others; and how many of its calls were refused."""
        one = job("report", doing.schedule)
        metered = self._metered([one] if doing.stored else [], server)
        doing.do(metered, one)
        used, refused = metered.meter.take(), len(metered.meter.failures)
        for step in _NOT_ITS_OWN:
            used.writes.pop(step, None)
            used.reads.pop(step, None)
            del used.calls[step]
        return used, refused

    def _idle(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        yearly = [job(f"report-{n:04d}", "0 0 1 1 *") for n in range(500)]
        for name, jobs in (("no jobs", []), ("500 jobs, none of them due", yearly)):
            metered = self._metered(jobs)
            usages = []
            for minute in range(TICKS):
                metered.scene.clock.now = NINE + minute * MINUTE
                metered.tick()
                usages.append(metered.take())
            rows.append(
                (
                    name,
                    median(sum(one.reads.values()) for one in usages),
                    median(sum(one.writes.values()) for one in usages),
                    median(one.calls.total() for one in usages),
                )
            )
        return Table(
            title="Units of a tick that finds nothing due",
            goal="reading is proportional to what is due, not to what exists",
            holds=rows[0][1:] == rows[1][1:],
            columns=("stack", "read units", "write units", "calls"),
            rows=tuple(rows),
            notes=("One query a shard (8), and one row a minute that says the tick was here.",),
        )

    def _scans(self) -> Table:
        return Table(
            title="Operations that were called in all of this",
            goal="no Scan",
            holds=self._operations["Scan"] == 0,
            columns=("operation", "calls"),
            rows=tuple(sorted(self._operations.items())),
        )


def _units(measured: dict[tuple[str, int], list[Usage]], absent: tuple[str, ...]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for (server, k), used in measured.items():
        steps = [median(one.writes[step] / AT_ONCE for one in used) for step in _WRITTEN]
        total = median(sum(one.writes[step] for step in _WRITTEN) / AT_ONCE for one in used)
        most = 4 + 3 / k
        reads = [median(one.reads[step] / AT_ONCE for one in used) for step in ("due", "worker's reads")]
        holds &= within(total, most)
        rows.append((server, k, _SCHEDULES[k], *steps, total, most, within(total, most), *reads))
    return Table(
        title="Capacity units per occurrence",
        goal="write units ≤ 7.0 for a job due once in a tick, and ≤ 4 + 3/k for one due k times, all indexes included",
        holds=holds,
        columns=("DynamoDB", "k", "schedule", *_WRITTEN, "written", "goal", "holds", "read: due", "read: worker"),
        rows=tuple(rows),
        notes=(
            f"Medians of {TICKS} ticks with {AT_ONCE} occurrences each, a minute apart: tick, worker with a stub for a target, report.",
            (
                "From `ReturnConsumedCapacity=INDEXES`. For batches of statements MiniStack counts no indexes and DynamoDB Local reports "
                "nothing at all, so their writes are made once more one by one, from the same items to the same items, and those are counted. "
                "Reads are weighed by DynamoDB's published rules, since MiniStack counts them without regard to size."
            ),
            "The tick's own row, one unit a minute whatever is due, is not in here: see the idle stack.",
            *absent,
        ),
    )


def _calls(usages: dict[int, list[Usage]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    holds = True
    steps = ("claim", "advance", "start", "report", "due", "worker's reads", "send", "receive", "delete", "hide")
    for k, used in usages.items():
        calls = {step: median(one.calls[step] / AT_ONCE for one in used) for step in steps}
        outside = median(sum(one.calls[step] for step in ("send", "receive", "delete")) / AT_ONCE for one in used)
        holds &= within(outside, MOST_SQS)
        rows.append((k, *calls.values(), outside))
    return Table(
        title="Calls per occurrence",
        goal=f"SQS calls outside the worker (send, receive, delete) ≤ {MOST_SQS}",
        holds=holds,
        columns=("k", *steps, "SQS outside the worker"),
        rows=tuple(rows),
        notes=(
            (
                f"{AT_ONCE} occurrences a tick, over {SHARDS} shards. `receive` and `delete` are Lambda's poller's, in batches of 10; its "
                "empty receives, which a queue costs whether anything runs or not, are not counted. `hide` is the worker's own."
            ),
        ),
    )
