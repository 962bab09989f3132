"""The meter, which counts a thread's requests to the stores, and the recording, which adds them to a run's usage."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minutehand.domain.run import Run, Usage


class Count(Protocol):
    """The requests that one thread has made to the stores."""

    def used(self) -> Usage:
        """The usage so far: its `write` units, `read` units and `calls`."""


class Meter(Protocol):
    """Counts requests to the stores."""

    def counting(self) -> AbstractContextManager[Count]:
        """Count the requests of this thread until the context ends."""

    def weight(self, run: Run) -> int:
        """Write units that storing this run's record takes, without those of its index entries."""


class Recording(Protocol):
    """Adds its usage to a run about to be written, if its job has `record_units`. `stored` bytes of its answer went to S3."""

    def __call__(self, before: Run, after: Run, /, *, stored: int = 0) -> Run: ...


def unrecorded(_before: Run, after: Run, /, *, stored: int = 0) -> Run:  # noqa: ARG001 - the signature of a Recording
    """The `Recording` of jobs without `record_units`: it leaves the run as it is."""
    return after
