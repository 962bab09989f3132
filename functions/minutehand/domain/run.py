"""A run: the record of one occurrence, and its states."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration.field import Field
from minutehand.domain.endpoint import Visit
from minutehand.domain.missed_start import MissedStart
from minutehand.domain.policies import Overlap
from minutehand.domain.run_key import RunKey
from minutehand.domain.share import Share
from minutehand.domain.taken_limit import TakenLimit


class RunState(Enum):
    """State of a run. Each member says who moves runs in and out; `minutehand.domain.transitions` has the table of transitions."""

    QUEUED = "queued"
    """Entered by a tick's claim, a trigger, a backfill or the end of a parent's run; also when a claim under a later revision
    re-opens a skipped run.

    Left by a worker that starts or skips the run, by a cancel, or by the drain, which ends the runs of dead letters."""
    RUNNING = "running"
    """Entered by a worker that starts an attempt, with its number, nonce and lease.

    Left by the report of that worker, or of the target through the API; or by a worker or the drain that finds the lease
    expired: a worker may take the run over with the next attempt."""
    WAITING = "waiting"
    """Entered by a worker whose target accepted the work and answers later.

    Left by the target's report through the API, a worker that finds the deadline or a heartbeat missed, a cancel, or the drain,
    which ends the runs of dead letters."""
    RETRYING = "retrying"
    """Entered at the end of an unsuccessful attempt that will be retried.

    Left by a worker that starts the next attempt at `retry_at` or later, or finds the job deleted or the run's limit reached; by a
    cancel; or by the drain, which ends the runs of dead letters."""
    SUCCEEDED = "succeeded"
    """Entered by the report of a successful attempt. Final."""
    FAILED = "failed"
    """Entered by the report of a failed attempt. Final."""
    TIMED_OUT = "timed_out"
    """Entered by the report of an attempt that reached its limit, or a worker that finds a limit of the run reached. Final."""
    CANCELLED = "cancelled"
    """Entered by a cancel of a person or another run: at once, or when the worker or the target has seen it. Final."""
    SKIPPED = "skipped"
    """Entered by a worker that finds a `SkipReason` for the run; by the report of an attempt in shadow, or of one whose target found
    nothing to do. Left if a claim under a later revision re-opens a run that has not begun."""
    LOST = "lost"
    """Entered by a worker or the drain, if an attempt's worker died, or its agent fell silent, and no take-overs are left or the job is
    deleted; by the drain alone, if no worker could start, check or end the run for 14 days. Final."""

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self not in ACTIVE

    @property
    def wants_attention(self) -> bool:
        """Whether a person should look at runs in this state: they are listed in the index `attention`."""
        return self in (RunState.FAILED, RunState.TIMED_OUT, RunState.LOST)


ACTIVE = frozenset((RunState.QUEUED, RunState.RUNNING, RunState.WAITING, RunState.RETRYING))
"""The states of runs that have not ended."""


class SkipReason(Enum):
    """The policy that kept a run from starting, or what else made a run do nothing."""

    PAUSED = "paused"
    """The job was paused when the run was due to start, or at its scheduled instant."""
    DELETED = "deleted"
    """The job was deleted before the run started."""
    SUPERSEDED = "superseded"
    """An edit took effect before the scheduled instant, and the new schedule does not include it."""
    OVERLAP = "overlap"
    """Another run of the job was active or waiting; `blocked_by` names it."""
    REPLACED = "replaced"
    """A later run of the job took the place of this one; `blocked_by` names that run."""
    NAMESPACE_PAUSED = "namespace_paused"
    """The namespace was paused when the run was due to start, or at its scheduled instant."""
    START_WITHIN = "start_within"
    """The run had not begun when its job's `start_within` was over."""
    SHADOW = "shadow"
    """The run was a shadow (`minutehand.domain.shadow`): it began, and its target was not called."""
    TARGET = "target"
    """The run began, and its target reported that there was nothing to do."""


