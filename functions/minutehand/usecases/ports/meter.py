"""The meter: counts what a thread asks of the stores."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minutehand.domain.run import Run
    from minutehand.domain.usage import Usage


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
