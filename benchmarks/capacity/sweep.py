"""The sweep, which looks at runs beside all that happens: how many it has time for, and what it reads."""

from __future__ import annotations

from benchmarks.capacity import model
from benchmarks.capacity.settings import share

MEMORY = 512
"""MB of the sweep, which the template gives all functions alike."""


def swept(memory: int = MEMORY) -> float:
    """Runs a minute that the sweep can look at, two minutes after they were due; what is beyond waits for its queue's 90 minutes."""
    each = model.ITEM * 3 / model.SWEEP_PAGE + model.SWEEP_CPU / share(memory)
    return model.SWEEP_TIME / each / model.SWEPT_MINUTES


def read(memory: int = MEMORY) -> float:
    """Read units a second that its looks take of the Runs table at most, since it has no time for more of them."""
    return swept(memory) * model.SWEPT_MINUTES * model.READ_LOOK / model.SWEEP_EVERY
