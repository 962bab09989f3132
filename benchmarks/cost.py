"""What an occurrence costs: capacity units and calls, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.charts.chart import Chart
from benchmarks.metered import LOCAL, MINISTACK, Scenes, worked
from benchmarks.scene import MINUTE, NINE, SHARDS, job
from benchmarks.table import Cell, Table, within

if TYPE_CHECKING:
    from benchmarks.meter import Usage

TICKS = 5
AT_ONCE = 240
"""Occurrences that each tick finds: enough to fill most batches of 8 shards."""
MOST_SQS = 0.35
_SCHEDULES = {1: "* * * * *", 2: "@every 30s", 4: "@every 15s", 12: "@every 5s"}
_WRITTEN = ("claim", "advance", "start", "report")
_CHART = Chart(
    name="write-units",
    kind="bars",
    over=("DynamoDB", "schedule"),
    values=_WRITTEN,
    x="DynamoDB, schedule",
    y="write units per occurrence",
)
_CALLS_CHART = Chart(
    name="calls-by-load",
    kind="lines",
    over=("due together",),
    values=("claim and advance", "send", "receive and delete"),
    x="occurrences due together (logarithmic)",
    y="calls per occurrence",
    log_x=True,
)


class Costs:
    """All the tables of this question.

    Args:
        absent: notes that say which server is missing.
    """

    def __init__(self, scenes: Scenes, absent: Sequence[str] = ()) -> None:
        self._scenes = scenes
        self._absent = tuple(absent)

    def tables(self) -> list[Table]:
        """Measure, and tell."""
        usages = {k: self._per_tick(k, MINISTACK) for k in _SCHEDULES}
        measured = {(MINISTACK, k): used for k, used in usages.items()}
        if LOCAL in self._scenes.servers:
            measured[LOCAL, 1] = self._per_tick(1, LOCAL)
        return [
            _units(measured, self._absent),
            _calls(usages),
            self._by_load(usages[1]),
            self._idle(),
            scans("Operations that all of this called", self._scenes),
        ]

    def _per_tick(self, k: int, server: str) -> list[Usage]:
        """What each of some ticks and the work that follows it use, for jobs due k times in each."""
        jobs = [job(f"report-{n:04d}", _SCHEDULES[k]) for n in range(AT_ONCE // k)]
        return worked(self._scenes.make(jobs, server), occurrences=AT_ONCE, ticks=TICKS)

    def _by_load(self, full: list[Usage]) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for load in (1, 10, 50, AT_ONCE):
            jobs = [job(f"report-{n:04d}", _SCHEDULES[1]) for n in range(load)]
            usages = (
                full if load == AT_ONCE else worked(self._scenes.make(jobs, MINISTACK), occurrences=load, ticks=TICKS)
            )
            steps = (("claim", "advance"), ("send",), ("receive", "delete"))
            calls = [median(sum(one.calls[step] for step in together) / load for one in usages) for together in steps]
            rows.append((load, *calls, calls[1] + calls[2]))
        return Table(
            title="Calls per occurrence, by how many are due in the same minute",
            columns=("due together", "claim and advance", "send", "receive and delete", "SQS outside the worker"),
            chart=_CALLS_CHART,
            rows=tuple(rows),
            notes=("Few that are due together cannot fill a batch: for information.",),
        )

    def _idle(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        yearly = [job(f"report-{n:04d}", "0 0 1 1 *") for n in range(500)]
        for name, jobs in (("no jobs", []), ("500 jobs, none of them due", yearly)):
            metered = self._scenes.make(jobs, MINISTACK)
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


def scans(title: str, scenes: Scenes) -> Table:
    """Whether anything was read that grows with what exists."""
    return Table(
        title=title,
        goal="no Scan",
        holds=scenes.operations["Scan"] == 0,
        columns=("operation", "calls"),
        rows=tuple(sorted(scenes.operations.items())),
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
        chart=_CHART,
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
