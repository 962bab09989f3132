"""What the simulation says, in tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmarks.capacity import model
from benchmarks.capacity.ceilings import first, to_the_second
from benchmarks.capacity.play import Outcome, at_once, each_minute, on_the_minute, seconds
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.shares import shares
from benchmarks.capacity.stages import AMPLE, LARGE, MIDDLE, STAGES
from benchmarks.charts.chart import Chart
from benchmarks.table import Cell, Table, within

LATE = 2.0
"""Seconds that the 99th percentile may be late at the worker, under the settings that the paper names."""
MINUTES = (1_000, 10_000, 20_000, 50_000, 100_000, 200_000, 300_000)
SECONDS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
"""Occurrences of each point of a curve, in a minute and in one second."""
BEYOND = 3
"""What is so many times more than a limit lets through is not played: its backlog grows for ever."""

TICKS: Mapping[str, Settings] = {
    "8 shards, 1 x 512 MB": replace(AMPLE, due_shards=8, tick_fan_out=1, tick_memory=512),
    "8 shards, 8 x 512 MB": replace(AMPLE, due_shards=8, tick_fan_out=8, tick_memory=512),
    "8 shards, 8 x 1,769 MB": replace(AMPLE, due_shards=8, tick_fan_out=8, tick_memory=1_769),
    "32 shards, 32 x 1,024 MB": replace(AMPLE, due_shards=32, tick_fan_out=32, tick_memory=1_024),
}
_READY = replace(AMPLE, due_shards=128, tick_fan_out=64)
WORKERS: Mapping[str, Settings] = {
    "WorkerMaxConcurrency 100": replace(_READY, worker_concurrency=100, worker_memory=512),
    "500": replace(_READY, worker_concurrency=500, worker_memory=512),
    "1,000": replace(_READY, worker_concurrency=1_000, worker_memory=512),
    "100 provisioned pollers": replace(_READY, pollers=100, worker_memory=512),
}
DOUBTS: Mapping[str, Callable[[Settings], Settings]] = {
    "nothing: the settings for 100 k": lambda settings: settings,
    "all latencies three times as long": lambda settings: replace(settings, slower=3.0),
    "processors half as quick": lambda settings: replace(
        settings, tick_memory=settings.tick_memory // 2, worker_memory=settings.worker_memory // 2
    ),
    "targets that take 1 s": lambda settings: replace(settings, call=1.0),
    "an index `due` that is warm and not yet split": lambda settings: replace(settings, settled=False),
    "tables and indexes that are new": lambda settings: replace(
        settings, settled=False, due=4_000, jobs=4_000, runs=4_000, by_time=4_000
    ),
}


def simulated() -> list[Table]:
    """All of them."""
    return [stages(), doubts(), shares(), curve("ticks", TICKS, each_minute), curve("workers", WORKERS, at_once)]


def stages() -> Table:
    """What the paper's settings do with what they are for."""
    rows: list[tuple[Cell, ...]] = []
    for stage in STAGES:
        spread, together = each_minute(stage.settings, stage.each_minute), at_once(stage.settings, stage.each_minute)
        bite = first(stage.settings)
        rows.append(
            (
                stage.name,
                bite.occurrences,
                bite.what,
                seconds(spread.p50),
                seconds(spread.p99),
                within(spread.p99, LATE),
                seconds(together.p99),
                seconds(together.last),
                together.workers,
            )
        )
    return Table(
        title="Simulated: the settings of the paper",
        goal=f"at most {LATE:g} s late at the worker in 99 of 100 runs, minute after minute",
        holds=all(row[5] is True for row in rows),
        columns=(
            "settings for",
            "most a minute, by arithmetic",
            "what lets no more through",
            "each minute: p50, s",
            "each minute: p99, s",
            "holds",
            "all in one second: p99, s",
            "all in one second: last, s",
            "batches at once",
        ),
        rows=tuple(rows),
        notes=(
            (
                f"Two minutes of each, spread over their seconds by a jitter, with pollers at work; and as many once, in one second, on a stack at rest. "
                f"Jobs are all different, each target takes {model.CALL:g} s. Lateness is that of a run's start at its worker."
            ),
            "Virtual time: the same on every machine. What is built in, measured and assumed is in [the capacity paper](scale.md).",
        ),
    )


def doubts() -> Table:
    """The same where the assumptions are wrong, or AWS was not asked."""
    wider = [(what, MIDDLE.each_minute, changed(MIDDLE.settings)) for what, changed in DOUBTS.items()]
    large = (("the settings for 1 M", LARGE.settings), ("… in one namespace", replace(LARGE.settings, namespaces=1)))
    wider += [(what, MINUTES[-1], settings) for what, settings in large]
    rows: list[tuple[Cell, ...]] = []
    for what, load, settings in wider:
        outcome = each_minute(settings, load)
        bite = first(settings).occurrences
        rows.append((what, load, bite, seconds(outcome.p50), seconds(outcome.p99), outcome.refused))
    settings, load = MIDDLE.settings, MIDDLE.each_minute
    most = min(first(settings).occurrences, to_the_second(settings).occurrences)
    for what, bite, outcome in (
        ("schedules name the second", most, each_minute(settings, load, to_the_second=True)),
        ("all on the minute, every minute", first(settings).occurrences, on_the_minute(settings, load)),
    ):
        rows.insert(1, (what, load, bite, seconds(outcome.p50), seconds(outcome.p99), outcome.refused))
    return Table(
        title="Simulated: where something is otherwise than the paper has it",
        columns=("what is otherwise", "due a minute", "most a minute, by arithmetic", "p50, s", "p99, s", "refused"),
        rows=tuple(rows),
        notes=(
            (
                "Two minutes, spread over their seconds unless it says otherwise. `refused` are statements that a partition or a table refused; most are let through a "
                "moment later, others by the next tick. Two minutes show a backlog that grows fast; a slow one is for the arithmetic. No figure: less than that share had begun ten minutes after the last was due."
            ),
        ),
    )


def curve(name: str, of: Mapping[str, Settings], play: Callable[[Settings, int], Outcome]) -> Table:
    """The 99th percentile over how much is due, a column for each of these settings."""
    once = play is at_once
    rows: list[tuple[Cell, ...]] = []
    for load in SECONDS if once else MINUTES:
        rows.append((load, *(_p99(settings, load, play) for settings in of.values())))
    over = "due in one second" if once else "due a minute"
    return Table(
        title=f"Simulated: lateness by {name}, {'all due in one second' if once else 'minute after minute'}",
        columns=(over, *of),
        rows=tuple(rows),
        notes=(
            (
                "Seconds that 99 of 100 runs are late at the worker at most. Everything but what the column names is ample. No figure: more than "
                f"{BEYOND} times what a limit lets through, or later than ten minutes."
            ),
        ),
        chart=Chart(
            name=f"capacity-{name}",
            kind="lines",
            over=(over,),
            values=tuple(of),
            x="occurrences in one second" if once else "occurrences a minute",
            y="seconds late, 99 of 100 runs at most",
            log_x=True,
            log_y=True,
        ),
    )


def _p99(settings: Settings, load: int, play: Callable[[Settings, int], Outcome]) -> Cell:
    if play is each_minute and load > BEYOND * first(settings).occurrences:
        return None
    return seconds(play(settings, load).p99)
