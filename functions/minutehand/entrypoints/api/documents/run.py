"""The documents of runs, their attempts and their outputs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Progress, RunKey, RunState, Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultDocument:
    """A target's answer."""

    type: Annotated[str, Field("The type of the target, or `callback` for a later answer.")]
    status: Annotated[int | None, Field("The HTTP status; null for a later answer.")]
    body: Annotated[str, Field("The answer's text.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunErrorDocument:
    """Why an attempt failed."""

    type: Annotated[str, Field("The type of the error, in one word.")]
    message: Annotated[str, Field("What went wrong.")]
    stack: Annotated[str | None, Field("The stack trace.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptDocument:
    """An attempt of a run."""

    number: Annotated[int, Field("1 for the first.")]
    worker: Annotated[str | None, Field("The log stream of the worker.")]
    started_at: Annotated[datetime, Field("When it started.")]
    finished_at: Annotated[datetime | None, Field("When it ended.")]
    state: Annotated[RunState, Field("How it ended.")]
    error: Annotated[RunErrorDocument | None, Field("Why it failed.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOutputDocument:
    """The size and path of the newest attempt's whole output."""

    bytes: Annotated[int, Field("Bytes of the text in UTF-8.")]
    truncated: Annotated[bool, Field("Whether the run shows only a part of it.")]
    cut: Annotated[bool, Field("Whether the target sent more than the 1 MiB that is read.")]
    url: Annotated[str, Field("The path that answers the whole text.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDocument:
    """The record of a run."""

    run_id: Annotated[
        str,
        Field(
            "`20261120T090000Z`, the scheduled instant; `…~trigger-<id>` for a trigger or a replacement of a lost"
            " run, `…~backfill-<id>`, `…~child-<id>`."
        ),
    ]
    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    scheduled_for: Annotated[datetime, Field("The nominal instant.")]
    starts_at: Annotated[
        datetime, Field("Earliest start: the nominal instant plus jitter; of a backfilled run, its creation.")
    ]
    state: Annotated[
        RunState,
        Field(
            "Active: `queued`, `running`, `waiting` (its target answers later), `retrying`. Ended: `succeeded`, "
            "`failed`, `timed_out`, `cancelled`, `skipped`, `lost` (its worker died, and no take-overs are left "
            "or the job was deleted; or no worker could end it)."
        ),
    ]
    attempt: Annotated[int, Field("Number of the newest attempt; 0 before the first.")]
    claimed_at: Annotated[datetime, Field("When it was claimed.")]
    started_at: Annotated[datetime | None, Field("When the newest attempt started.")]
    finished_at: Annotated[datetime | None, Field("When the run ended.")]
    lateness: Annotated[
        timedelta | None,
        Field("From `starts_at` to the first attempt's start, in milliseconds.", name="lateness_ms", unit="ms"),
    ]
    duration: Annotated[
        timedelta | None, Field("Length of the newest attempt, in milliseconds.", name="duration_ms", unit="ms")
    ]
    result: Annotated[
        ResultDocument | None,
        Field(
            'What the target answered: `{"type", "status", "body"}`; of a later answer the type is `callback`, '
            "the status null and the body JSON."
        ),
    ]
    error: Annotated[RunErrorDocument | None, Field('Why the newest attempt failed: `{"type", "message", "stack"}`.')]
    reason: Annotated[str | None, Field("Why it was skipped, in a sentence.")]
    retry_at: Annotated[datetime | None, Field("Earliest start of the next attempt.")]
    deadline_at: Annotated[datetime | None, Field("When a `waiting` attempt must be reported.")]
    cancelled_by: Annotated[str | None, Field("The token that cancelled it, or `run <id>` of a run that replaces it.")]
    blocked_by: Annotated[str | None, Field("Id of the run that kept it from starting.")]
    progress: Annotated[
        Progress | None, Field('The target\'s last progress: `{"percent", "text"}`; percent may be null.')
    ]
    parents: Annotated[
        tuple[RunKey, ...], Field('The runs that started it, or the lost one it replaces: `{"job", "run_id"}` each.')
    ]
    units: Annotated[
        Usage | None,
        Field(
            'Its usage so far, with record_units: `{"write", "read", "calls", "messages", "worker_ms", "puts", '
            '"stored_bytes"}`.'
        ),
    ]
    attempts: Annotated[
        tuple[AttemptDocument, ...],
        Field(
            'Not in lists: all attempts, oldest first, `{"number", "worker", "started_at", "finished_at", '
            '"state", "error"}`. `worker` is its log stream; `state` how it ended, `running` if its worker died, '
            "and the run's own for the newest.",
            optional=True,
        ),
    ] = LEFT_OUT
    output: Annotated[
        RunOutputDocument | None,
        Field(
            'Not in lists: the newest attempt\'s output, `{"bytes", "truncated", "cut", "url"}`. `truncated`: '
            "`result` has only part of it; `cut`: the target sent more than the 1 MiB that is read; `url`: the "
            "path to the whole.",
            optional=True,
        ),
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputDocument:
    """The output of an attempt."""

    run_id: Annotated[str, Field("The run.")]
    job: Annotated[JobKey, Field("Its job, as `namespace/name`.")]
    attempt: Annotated[int, Field("The attempt.")]
    bytes: Annotated[int, Field("Bytes of the text in UTF-8.")]
    truncated: Annotated[bool, Field("Whether `text` is only a part, because the rest was not stored or has expired.")]
    cut: Annotated[bool, Field("Whether the target sent more than the 1 MiB that is read.")]
    text: Annotated[str | None, Field("The text; null where `url` links to it.")]
    url: Annotated[str | None, Field("A link to the text, valid for some minutes.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingDocument:
    """The state of a run whose target has reported."""

    state: Annotated[RunState, Field("The run's state.")]
    cancel: Annotated[bool, Field("Whether the target should stop.")]
    deadline: Annotated[datetime | None, Field("When the attempt must have been reported.")]
    lease_until: Annotated[datetime | None, Field("When the target's next heartbeat or progress is due.")]
    lease: Annotated[timedelta | None, Field("Time left until `lease_until`.", name="lease_ms", unit="ms")]
