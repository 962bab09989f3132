"""The documents of what runs wait for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration.field import Field
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap


@dataclass(frozen=True, kw_only=True, slots=True)
class SlotHolderDocument:
    """A run that holds a slot of a concurrency limit."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The run's id.")]
    since: Annotated[datetime | None, Field("Start of the attempt that took the slot.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class LockWaitDocument:
    """The run of the same job for which a run waits, because the job's runs must not overlap."""

    run_id: Annotated[str, Field("The id of the run in the way.")]
    since: Annotated[datetime | None, Field("Start of that run's newest attempt; null before its first.")]
    before: Annotated[int, Field("Number of other runs of the job that wait and come before this one.")]
    overlap: Annotated[Overlap, Field("The policy that makes the run wait.")]
