"""A run: the record of one occurrence, and its states."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration import Field
from minutehand.domain.instants import from_compact, to_compact
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap

_PLACES = 3


class RunState(Enum):
    """State of a run. `minutehand.domain.transitions` is the table of moves between them."""

    QUEUED = "queued"
    """In: a claim, a trigger, a backfill or a parent's end; a claim under a later revision, which re-opens a skip. Out: a worker's start or
    skip; a cancel; the drain."""
    RUNNING = "running"
    """In: a worker's start, with attempt, nonce and lease. Out: the report of that worker, or of its target through the API; a take-over or
    an end by the worker that finds the lease expired."""
    WAITING = "waiting"
    """In: a worker whose target accepted the work and answers later. Out: the target's report through the API; a worker that finds the
    deadline or a heartbeat missed; a cancel; the drain."""
    RETRYING = "retrying"
    """In: the end of an unsuccessful attempt that is followed by another. Out: the next start, not before `retry_at`; a worker that finds
    the job deleted or the run's limit reached; a cancel; the drain."""
    SUCCEEDED = "succeeded"
    """In: the report of a successful attempt. Final."""
    FAILED = "failed"
    """In: the report of a failed attempt. Final."""
    TIMED_OUT = "timed_out"
    """In: the report of an attempt that reached its limit; a worker that finds the limit of the attempt or the run reached. Final."""
    CANCELLED = "cancelled"
    """In: a cancel by a person or by another run, at once, or once the worker or the target has seen it. Final."""
    SKIPPED = "skipped"
    """In: a worker that finds a policy which keeps the run from starting. Out: a claim under a later revision."""
    LOST = "lost"
    """In: a worker or the drain, when the worker died and no take-overs are left, or the job is deleted; the drain, when a run keeps coming
    back to it. Final."""

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self not in ACTIVE

    @property
    def wants_attention(self) -> bool:
        """Whether a person should look at the run: the `attention` index holds these."""
        return self in (RunState.FAILED, RunState.TIMED_OUT, RunState.LOST)


ACTIVE = frozenset((RunState.QUEUED, RunState.RUNNING, RunState.WAITING, RunState.RETRYING))
"""The states of runs that have not ended."""


class SkipReason(Enum):
    """The policy that kept a run from starting."""

    PAUSED = "paused"
    """The job was paused when the run was due to start, or at its scheduled instant."""
    DELETED = "deleted"
    """The job was deleted."""
    SUPERSEDED = "superseded"
    """An edit took effect before the scheduled instant, and the new schedule does not name it."""
    OVERLAP = "overlap"
    """Another run of the job was active or waiting; `blocked_by` names it."""
    REPLACED = "replaced"
    """A later run took its place; `blocked_by` names that run."""
    NAMESPACE_PAUSED = "namespace_paused"
    """The namespace was paused when the run was due to start, or at its scheduled instant."""


class RunKey(NamedTuple):
    """A run's identity: the job and the run id, `20261120T090000Z` or `20261120T090003Z~trigger-<id>`."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    run_id: Annotated[str, Field("The run.")]

    @classmethod
    def scheduled(cls, job: JobKey, instant: datetime) -> RunKey:
        """The run of the occurrence that a schedule names at `instant`."""
        return cls(job=job, run_id=to_compact(instant))

    @classmethod
    def triggered(cls, job: JobKey, instant: datetime, key: str) -> RunKey:
        """The run triggered at `instant`, or in the place of a lost run of that instant; `key` tells one trigger from another."""
        return cls(job=job, run_id=f"{to_compact(instant)}~trigger-{key}")

    @classmethod
    def child(cls, job: JobKey, instant: datetime, identity: str) -> RunKey:
        """The run that the end of parents' runs starts, in the window that begins at `instant`."""
        return cls(job=job, run_id=f"{to_compact(instant)}~child-{identity}")

    @classmethod
    def backfilled(cls, job: JobKey, instant: datetime, backfill: str) -> RunKey:
        """The run of a past occurrence that a backfill replays."""
        return cls(job=job, run_id=f"{to_compact(instant)}~backfill-{backfill}")

    @property
    def scheduled_for(self) -> datetime:
        """The nominal instant."""
        return from_compact(self.run_id.partition("~")[0])

    @property
    def backfill(self) -> str | None:
        """The id of the backfill that created the run; None for other runs."""
        kind, _, identity = self.run_id.partition("~")[2].partition("-")
        return identity if kind == "backfill" else None

    @property
    def started_by_parents(self) -> bool:
        """Whether the end of other jobs' runs created it."""
        return "~child-" in self.run_id

    @property
    def triggered_by_hand(self) -> bool:
        """Whether a person or a service triggered it."""
        return "~trigger-" in self.run_id

    @property
    def named_by_schedule(self) -> bool:
        """Whether its job's schedule created it."""
        return "~" not in self.run_id


class Result(NamedTuple):
    """What a target answered: the HTTP status and the body, as text.

    Attributes:
        cut: whether the body went on, beyond what is read of one.
    """

    type: str
    status: int
    body: str
    cut: bool = False


class RunError(NamedTuple):
    """Why an attempt did not succeed."""

    type: str
    message: str
    stack: str = ""


