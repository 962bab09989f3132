"""The question `capacity`: simulations of the capacity page's settings, and the sweep's processor time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmarks.capacity import model, sweep_time
from benchmarks.capacity.ceilings import lowest, to_the_second
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.simulation import SLACK, Outcome, at_once, each_minute, on_the_minute, seconds
from benchmarks.capacity.stages import AMPLE, LARGE, MIDDLE, STAGES
from benchmarks.table import Cell, Table, within

LATE = 2.0
"""Seconds of p99 lateness at the worker that the goal allows."""
MINUTES = (1_000, 10_000, 20_000, 50_000, 100_000, 200_000, 300_000)
SECONDS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
"""Occurrences in a minute, and in one second, of each point of a curve."""
BEYOND = 3
"""A load so many times beyond a limit is not simulated: its backlog grows forever."""
TICK_SHARES = (500, 1_000, 2_000, 4_000, 8_000, 20_000)
SMALL_MEMORY = 256
"""MB of the tick, the template's minimum."""
SMALL_LOAD = 2_000

TICKS: Mapping[str, Settings] = {
    "1 x 512 MB": replace(AMPLE, tick_fan_out=1, tick_memory=512),
    "8 x 512 MB": replace(AMPLE, tick_fan_out=8, tick_memory=512),
    "8 x 1,769 MB": replace(AMPLE, tick_fan_out=8, tick_memory=1_769),
    "16 x 1,769 MB": replace(AMPLE, tick_fan_out=16, tick_memory=1_769),
}
_READY = replace(AMPLE, tick_memory=1_769)
WORKERS: Mapping[str, Settings] = {
    "WorkerMaxConcurrency 100": replace(_READY, worker_concurrency=100),
    "500": replace(_READY, worker_concurrency=500),
    "1,000": replace(_READY, worker_concurrency=1_000),
    "100 provisioned pollers": replace(_READY, pollers=100),
}


def tables() -> list[Table]:
    """All tables of the question. The sweep is measured first, in a process that has done nothing else."""
    swept = sweep_time.table()
    return [
        stages(),
        assumptions(),
        tick_shares(),
        curve("ticks", TICKS, each_minute),
        curve("workers", WORKERS, at_once),
        swept,
    ]


def stages() -> Table:
    """The settings of each stage under their load."""
    rows: list[tuple[Cell, ...]] = []
    for stage in STAGES:
        spread, together = each_minute(stage.settings, stage.each_minute), at_once(stage.settings, stage.each_minute)
        ceiling = lowest(stage.settings)
        rows.append(
            (
                stage.name,
                ceiling.occurrences,
                ceiling.what,
                seconds(spread.p50),
                seconds(spread.p99),
                within(spread.p99, LATE),
                seconds(together.p99),
                seconds(together.last),
                together.workers,
            )
        )
    return Table(
        title="Simulated: the settings of the capacity page",
        goal=f"p99 lateness at the worker ≤ {LATE:g} s, minute after minute",
        holds=all(row[5] is True for row in rows),
        columns=(
            "settings for",
            "most a minute, by arithmetic",
            "lowest limit",
            "each minute: p50, s",
            "each minute: p99, s",
            "holds",
            "all in one second: p99, s",
            "all in one second: last, s",
            "concurrent batches",
        ),
        rows=tuple(rows),
        notes=(
            (
                "Each minute: `jitter` spreads the occurrences of two minutes, and all of Lambda's SQS pollers run. "
                "All in one second: those of one minute at once, on a stack at rest. "
                f"Each occurrence is of another job, and each target takes {model.CALL:g} s. Lateness is that of a run's start at its worker."
            ),
            "Virtual time: the same on every machine. [The capacity page](scale.md) lists what is built in, measured and assumed.",
        ),
    )