class Result(NamedTuple):
    """The answer of a target: the status of the HTTP answer, and the body as text.

    Attributes:
        cut: whether the body was longer than the part that is read, and `body` is that part.
        log: the end of the log that the target wrote, if it answers with that. The record of a run leaves it out.
    """

    type: str
    status: int
    body: str
    cut: bool = False
    log: str = ""


class RunError(NamedTuple):
    """Why an attempt did not succeed."""

    type: str
    message: str
    stack: str = ""


class Progress(NamedTuple):
    """Progress that a target reported: a percentage, if known, and a line of text."""

    percent: Annotated[int | None, Field("Percentage done, 0 to 100; null if the target does not know it.")]
    text: Annotated[str, Field("One line about the progress, for people.")]


class Usage(NamedTuple):
    """A run's usage of AWS services. Usage shared by a batch of runs is divided evenly among them."""

    write: Annotated[float, Field("DynamoDB write units.")] = 0.0
    read: Annotated[float, Field("DynamoDB read units.")] = 0.0
    calls: Annotated[float, Field("Calls to DynamoDB, by workers and the API.")] = 0.0
    messages: Annotated[float, Field("Requests to SQS.")] = 0.0
    worker_ms: Annotated[int, Field("Worker time in milliseconds, from the receipt of the messages to the report.")] = 0
    puts: Annotated[int, Field("Number of long answers stored in S3.")] = 0
    stored_bytes: Annotated[int, Field("Bytes of the long answers stored in S3, before compression.")] = 0

    def plus(self, *others: Usage) -> Usage:
        """The sum of this usage and others, rounded to thousandths."""
        return Usage(*(round(sum(each), 3) for each in zip(self, *others, strict=True)))


