"""Store of permits. See `ports` for what every store promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from minutehand.domain.overlap_lock import Permit, PermitKey


class Permits(Protocol):
    """Permits: the overlap locks of jobs, and concurrency slots. A run takes them in the transaction of its start (see
    `Runs.start`)."""

    def get(self, keys: Sequence[PermitKey]) -> Mapping[PermitKey, Permit]:
        """Read permits; one that was never taken has no holder."""

    def wait(self, key: PermitKey, run_id: str) -> None:
        """Add a run to those that wait for a permit; adding it again changes nothing."""

    def forget(self, key: PermitKey, run_ids: Sequence[str]) -> None:
        """Remove runs from those that wait; no error for a run that does not."""
