"""The sweep: how many runs it has time to check, and what it reads."""

from __future__ import annotations

from benchmarks.capacity import model
from benchmarks.capacity.settings import share

MEMORY = 512
"""The sweep's memory in MB, the template's default for all functions."""


def swept(memory: int = MEMORY) -> float:
    """Runs a minute that the sweep can check. It checks the newest first, and each once more later, as far as time allows. A stuck run
    beyond them is found when its message returns after 90 minutes."""
    each = model.ITEM * 3 / model.SWEEP_PAGE + model.SWEEP_CPU / share(memory)
    return model.SWEEP_TIME / each


def read(memory: int = MEMORY) -> float:
    """Read units a second of the Runs table, at most."""
    return swept(memory) * model.READ_LOOK / model.SWEEP_EVERY
