"""The start of the command line, which its user waits for, beside the import of its library for options."""

from __future__ import annotations

import json
from statistics import median

from benchmarks.imports import REPETITIONS, TIMED, run_program
from benchmarks.table import Table, ratio, within
from benchmarks.timing import rotated

_COMMAND = """
from minutehand.cli.main import app
app.get_command(None, {name!r})
"""
_COMMAND_LINES = {"click": "import click", "--help": "from minutehand.cli.main import app"} | {
    name: _COMMAND.format(name=name)
    for name in ("list", "runs", "run", "explain", "trigger", "pause", "apply", "next", "edit", "login", "doctor")
}
_MOST_OF_CLICK = 2.0


def tables() -> list[Table]:
    """All tables of the question."""
    return [_starts()]


def _starts() -> Table:
    """The start of the command line, up to a command's first line, beside click's import."""
    wall: dict[str, list[float]] = {name: [] for name in _COMMAND_LINES}
    processor: dict[str, list[float]] = {name: [] for name in _COMMAND_LINES}
    for turn in range(-1, REPETITIONS):  # the first turn warms bytecode and the file cache
        for name in rotated([*_COMMAND_LINES], max(turn, 0)):
            took = json.loads(run_program(TIMED.format(program=_COMMAND_LINES[name])).stdout)
            if turn >= 0:
                wall[name].append(took[0])
                processor[name].append(took[1])
    ratios = {name: ratio(processor[name], processor["click"]) for name in wall}
    named = {"click": "import click", "--help": "minutehand, before a command"}
    return Table(
        title="Start of the command line",
        goal=f"processor time of each ≤ {_MOST_OF_CLICK:g} times that of the import of click",
        holds=all(within(each, _MOST_OF_CLICK) for each in ratios.values()),
        columns=("what", "elapsed ms", "processor ms", "ratio"),
        rows=tuple(
            (named.get(name, f"minutehand {name}"), median(wall[name]) * 1000, median(times) * 1000, ratios[name])
            for name, times in processor.items()
        ),
        notes=(
            (
                f"Medians of {REPETITIONS} new processes each, in turn, with warm bytecode, measured inside the process. A command that "
                "calls the API then loads urllib3, one that prints a table rich, and `next` the schedules. Not judged: `sync`, `run-handler`, "
                "`import`, `crontab` and `cost`, which load what they compute with."
            ),
        ),
    )
