"""The question `capacity`: how late runs begin at a million a minute, by the simulation, and what its model was measured to be."""

from __future__ import annotations

from benchmarks.capacity import measured
from benchmarks.capacity.tables import simulated
from benchmarks.table import Table


def tables() -> list[Table]:
    """What was measured for the model, and what the simulation says."""
    return [*simulated(), measured.table()]
