"""Whether what runs note of their write units is what they are counted to use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks import asked, doings
from benchmarks.meter import Usage
from benchmarks.metered import MINISTACK, Scenes
from benchmarks.play import Play
from benchmarks.table import Cell, Table

_NOT_ITS_OWN = ("tick's row", "due", "receive", "delete")
_WHAT: dict[str, Callable[[Play], Any]] = {
    "a plain run": doings.plain,
    "one that fails": doings.fails,
    "an answer of more than 256 bytes": doings.long_answer,
    "an answer of more than 4 KB": doings.longer_answer,
    "a retry": doings.retried,
    "a retry, after an answer": doings.retried_after_an_answer,
    "a retry more than 13 minutes later": doings.retried_much_later,
    "ten attempts": lambda play: doings.tried(play, 10),
    "a take-over from a dead worker": doings.taken_over,
    "the lock of its job": doings.locked,
    "a slot": doings.limited,
    "both": doings.limited_and_locked,
    "two runs that share a slot, one after the other": doings.two_limited_apart,
    "one that looks for a slot twice": doings.looks_again,
    "one skipped for another, and that other": doings.skips,
    "fixed delay": doings.delayed,
    "`max_runs`": doings.counted,
    "a pause of the namespace": doings.in_a_pause,
    "answered later": asked.answered_later,
    "answered much later": asked.answered_much_later,
    "a trigger's run": asked.triggered,
    "a trigger's run with a payload of its own": asked.triggered_with_payload,
    "a run and its child": asked.followed,
}


def of_the_runs(usage: Usage) -> Usage:
    """A usage without what is a tick's, or Lambda's poller's."""
    left = Usage()
    for name in ("writes", "reads", "calls"):
        used = getattr(usage, name)
        getattr(left, name).update({step: used[step] for step in used if step not in _NOT_ITS_OWN})
    return left


def noted(scenes: Scenes) -> Table:
    """Runs that note what they use, of jobs with `record_units`."""
    rows: list[tuple[Cell, ...]] = []
    for what, doing in _WHAT.items():
        metered = scenes.make([], MINISTACK)
        play = Play(metered, record_units=True)
        doing(play)
        counted = sum(of_the_runs(metered.take()).writes.values())
        told = sum(run.units.write for run in play.runs() if run.units is not None)
        rows.append((what, counted, told, counted == told))
    return Table(
        title="What runs note of their write units, beside what is counted",
        goal="with `record_units`, runs note as many write units as are counted",
        holds=all(row[-1] for row in rows),
        columns=("what", "counted", "noted", "holds"),
        rows=tuple(rows),
        notes=(
            (
                "MiniStack's counting of all calls, beside the sum of `units.write` over the runs: measured by their workers as they made their calls, and by "
                "the arithmetic for what they cannot see (the claim, the advance, the report itself, the API's writes)."
            ),
        ),
    )
