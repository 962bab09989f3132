"""Recording: adds to a run about to be written what it has used. Only jobs with `record_units` ask for that."""

from __future__ import annotations

from typing import Protocol

from minutehand.domain.run import Run


class Recording(Protocol):
    """Adds the usage to the run about to be written; `stored` bytes of its answer are kept elsewhere."""

    def __call__(self, before: Run, after: Run, /, *, stored: int = 0) -> Run: ...


def unrecorded(_before: Run, after: Run, /, *, stored: int = 0) -> Run:  # noqa: ARG001 - as the others
    """Leave the run as it is: its job does not ask for its usage."""
    return after