class Progress(NamedTuple):
    """How far a target says it has come: 0 to 100, where it knows, and a line of text."""

    percent: Annotated[int | None, Field("0 to 100, where the target knows it.")]
    text: Annotated[str, Field("One line for people.")]


class Usage(NamedTuple):
    """What a run used of the services under it. What a batch of runs shares is divided evenly among them."""

    write: Annotated[float, Field("DynamoDB write units.")] = 0.0
    read: Annotated[float, Field("DynamoDB read units.")] = 0.0
    calls: Annotated[float, Field("Calls to DynamoDB, by workers and the API.")] = 0.0
    messages: Annotated[float, Field("Requests to SQS.")] = 0.0
    worker_ms: Annotated[int, Field("Milliseconds of a worker, from the receipt of a batch to the report.")] = 0
    puts: Annotated[int, Field("Texts stored in S3.")] = 0
    stored_bytes: Annotated[int, Field("Their bytes before compression.")] = 0

    def plus(self, *others: Usage) -> Usage:
        """The sum, to a thousandth."""
        return Usage(*(round(sum(each), _PLACES) for each in zip(self, *others, strict=True)))


class Attempt(NamedTuple):
    """An attempt that is over: another has taken its place.

    Attributes:
        state: as what it ended, `RUNNING` for one that was taken over and `WAITING` never.
        nonce: the digest of its token, by which a late report is known.
    """

    number: int
    worker: str
    nonce: str
    started_at: datetime
    finished_at: datetime | None
    state: RunState
    error: RunError | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One occurrence and what became of it.

    Attributes:
        target: type of the job's target, which names the queue.
        revision: the revision that claimed it or, once skipped, the one that judged it.
        start_delay: how much later than `scheduled_for` it starts: the jitter of the job, or the late end of its parents.
        attempt: 0 until the first start; the fencing token.
        takeovers: how many of the attempts took over from a dead worker.
        lease_until: until when the attempt is its worker's alone; for a waiting one, by when its target must be heard of.
        deadline_at: by when a waiting attempt must have been reported.
        nonce: the worker's own mark on the attempt: the digest of the attempt's token.
        worker: where the worker's log lines are.
        retry_at: before this, the next attempt does not start.
        started_at: start of the newest attempt.
        lateness: from `starts_at` to the first attempt's start.
        cancelled_by: who asked for its end; empty as long as nobody has.
        blocked_by: run id of the run of the same job that kept this from starting.
        progress: what the target last said of it.
        attempts: those before the newest, oldest first; of a run that ended while it waited for its retry, the newest, too.
        parents: the runs whose end started it.
        own_payload: whether it has a payload of its own, kept beside it.
        overlap: what counts instead of the job's.
        detailed: whether `result` or `error` is cut; the whole is kept beside the run, unless it could not be, or is gone.
        resent_at: when the sweep last sent it again.
        resends: how often the drain sent it again.
        units: what it has used, by the last write that noted it; None where its job does not ask.
        expires_at: when the store may forget it.
    """

    key: Annotated[RunKey, Field(inline=True)]
    target: str
    revision: int
    claimed_at: datetime
    expires_at: Annotated[datetime, Field(unit="epoch")]
    start_delay: timedelta = timedelta(0)
    state: Annotated[RunState, Field(always=True)] = RunState.QUEUED
    attempt: Annotated[int, Field(always=True)] = 0
    takeovers: int = 0
    lease_until: datetime | None = None
    deadline_at: datetime | None = None
    nonce: str = ""
    worker: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    lateness: Annotated[timedelta | None, Field(stored="lateness_ms", unit="ms")] = None
    skip_reason: SkipReason | None = None
    result: Result | None = None
    error: RunError | None = None
    detailed: bool = False
    retry_at: datetime | None = None
    cancelled_by: str = ""
    blocked_by: str = ""
    progress: Progress | None = None
    attempts: tuple[Attempt, ...] = ()
    parents: tuple[RunKey, ...] = ()
    own_payload: bool = False
    overlap: Overlap | None = None
    resent_at: datetime | None = None
    resends: int = 0
    units: Usage | None = None

    @property
    def scheduled_for(self) -> datetime:
        """The nominal instant."""
        return self.key.scheduled_for

    @property
    def starts_at(self) -> datetime:
        """The earliest start of the first attempt."""
        return self.scheduled_for + self.start_delay

    @property
    def due_at(self) -> datetime:
        """The earliest start of the next attempt."""
        return self.starts_at if self.retry_at is None else max(self.starts_at, self.retry_at)

    @property
    def wakes_at(self) -> datetime:
        """When a worker has to look at the run next: to start it, or to check whether its lease has expired."""
        held = self.state in (RunState.RUNNING, RunState.WAITING)
        return self.lease_until if held and self.lease_until is not None else self.due_at

    @property
    def begun_at(self) -> datetime | None:
        """When the first attempt started."""
        return None if self.lateness is None else self.starts_at + self.lateness

    @property
    def duration(self) -> timedelta | None:
        """How long the newest attempt took."""
        ended = self.attempts[-1].finished_at if self.newest_is_listed else self.finished_at
        return None if self.started_at is None or ended is None else ended - self.started_at

    @property
    def newest_is_listed(self) -> bool:
        """Whether the newest attempt is among `attempts` already: it ended before the run did."""
        return bool(self.attempts) and self.attempts[-1].number == self.attempt
