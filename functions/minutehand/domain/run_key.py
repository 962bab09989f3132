"""The identity of a run, from which the kind of the run and its nominal instant can be read."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.instants import from_compact, to_compact
from minutehand.domain.job_key import JobKey


class RunKey(NamedTuple):
    """A run's identity: the job and the run id, `20261120T090000Z` or `20261120T090003Z~trigger-<id>`."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The id of the run.")]

    @classmethod
    def scheduled(cls, job: JobKey, instant: datetime) -> RunKey:
        """The run of the occurrence that a schedule names at `instant`."""
        return cls(job=job, run_id=to_compact(instant))

    @classmethod
    def triggered(cls, job: JobKey, instant: datetime, key: str) -> RunKey:
        """The run triggered at `instant`, or the replacement of a lost run of that instant; `key` identifies the trigger."""
        return cls(job=job, run_id=f"{to_compact(instant)}~trigger-{key}")

    @classmethod
    def child(cls, job: JobKey, instant: datetime, identity: str) -> RunKey:
        """The run that parents' runs start, for the window that begins at `instant`."""
        return cls(job=job, run_id=f"{to_compact(instant)}~child-{identity}")

    @classmethod
    def backfilled(cls, job: JobKey, instant: datetime, backfill: str) -> RunKey:
        """The run of a past occurrence that a backfill replays."""
        return cls(job=job, run_id=f"{to_compact(instant)}~backfill-{backfill}")

    @property
    def scheduled_for(self) -> datetime:
        """The run's nominal instant, with which its id begins."""
        return from_compact(self.run_id.partition("~")[0])

    @property
    def backfill(self) -> str | None:
        """The id of the backfill that created the run; None for other runs."""
        kind, _, identity = self.run_id.partition("~")[2].partition("-")
        return identity if kind == "backfill" else None

    @property
    def started_by_parents(self) -> bool:
        """Whether runs of other jobs created the run when they ended."""
        return "~child-" in self.run_id

    @property
    def triggered_by_hand(self) -> bool:
        """Whether a person or a service triggered the run."""
        return "~trigger-" in self.run_id

    @property
    def on_node(self) -> bool:
        """Whether it is a run of another run of the job, on one of that run's several nodes."""
        return "~node-" in self.run_id

    @property
    def named_by_schedule(self) -> bool:
        """Whether it is the run of an occurrence that its job's schedule names."""
        return "~" not in self.run_id
