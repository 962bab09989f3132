"""The question `capacity`: how late runs begin at a million a minute, by the simulation, and what its model was measured to be."""

from __future__ import annotations

from benchmarks.capacity import measured
from benchmarks.capacity.tables import simulated
from benchmarks.table import Table


def tables() -> list[Table]:
    """What the simulation says, and what was measured for its model; that comes first, in a process that has done nothing else."""
    swept = measured.table()
    return [*simulated(), swept]
