"""The meter, which counts what a thread asks of the stores, and the recording, which adds that to a run."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minutehand.domain.run import Run, Usage


class Count(Protocol):
    """What one thread has asked of the stores."""

    def used(self) -> Usage:
        """`write`, `read` and `calls`, so far."""


class Meter(Protocol):
    """Counts requests to the stores."""

    def counting(self) -> AbstractContextManager[Count]:
        """Count the requests of this thread until the context ends."""

    def weight(self, run: Run) -> int:
        """Write units of a run's record as it is, without its index entries."""


class Recording(Protocol):
    """Adds to the run about to be written what it has used, for a job with `record_units`; `stored` bytes of its answer are kept elsewhere."""

    def __call__(self, before: Run, after: Run, /, *, stored: int = 0) -> Run: ...


def unrecorded(_before: Run, after: Run, /, *, stored: int = 0) -> Run:  # noqa: ARG001 - as the others
    """Leave the run as it is: its job does not ask for its usage."""
    return after
