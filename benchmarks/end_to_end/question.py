"""The question `end_to_end`."""

from __future__ import annotations

from benchmarks.end_to_end import processor, throughput
from benchmarks.table import Table


def tables() -> list[Table]:
    """All tables of the question."""
    return [throughput.table(), processor.table()]
