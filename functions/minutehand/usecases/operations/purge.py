"""Purge: remove what a job's runs have left behind, for good, at a person's request."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.instants import EARLIEST
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.usecases.completion.forget import forget
from minutehand.usecases.completion.trim import SETTLED
from minutehand.usecases.ports.bundle import Ports


class Purged(NamedTuple):
    """What became of the runs of one page.

    Attributes:
        removed: ids of runs that were removed with their payloads and outputs.
        emptied: ids of runs that have ended within the last day: only their outputs were removed, since claims, messages and requests
            that are repeated must still find the runs.
        active: ids of runs that have not ended; they keep everything.
        next: the next page's cursor.
    """

    removed: tuple[str, ...]
    emptied: tuple[str, ...]
    active: tuple[str, ...]
    next: str | None


def purge(ports: Ports, job: JobKey, *, before: datetime | None, limit: int, cursor: str | None) -> Purged:
    """Remove one page of a job's runs, newest first, with their payloads and outputs, and their runs on nodes. Repeating a call is safe.

    Args:
        before: only runs that were scheduled before this instant; None for all.

    Raises:
        Invalid: for a cursor that no page gave.
        Unavailable: when a store does not answer; some runs of the page may be removed already.
    """
    page = ports.runs.page(job, limit, cursor, within=None if before is None else (EARLIEST, before))
    settled = ports.clock() - SETTLED
    ended = [run for run in page.items if run.state.finished]
    old = [run for run in ended if run.claimed_at < settled]
    recent = [run for run in ended if run not in old]
    forget(ports, old, emptied=recent)
    return Purged(
        removed=_ids(old),
        emptied=_ids(recent),
        active=_ids(run for run in page.items if not run.state.finished),
        next=page.next,
    )


def _ids(runs: Iterable[Run]) -> tuple[str, ...]:
    return tuple(run.key.run_id for run in runs)
