"""The documents of runs, their attempts and their outputs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from minutehand.domain.attempt_log import Stream
from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Progress, RunState, Usage
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.documents.run_nodes import PartDocument, RunNodeDocument
from minutehand.entrypoints.api.documents.run_waits import LockWaitDocument, SlotHolderDocument


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgedDocument:
    """What a purge did to the runs of one page."""

    removed: Annotated[tuple[str, ...], Field("Ids of the runs that were removed with their payloads and outputs.")]
    emptied: Annotated[
        tuple[str, ...],
        Field(
            "Ids of the runs that are less than a day old: their outputs were removed. Purge again when they are older, to remove the rest."
        ),
    ]
    active: Annotated[tuple[str, ...], Field("Ids of the runs that have not ended, and keep everything.")]
    next: Annotated[str | None, Field("The parameter `cursor` that goes on with older runs; null if there are none.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultDocument:
    """What a target answered to an attempt."""

    type: Annotated[str, Field("The type of the target, or `callback` for a later answer.")]
    status: Annotated[int | None, Field("The status of the HTTP answer; null for a later answer.")]
    body: Annotated[str, Field("The answer's text.")]
    log: Annotated[
        str, Field("The end of the log that the target wrote, if it answered with that (not in lists).", optional=True)
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class RunErrorDocument:
    """Why an attempt failed."""

    type: Annotated[str, Field("The type of the error, in one word.")]
    message: Annotated[str, Field("What went wrong.")]
    stack: Annotated[str | None, Field("The stack trace.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptDocument:
    """An attempt of a run."""

    number: Annotated[int, Field("Number of the attempt: 1 for the first.")]
    worker: Annotated[str | None, Field("The request id of the worker's Lambda invocation.")]
    started_at: Annotated[datetime, Field("When the attempt started.")]
    finished_at: Annotated[datetime | None, Field("When the attempt ended.")]
    state: Annotated[RunState, Field("How the attempt ended.")]
    error: Annotated[RunErrorDocument | None, Field("Why the attempt failed.")]
    lost_at: Annotated[
        datetime | None,
        Field("When the lease of the attempt's worker ended, if the worker died and another took over."),
    ]
    endpoints: Annotated[
        tuple[str, ...],
        Field(
            "Of a target with several endpoints, the URLs of those that the attempt tried, in order. Only the last one can have received "
            "the request.",
            optional=True,
        ),
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOutputDocument:
    """The size and path of the newest attempt's whole output."""

    bytes: Annotated[int, Field("Size of the output's text in UTF-8, in bytes.")]
    truncated: Annotated[bool, Field("Whether the run's `result` has only a part of the output.")]
    cut: Annotated[bool, Field("Whether the target sent more than the 1 MiB that a worker reads.")]
    url: Annotated[str, Field("The API's path to the whole text.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDocument:
    """A run: one occurrence of a job, or one that was triggered, replayed or started by parents."""

    run_id: Annotated[
        str,
        Field(
            "The scheduled instant, such as `20261120T090000Z`. It is followed by `~trigger-<id>` if the run was triggered"
            " or replaces a lost one, `~backfill-<id>` if a backfill started it, `~child-<id>` if parents did"
            " (`~child-of-<id>` for one triggered run alone), `~node-<id>` if it is the part of a run on one of several nodes."
        ),
    ]
    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    scheduled_for: Annotated[datetime, Field("The run's nominal instant, before jitter.")]
    starts_at: Annotated[
        datetime,
        Field("Earliest start of the run: its nominal instant plus jitter; for a backfilled run, when it was created."),
    ]
    state: Annotated[
        RunState,
        Field(
            "Active: `queued`, `running`, `waiting` (its target answers later), `retrying`. Ended: `succeeded`, "
            "`failed`, `timed_out`, `cancelled`, `skipped`, `lost` (its worker died or its agent fell silent, and no take-overs are left "
            "or the job was deleted; or no worker could end it)."
        ),
    ]
    attempt: Annotated[int, Field("Number of the newest attempt; 0 before the first.")]
    claimed_at: Annotated[datetime, Field("When the run was claimed, which creates its record.")]
    started_at: Annotated[datetime | None, Field("When the newest attempt started.")]
    finished_at: Annotated[datetime | None, Field("When the run ended.")]
    lateness: Annotated[
        timedelta | None,
        Field(
            "How late the run started: from `starts_at` to its first attempt, in milliseconds.",
            name="lateness_ms",
            unit="ms",
        ),
    ]
    duration: Annotated[
        timedelta | None, Field("Length of the newest attempt, in milliseconds.", name="duration_ms", unit="ms")
    ]
    result: Annotated[
        ResultDocument | None,
        Field(
            'What the target answered: `{"type", "status", "body"}`. If it answered later, through the API, the type is '
            "`callback`, the status null and the body JSON. A Lambda function's answer may also have `log`."
        ),
    ]
    error: Annotated[RunErrorDocument | None, Field('Why the newest attempt failed: `{"type", "message", "stack"}`.')]
    reason: Annotated[
        str | None,
        Field(
            "Why the run was skipped, in a sentence; for `start_within` also what the run last waited for:"
            " `it had not begun within 5m of 2026-11-20T09:00:00Z (start_within); it last waited for limit db, 3 of 3 in use`."
        ),
    ]
    retry_at: Annotated[datetime | None, Field("Earliest start of the next attempt.")]
    waits_for: Annotated[
        str | None,
        Field(
            "The concurrency limit that the run waits for until `retry_at`: `limit db, 3 of 3 in use`; or the pool: `pool web, which has no "
            "live agent`; null if it waits for neither."
        ),
    ]
    deadline_at: Annotated[
        datetime | None, Field("By when the target of a `waiting` run must report how the attempt ended.")
    ]
    lease_until: Annotated[
        datetime | None,
        Field(
            "Of a `running` run: end of its worker's lease. If that has passed, the worker is gone, and another one takes the run over."
            " Of a `waiting` run: when its target's next heartbeat is due, or else `deadline_at`."
        ),
    ]
    cancelled_by: Annotated[
        str | None, Field("Name of the token that cancelled the run, or `run <id>` for the run that replaces it.")
    ]
    blocked_by: Annotated[str | None, Field("Id of the run of the job that kept this one from starting.")]
    only_node: Annotated[str, Field("The one node that may run it, of a run for one node.", optional=True)] = LEFT_OUT
    progress: Annotated[
        Progress | None,
        Field('The progress that the target last reported: `{"percent", "text"}`; percent may be null.'),
    ]
    parents: Annotated[
        tuple[RunKey, ...],
        Field(
            'The parents\' runs that started this run, or the lost run that it replaces, each as `{"job", "run_id"}`.'
        ),
    ]
    units: Annotated[
        Usage | None,
        Field(
            'The run\'s usage so far, if the job sets record_units: `{"write", "read", "calls", "messages", "worker_ms", '
            '"puts", "stored_bytes"}`.'
        ),
    ]
    attempts: Annotated[
        tuple[AttemptDocument, ...],
        Field(
            'All attempts of the run, oldest first (not in lists), `{"number", "worker", "started_at", "finished_at", '
            '"state", "error", "lost_at"}`. `worker` is the request id of its Lambda invocation. `state` is how it ended, or `running` if '
            "its worker died: then `lost_at` is the end of that worker's lease. An attempt that has not ended has the run's state. Of a target with several "
            "endpoints, it also has `endpoints`: those that it tried, in order.",
            optional=True,
        ),
    ] = LEFT_OUT
    output: Annotated[
        RunOutputDocument | None,
        Field(
            'The newest attempt\'s output (not in lists), `{"bytes", "truncated", "cut", "url"}`. `truncated`: '
            "`result` has only part of it; `cut`: the target sent more than the 1 MiB that a worker reads; `url`: the "
            "path to the whole output.",
            optional=True,
        ),
    ] = LEFT_OUT
    nodes: Annotated[
        tuple[RunNodeDocument, ...],
        Field(
            "Only of a run on several nodes (`count` of a command), and not in lists: the nodes of its newest attempt, in the order in "
            'which they begin, each as `{"node", "index", "run_id", "state"}`.',
            optional=True,
        ),
    ] = LEFT_OUT
    part_of: Annotated[
        PartDocument,
        Field(
            "Only of a run on one of several nodes: the run on all of them, and the place of this one among them, "
            '`{"run_id", "attempt", "pool", "node", "index", "total"}`.',
            optional=True,
        ),
    ] = LEFT_OUT
    held_by: Annotated[
        tuple[SlotHolderDocument, ...],
        Field(
            "Only while the run waits for a slot, and not in lists: the runs that hold the slots of the limit in `waits_for` now, "
            'the longest first, each as `{"job", "run_id", "since"}`. `since` is the start of the attempt. Of a limit with more '
            "than 108 slots, 108 are read.",
            optional=True,
        ),
    ] = LEFT_OUT
    behind: Annotated[
        LockWaitDocument,
        Field(
            "Only while the run waits for another run of its job (`overlap`), and not in lists: "
            '`{"run_id", "since", "before", "overlap"}`. `run_id` is the run in the way, `since` the start of its newest attempt, '
            "`before` the number of other runs that wait and come before this one.",
            optional=True,
        ),
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputDocument:
    """The output of an attempt."""

    run_id: Annotated[str, Field("The run's id.")]
    job: Annotated[JobKey, Field("The run's job, as `namespace/name`.")]
    attempt: Annotated[int, Field("Number of the attempt.")]
    bytes: Annotated[int, Field("Size of the output's text in UTF-8, in bytes.")]
    truncated: Annotated[bool, Field("Whether `text` is only a part, because the rest was not stored or has expired.")]
    cut: Annotated[bool, Field("Whether the target sent more than the 1 MiB that a worker reads.")]
    text: Annotated[str | None, Field("The output's text; null if `url` links to it.")]
    url: Annotated[str | None, Field("A link to the output's text, valid for some minutes.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class LogEntryDocument:
    """A line of a log, or a piece of a long line."""

    at: Annotated[str, Field("When it was written, as an RFC 3339 instant in UTC.")]
    stream: Annotated[
        Stream,
        Field(
            "`output`: what was written, both streams of a command in their order; `note`: the agent's own remark that something is missing here."
        ),
    ]
    text: Annotated[str, Field("What was written, with the newline that ended it, if any.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class LogDocument:
    """A piece of the log of an attempt."""

    run_id: Annotated[str, Field("The run's id.")]
    job: Annotated[JobKey, Field("The run's job, as `namespace/name`.")]
    attempt: Annotated[int, Field("Number of the attempt; 0 before the first.")]
    state: Annotated[RunState, Field("The run's state.")]
    entries: Annotated[tuple[LogEntryDocument, ...], Field("What was written, in order.")]
    cursor: Annotated[str, Field("Send it to get what follows.")]
    ended: Annotated[bool, Field("Whether nothing follows.")]
    cut: Annotated[bool, Field("Whether something is missing: it was not sent, or has expired.")]
    next_in: Annotated[int, Field("Seconds after which it is worth asking again; 0 for at once.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingDocument:
    """The state of a run, as the answer to a report of its target."""

    state: Annotated[RunState, Field("The run's state.")]
    cancel: Annotated[bool, Field("Whether the run is to be cancelled, so that its target should stop.")]
    deadline: Annotated[datetime | None, Field("By when the target must report how the attempt ended.")]
    lease_until: Annotated[datetime | None, Field("When the target's next heartbeat or progress is due.")]
    lease: Annotated[timedelta | None, Field("Time left until `lease_until`.", name="lease_ms", unit="ms")]


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundRunsDocument:
    """What a page of runs across jobs has beside them."""

    looked_until: Annotated[datetime, Field("Every wanted run of a later instant is on this page or an earlier one.")]
