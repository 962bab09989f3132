"""How much a tick is to take on alone: what comes of more and of less."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.capacity import model
from benchmarks.capacity.play import SLACK, Outcome, on_the_minute, seconds
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.stages import AMPLE
from benchmarks.table import Cell, Table

TICK_SHARES = (500, 1_000, 2_000, 4_000, 8_000, 20_000)
SLOW = 256
"""MB of a tick, the least that the template takes."""
LITTLE = 2_000
"""Occurrences that a tick has done in a few seconds."""
_SHARED = replace(AMPLE, due_shards=8, tick_fan_out=8, tick_memory=512)


def shares() -> Table:
    """As much as a tick takes on alone, all due on one minute; and among how many one is shared that has little to do."""
    rows: list[tuple[Cell, ...]] = []
    for share in TICK_SHARES:
        settings = replace(_SHARED, tick_share=share)
        most = share // settings.due_shards * settings.due_shards
        alone, slow = _minute(settings, most), _minute(replace(settings, tick_memory=SLOW), most)
        taken = (seconds(one.claimed_by + SLACK) for one in (alone, slow))
        rows.append((share, *taken, seconds(alone.p99), seconds(slow.p99), _minute(settings, LITTLE).ticks))
    return Table(
        title="Simulated: lateness by `TickShare`",
        columns=(
            "`TickShare`",
            "claimed after, s",
            f"with {SLOW} MB",
            "p99, s",
            f"p99 with {SLOW} MB",
            f"invocations, with {LITTLE:,} due",
        ),
        rows=tuple(rows),
        notes=(
            (
                "As many due on one minute as a tick takes on alone. 8 shards, `TickFanOut` 8, `TickMemory` 512 but where it says otherwise: "
                f"{SLOW} is the least that the template takes. Everything else is ample. `claimed after` is from the first tick's beginning, a minute before. What it does not begin in its {model.WORKING:g} s is left to the next."
            ),
        ),
    )


def _minute(settings: Settings, due: int) -> Outcome:
    return on_the_minute(settings, due, minutes=1)
