"""Capacity units and calls of an occurrence, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from statistics import median

from benchmarks.cost.meter import Usage
from benchmarks.cost.metered_stack import Emulators, Metered, running
from benchmarks.emulators import DYNAMODB_LOCAL, MINISTACK
from benchmarks.table import Cell, Table, within
from benchmarks.worker import work
from benchmarks.workload import LOOK_AHEAD, MINUTE, NINE, SECOND, SHARDS, jobs
from minutehand.adapters.sharding import BUCKETS

TICKS = 5
STORED = 500
NAMESPACES = 10
HOUR = timedelta(hours=1)
AT_ONCE = 240
"""Occurrences in a tick: enough to fill most batches of 8 shards."""
MOST_FOR_A_CLAIM = 1.1
"""Write units of a claim with many others: one, and a share of the entry that names them."""
MOST_SQS = 0.35
_SCHEDULES = {1: "* * * * *", 2: "@every 30s", 4: "@every 15s", 12: "@every 5s"}
_YEARLY, _EVERY_THREE_HOURS = "0 0 1 1 *", "0 */3 * * *"
_WRITTEN = ("claim", "advance", "start", "report")
_CALLS = ("claim", "advance", "start", "report", "due", "worker's reads", "send", "receive", "delete", "hide")
_SQS = ("send", "receive", "delete")


def tables() -> list[Table]:
    """All tables of the question."""
    with running() as emulators:
        usages = {k: _usages(emulators, k) for k in _SCHEDULES}
        measured = {(MINISTACK, k): found for k, found in usages.items()}
        if DYNAMODB_LOCAL in emulators.servers:
            measured[DYNAMODB_LOCAL, 1] = _usages(emulators, 1, server=DYNAMODB_LOCAL)
        return [
            _units(measured, emulators.notes),
            _calls(usages),
            _in_namespaces(emulators),
            _calls_by_load(emulators, usages[1]),
            _idle(emulators),
            emulators.scans("Operations called by these measurements"),
        ]


def _usages(emulators: Emulators, k: int, *, server: str = MINISTACK, occurrences: int = AT_ONCE) -> list[Usage]:
    """The usage of each tick and its runs, for jobs due k times in a tick."""
    return _ticked(emulators.make(jobs(occurrences // k, _SCHEDULES[k]), server), occurrences)


def _ticked(metered: Metered, occurrences: int, *, every: timedelta = MINUTE) -> list[Usage]:
    """The usage of ticks that each find so many occurrences at the end of their look-ahead, of jobs due `every` so often."""
    usages = []
    first = NINE + every - MINUTE if every > LOOK_AHEAD else NINE
    for turn in range(TICKS):
        metered.stack.clock.now = first + turn * every
        metered.stack.tick(sends=occurrences)
        if occurrences:
            metered.stack.clock.now += LOOK_AHEAD + SECOND
            work(metered.stack, metered.sqs, messages=occurrences)
        usages.append(metered.take())
    return usages


def _each(usages: Iterable[Usage], steps: Sequence[str], kind: str, occurrences: int = AT_ONCE) -> float:
    """The median per occurrence of `writes`, `reads` or `calls`, summed over steps."""
    return float(median(sum(getattr(one, kind)[step] for step in steps) / occurrences for one in usages))


def _units(measured: Mapping[tuple[str, int], list[Usage]], notes: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for (server, k), usages in measured.items():
        steps = [_each(usages, [step], "writes") for step in _WRITTEN]
        written, most = _each(usages, _WRITTEN, "writes"), MOST_FOR_A_CLAIM + 1 / k + 2
        reads = [_each(usages, [step], "reads") for step in ("due", "worker's reads")]
        holds &= within(written, most)
        rows.append((server, k, _SCHEDULES[k], *steps, written, most, within(written, most), *reads))
    return Table(
        title="Capacity units per occurrence",
        goal=f"≤ {MOST_FOR_A_CLAIM} write units for a claim, 1/k for an advance of a packed timer and 2 for start and report, all indexes included; k: how often a job is due in a tick",
        holds=holds,
        columns=("DynamoDB", "k", "schedule", *_WRITTEN, "written", "goal", "holds", "read: due", "read: worker"),
        rows=tuple(rows),
        notes=(
            f"Medians of {TICKS} ticks a minute apart, {AT_ONCE} occurrences each: tick, worker with a stub target, report.",
            (
                "Units are from `ReturnConsumedCapacity=INDEXES`. For batches of statements MiniStack omits the indexes and DynamoDB Local "
                "reports nothing, so the benchmark repeats these writes one by one and counts those. It computes reads by "
                "DynamoDB's published rules, because MiniStack ignores item sizes."
            ),
            "The tick's record of itself (1 unit a minute) is in the table of idle ticks.",
            *notes,
        ),
    )


def _in_namespaces(emulators: Emulators) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for schedule, k, every, most in (
        ("* * * * *", 1, MINUTE, 4.2),
        ("@every 5s", 12, MINUTE, 3.2),
        ("0 * * * *", 1, HOUR, 4.2),
    ):
        metered = emulators.make(jobs(AT_ONCE // k, schedule, namespaces=NAMESPACES))
        written = _each(_ticked(metered, AT_ONCE, every=every), _WRITTEN, "writes")
        rows.append((schedule, k, written, most, within(written, most)))
    return Table(
        title="Write units of an occurrence in ten namespaces",
        goal="≤ 4.2, and ≤ 3.2 for jobs due every 5 s",
        holds=all(bool(row[-1]) for row in rows),
        columns=("schedule", "k", "written", "goal", "holds"),
        rows=tuple(rows),
        notes=(
            f"{AT_ONCE} occurrences a tick, evenly in {NAMESPACES} namespaces, each of which needs entries of its own.",
        ),
    )


def _calls(usages: Mapping[int, list[Usage]]) -> Table:
    outside = {k: _each(found, _SQS, "calls") for k, found in usages.items()}
    return Table(
        title="Calls per occurrence",
        goal=f"≤ {MOST_SQS} SQS calls outside the worker (send, receive, delete)",
        holds=all(within(calls, MOST_SQS) for calls in outside.values()),
        columns=("k", *_CALLS, "SQS outside the worker"),
        rows=tuple((k, *(_each(found, [step], "calls") for step in _CALLS), outside[k]) for k, found in usages.items()),
        notes=(
            (
                f"{AT_ONCE} occurrences a tick over {BUCKETS} buckets. Lambda's poller makes `receive` and `delete`, in batches of 10; its empty receives "
                "are not counted. The worker makes `hide`."
            ),
        ),
    )


def _calls_by_load(emulators: Emulators, full: list[Usage]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for load in (1, 2, 10, 50, AT_ONCE):
        usages = full if load == AT_ONCE else _usages(emulators, 1, occurrences=load)
        steps = (("claim", "advance"), ("send",), ("receive", "delete"), _SQS)
        calls = (_each(usages, together, "calls", load) for together in steps)
        rows.append((load, _each(usages, ["claim"], "writes", load), *calls))
    return Table(
        title="Calls per occurrence, by how many are due in the same minute",
        columns=(
            "due together",
            "write units: claim",
            "claim and advance",
            "send",
            "receive and delete",
            "SQS outside the worker",
        ),
        rows=tuple(rows),
        notes=(
            "Few occurrences do not fill a batch of statements or messages, so each needs more calls.",
            (
                "One occurrence is claimed for 2 units, one of them in the index `by_time`. Those of a namespace and minute that are "
                "claimed together cost 1 each, and 1 for each entry that names some dozens of them."
            ),
        ),
    )


def _idle(emulators: Emulators) -> Table:
    rows: list[tuple[Cell, ...]] = []
    kinds = (
        ("no jobs", 0, _YEARLY),
        (f"{STORED} jobs, none of them due", STORED, _YEARLY),
        (f"{STORED} jobs with packed timers, none of them due", STORED, _EVERY_THREE_HOURS),
    )
    for name, stored, schedule in kinds:
        usages = _ticked(emulators.make(jobs(stored, schedule)), 0)
        units = (
            median(sum(used.values()) for used in kind)
            for kind in zip(*((u.reads, u.writes) for u in usages), strict=True)
        )
        rows.append((name, *units, median(one.calls.total() for one in usages)))
    return Table(
        title="Units of an idle tick",
        goal="the same with and without jobs, but for packed timers: of all others a tick reads what is due, not what exists",
        holds=rows[0][1:] == rows[1][1:],
        columns=("stack", "read units", "write units", "calls"),
        rows=tuple(rows),
        notes=(
            f"Each tick queries each shard ({SHARDS}) and each bucket of packed timers ({BUCKETS}), and writes one record of itself.",
        ),
    )
