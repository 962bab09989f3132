"""Updates of the timer of a job that is due at nine."""

from __future__ import annotations

from datetime import datetime

from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import SkippedRange, SkipPolicy
from minutehand.usecases.ports.stores import Move
from tests.contract.examples import HOUR, NINE, recheck_of
from tests.contract.stores import Stores


def to(job: JobKey, new: datetime | None, *, old: datetime = NINE, revision: int = 1, packed: bool = False) -> Move:
    """A move to another instant, or to the end of the schedule."""
    return Move(job=job, revision=revision, old=old, new=new, packed=packed)


def skip_an_hour(stores: Stores, job: JobKey, move: Move) -> bool:
    """Make a move that leaves out the hour from nine on; whether it was made."""
    skipped = SkippedRange(job=job, first=NINE, until=NINE + HOUR, policy=SkipPolicy.of("catch_up=skip"))
    return stores.timers.skip(skipped, move, recheck_of(job))