class Attempt(NamedTuple):
    """A past attempt of a run.

    Attributes:
        finished_at: when it ended; if its worker died, the end of the worker's lease.
        state: how it ended; `RUNNING` if its worker died and another took over; never `WAITING`.
        nonce: the digest of the attempt's token, to recognize a late report.
    """

    number: int
    worker: str
    nonce: str
    started_at: datetime
    finished_at: datetime | None
    state: RunState
    error: RunError | None

    @property
    def died(self) -> bool:
        """Whether its worker died, so that it ended without a report."""
        return self.state is RunState.RUNNING


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The record of one run.

    Attributes:
        target: type of the job's target, which selects the queue of the run's messages.
        revision: number of the job's revision under which it was created or, if it was skipped, under which it was skipped.
        start_delay: from `scheduled_for` to the earliest start: for example jitter, or until its parents' runs had ended.
        attempt: number of the newest attempt, 0 before the first; as the fencing token it refuses reports of earlier attempts.
        takeovers: number of attempts that took over from dead workers or silent agents.
        lease_until: end of the worker's exclusive lease; of a waiting attempt, when its target's next heartbeat is due.
        deadline_at: by when the target of a waiting attempt must have reported.
        heartbeat: longest silence of that target, as its job said when the attempt began.
        nonce: digest of the attempt's token; the token identifies the attempt's worker.
        worker: the log stream of the worker.
        retry_at: earliest start of the next attempt.
        waits_for: the concurrency limit that had no free slot, or the pool without a live agent, if that is why a worker set `retry_at`,
            or why the run missed its start.
        place: the minute in which it may begin, where a quota limits how many runs do (`domain/quota.py`).
        started_at: start of the newest attempt.
        lateness: from `starts_at` to the first attempt's start.
        cancelled_by: who requested its cancellation; empty if nobody has.
        blocked_by: id of another run of the job that kept this one from starting.
        progress: the last progress that the target reported.
        attempts: the attempts before the newest, oldest first; also the newest, if the run ended while waiting for a retry.
        missed_start: if it was skipped for `start_within`, how long that was and what the run last waited for.
        parents: the runs of other jobs that started it when they ended.
        own_payload: whether it has its own payload, stored as a separate item.
        overlap: the overlap policy that replaces the job's.
        detailed: whether `result` or `error` is truncated; the whole is a separate item, unless that failed or it expired.
        resent_at: when the sweep last sent it to a queue again.
        resends: how often the drain sent it to a queue again.
        entry: id of the entry that lists it by time (`domain/run_entry.py`); empty for a run that was claimed alone and is in the index
            `by_time` itself.
        has_children: whether jobs depended on its job as it ended; then the sweep makes sure that their runs were started.
        units: its usage of AWS services, as of the last write that recorded it; None unless the job sets `record_units`.
        visits: of a target with several endpoints, those that the last attempts tried, oldest first.
        only_node: the one node of the pool that may run it, whatever its job says; empty for any that the job allows.
        shadow: whether its target is not called: its job was in shadow as its newest attempt began, or a shadow run started it.
        joins_at: of a run whose newest attempt is carried out on several nodes, by runs of their own: when a worker looks at these next.
        share: of a run on one of several nodes, what it is a part of.
        expires_at: when the store may delete it.
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
    heartbeat: timedelta | None = None
    nonce: str = ""
    worker: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    lateness: Annotated[timedelta | None, Field(stored="lateness_ms", unit="ms")] = None
    skip_reason: Annotated[SkipReason | None, Field(needs_for={SkipReason.TARGET: "skips_by_targets"})] = None
    result: Result | None = None
    error: RunError | None = None
    detailed: bool = False
    retry_at: datetime | None = None
    waits_for: TakenLimit | None = None
    place: datetime | None = None
    cancelled_by: str = ""
    blocked_by: str = ""
    missed_start: MissedStart | None = None
    progress: Progress | None = None
    attempts: tuple[Attempt, ...] = ()
    parents: tuple[RunKey, ...] = ()
    own_payload: bool = False
    overlap: Overlap | None = None
    resent_at: datetime | None = None
    resends: int = 0
    entry: str = ""
    has_children: bool = False
    units: Usage | None = None
    visits: tuple[Visit, ...] = ()
    only_node: Annotated[str, Field(needs="only_node")] = ""
    shadow: Annotated[bool, Field(needs="shadow")] = False
    joins_at: Annotated[datetime | None, Field(needs="several_nodes")] = None
    share: Annotated[Share | None, Field(needs="several_nodes")] = None

    @property
    def scheduled_for(self) -> datetime:
        """The run's nominal instant, with which its id begins."""
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
        """When a worker must next check the run: to start it, to see whether its lease has expired, or to look at its runs on nodes."""
        if self.state is RunState.WAITING and self.joins_at is not None:
            return self.joins_at if self.lease_until is None else min(self.joins_at, self.lease_until)
        held = self.state in (RunState.RUNNING, RunState.WAITING)
        return self.lease_until if held and self.lease_until is not None else self.due_at

    @property
    def begun_at(self) -> datetime | None:
        """When the first attempt started."""
        return None if self.lateness is None else self.starts_at + self.lateness

    @property
    def duration(self) -> timedelta | None:
        """The duration of the newest attempt."""
        ended = self.attempts[-1].finished_at if self.newest_is_listed else self.finished_at
        return None if self.started_at is None or ended is None else ended - self.started_at

    @property
    def ended_in_shadow(self) -> bool:
        """Whether it ended without a call of its target, because it was a shadow."""
        return self.state is RunState.SKIPPED and self.skip_reason is SkipReason.SHADOW

    @property
    def never_began(self) -> bool:
        """Whether it was skipped before its first attempt. Only such a run, or one that is queued, may be claimed anew."""
        return self.state is RunState.SKIPPED and not self.attempt

    @property
    def newest_is_listed(self) -> bool:
        """Whether `attempts` includes the newest attempt, because it ended before the run did."""
        return bool(self.attempts) and self.attempts[-1].number == self.attempt
