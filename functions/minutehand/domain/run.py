"""A run: the record of one occurrence, and its states."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from minutehand.domain.instants import from_compact, to_compact
from minutehand.domain.job import JobKey


class RunState(Enum):
    """Where a run stands."""

    QUEUED = "queued"
    """In: the claim (or a trigger); a claim under a later revision that re-opens a skip. Out: a worker's start or skip; the drain."""
    RUNNING = "running"
    """In: a worker's start, with attempt, nonce and lease. Out: that worker's report; a take-over once the lease has run out."""
    SUCCEEDED = "succeeded"
    """In: the report of an attempt that did what it should. Final."""
    FAILED = "failed"
    """In: the report of an attempt that did not. Final."""
    TIMED_OUT = "timed_out"
    """In: the report of an attempt that reached its limit. Final."""
    SKIPPED = "skipped"
    """In: a worker that finds the job paused, deleted or edited so that it no longer names the instant. Out: a claim under a later revision."""
    LOST = "lost"
    """In: a worker or the drain, when the worker died and no take-overs are left. Final."""

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self not in (RunState.QUEUED, RunState.RUNNING)

    @property
    def wants_attention(self) -> bool:
        """Whether a person should look: the `attention` index holds these."""
        return self in (RunState.FAILED, RunState.TIMED_OUT, RunState.LOST)


class SkipReason(Enum):
    """Which policy kept a run from starting."""

    PAUSED = "paused"
    """The job was paused when the run was to start, or at the instant it was scheduled for."""
    DELETED = "deleted"
    """The job was deleted."""
    SUPERSEDED = "superseded"
    """An edit took effect before the instant, and the new schedule does not name it."""


class RunKey(NamedTuple):
    """A run's identity: the job and the run id, `20261120T090000Z` or `20261120T090003Z~trigger-<id>`."""

    job: JobKey
    run_id: str

    @classmethod
    def scheduled(cls, job: JobKey, instant: datetime) -> RunKey:
        """The run of the occurrence that a schedule names at `instant`."""
        return cls(job=job, run_id=to_compact(instant))

    @classmethod
    def triggered(cls, job: JobKey, instant: datetime, key: str) -> RunKey:
        """The run asked for by hand at `instant`; `key` tells one trigger from another."""
        return cls(job=job, run_id=f"{to_compact(instant)}~trigger-{key}")

    @property
    def scheduled_for(self) -> datetime:
        """The nominal instant."""
        return from_compact(self.run_id.partition("~")[0])

    @property
    def named_by_schedule(self) -> bool:
        """Whether a schedule named it, rather than a person or another job."""
        return "~" not in self.run_id


class Result(NamedTuple):
    """What a target answered: the HTTP status and the first bytes of the body, as text."""

    type: str
    status: int
    body: str


class RunError(NamedTuple):
    """Why an attempt did not succeed."""

    type: str
    message: str
    stack: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One occurrence and what became of it.

    Attributes:
        target: type of the job's target, which names the queue.
        revision: the revision that claimed it or, once skipped, the one that judged it.
        delay: how much later than `scheduled_for` it starts, by the job's jitter.
        attempt: 0 until the first start; the fencing token.
        takeovers: how many of the attempts took over from a dead worker.
        lease_until: until when the attempt is its worker's alone.
        nonce: the worker's own mark on the attempt.
        started_at: start of the newest attempt.
        lateness: from `starts_at` to the first attempt's start.
        detailed: whether `result` or `error` is cut, and the whole is kept beside the run.
        resent_at: when the sweep last sent it again.
        resends: how often the drain sent it again.
        expires_at: when the store may forget it.
    """

    key: RunKey
    target: str
    revision: int
    claimed_at: datetime
    expires_at: datetime
    delay: timedelta = timedelta(0)
    state: RunState = RunState.QUEUED
    attempt: int = 0
    takeovers: int = 0
    lease_until: datetime | None = None
    nonce: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    lateness: timedelta | None = None
    skip_reason: SkipReason | None = None
    result: Result | None = None
    error: RunError | None = None
    detailed: bool = False
    resent_at: datetime | None = None
    resends: int = 0

    @property
    def scheduled_for(self) -> datetime:
        """The nominal instant."""
        return self.key.scheduled_for

    @property
    def starts_at(self) -> datetime:
        """Before this instant, nothing starts."""
        return self.scheduled_for + self.delay

    @property
    def duration(self) -> timedelta | None:
        """How long the newest attempt took."""
        if self.started_at is None or self.finished_at is None:
            return None
        return self.finished_at - self.started_at