def assumptions() -> Table:
    """The same with other assumptions, or without AWS's preparations."""
    middle = MIDDLE.settings
    half = replace(middle, tick_memory=middle.tick_memory // 2, worker_memory=middle.worker_memory // 2)
    new = replace(middle, settled=False, jobs=4_000, runs=4_000)
    cases: list[tuple[str, Settings, int, Outcome, float]] = [
        (what, settings, load, play(settings, load), lowest(settings).occurrences)
        for what, settings, load, play in (
            ("none: the settings for 100 k", middle, MIDDLE.each_minute, each_minute),
            ("all on the minute, every minute", middle, MIDDLE.each_minute, on_the_minute),
            ("all latencies three times as long", replace(middle, slower=3.0), MIDDLE.each_minute, each_minute),
            ("processors half as fast", half, MIDDLE.each_minute, each_minute),
            ("targets that take 1 s", replace(middle, call=1.0), MIDDLE.each_minute, each_minute),
            (
                "Jobs is warm, but buckets share partitions",
                replace(middle, settled=False),
                MIDDLE.each_minute,
                each_minute,
            ),
            ("new tables", new, MIDDLE.each_minute, each_minute),
            ("1 M packed timers more, not due", replace(middle, resting=1_000_000), MIDDLE.each_minute, each_minute),
            ("the settings for 300 k", LARGE.settings, LARGE.each_minute, each_minute),
            ("… but buckets share partitions", replace(LARGE.settings, settled=False), LARGE.each_minute, each_minute),
        )
    ]
    named = each_minute(middle, MIDDLE.each_minute, to_the_second=True)
    most = min(lowest(middle).occurrences, to_the_second(middle).occurrences)
    cases.insert(2, ("schedules name the second", middle, MIDDLE.each_minute, named, most))
    return Table(
        title="Simulated: other assumptions",
        columns=("difference", "due a minute", "most a minute, by arithmetic", "p50, s", "p99, s", "refused"),
        rows=tuple(
            (what, load, most, seconds(outcome.p50), seconds(outcome.p99), outcome.refused)
            for what, _, load, outcome, most in cases
        ),
        notes=(
            (
                "Two minutes, spread over their seconds unless stated otherwise. `refused` counts throttled statements; most succeed a "
                "moment later, others in the next tick. Two minutes show only a backlog that grows fast; the arithmetic shows the others. "
                "No number: too few runs had started ten minutes after the last was due."
            ),
        ),
    )


def tick_shares() -> Table:
    """The lateness of as many timers as a tick dispatches alone, and the invocations for a small load."""
    rows: list[tuple[Cell, ...]] = []
    shared = replace(AMPLE, tick_fan_out=8, tick_memory=512)
    for share in TICK_SHARES:
        settings = replace(shared, tick_share=share)
        most = share // model.BUCKETS * model.BUCKETS
        alone, slow = (
            on_the_minute(replace(settings, tick_memory=memory), most, minutes=1) for memory in (512, SMALL_MEMORY)
        )
        taken = (seconds(one.claimed_by + SLACK) for one in (alone, slow))
        invocations = on_the_minute(settings, SMALL_LOAD, minutes=1).ticks
        rows.append((share, *taken, seconds(alone.p99), seconds(slow.p99), invocations))
    return Table(
        title="Simulated: lateness by `TickShare`",
        columns=(
            "`TickShare`",
            "claimed after, s",
            f"with {SMALL_MEMORY} MB",
            "p99, s",
            f"p99 with {SMALL_MEMORY} MB",
            f"invocations, with {SMALL_LOAD:,} due",
        ),
        rows=tuple(rows),
        notes=(
            (
                "As many timers are due on one minute as one tick dispatches without sharing. `TickFanOut` is 8, `TickMemory` 512, or "
                f"{SMALL_MEMORY}, the template's minimum. Everything else is ample. `claimed after` counts from the start of the first tick, a minute before. "
                f"What a tick does not start in its {model.WORKING:g} s waits for the next."
            ),
        ),
    )


def curve(name: str, of: Mapping[str, Settings], play: Callable[[Settings, int], Outcome]) -> Table:
    """The p99 lateness by load, a column for each of these settings."""
    once = play is at_once
    rows: list[tuple[Cell, ...]] = []
    for load in SECONDS if once else MINUTES:
        rows.append((load, *(_p99(settings, load, play) for settings in of.values())))
    return Table(
        title=f"Simulated: lateness by {name}, {'all due in one second' if once else 'minute after minute'}",
        columns=("due in one second" if once else "due a minute", *of),
        rows=tuple(rows),
        notes=(
            "The 99th percentile of the lateness of runs at the worker, in seconds. Settings that a column omits are ample."
            if once
            else "The 99th percentile of the lateness of runs at the worker, in seconds. "
            "Settings that a column omits are ample. No number: a load more than "
            f"{BEYOND} times beyond a limit, or lateness of more than ten minutes.",
        ),
    )


def _p99(settings: Settings, load: int, play: Callable[[Settings, int], Outcome]) -> Cell:
    if play is each_minute and load > BEYOND * lowest(settings).occurrences:
        return None
    return seconds(play(settings, load).p99)
