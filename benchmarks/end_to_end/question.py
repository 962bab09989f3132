"""The two tables of the question."""

from __future__ import annotations

from benchmarks import stack
from benchmarks.end_to_end import processor, throughput
from benchmarks.table import Table


def tables() -> list[Table]:
    """Runs a second on the deployed stack, then a worker's processor time by itself."""
    first = throughput.table()
    with stack.ministack() as url:
        return [first, processor.table(url)]
