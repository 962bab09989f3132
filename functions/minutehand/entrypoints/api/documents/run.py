"""The documents of runs, their attempts and their outputs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from minutehand.domain.declaration import LEFT_OUT, Field
from minutehand.domain.job import JobKey
from minutehand.domain.run import Progress, RunKey, RunState, Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultDocument:
    """What a target answered."""

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
    """One try of a run."""

    number: Annotated[int, Field("1 for the first.")]
    worker: Annotated[str | None, Field("Where the log lines of the worker are.")]
    started_at: Annotated[datetime, Field("When it started.")]
    finished_at: Annotated[datetime | None, Field("When it ended.")]
    state: Annotated[RunState, Field("How it ended.")]
    error: Annotated[RunErrorDocument | None, Field("Why it failed.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOutputDocument:
    """The size and place of the text that the newest attempt left."""

    bytes: Annotated[int, Field("Bytes of the text in UTF-8.")]
    truncated: Annotated[bool, Field("Whether the run shows only a part of it.")]
    cut: Annotated[bool, Field("Whether the target sent more than is read.")]
    url: Annotated[str, Field("The path that answers the whole text.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDocument:
    """The record of one occurrence."""

    run_id: Annotated[str, Field("Its id: the nominal instant, and a suffix where no schedule named it.")]
    job: Annotated[JobKey, Field("Its job, as `namespace/name`.")]
    scheduled_for: Annotated[datetime, Field("The nominal instant.")]
    starts_at: Annotated[datetime, Field("It does not start before this instant.")]
    state: Annotated[RunState, Field("Its state.")]
    attempt: Annotated[int, Field("The number of its newest attempt; 0 before the first.")]
    claimed_at: Annotated[datetime, Field("When it was claimed.")]
    started_at: Annotated[datetime | None, Field("When the newest attempt started.")]
    finished_at: Annotated[datetime | None, Field("When the run ended.")]
    lateness: Annotated[
        timedelta | None, Field("From `starts_at` to the first attempt's start.", name="lateness_ms", unit="ms")
    ]
    duration: Annotated[timedelta | None, Field("How long the newest attempt took.", name="duration_ms", unit="ms")]
    result: Annotated[ResultDocument | None, Field("What the target answered.")]
    error: Annotated[RunErrorDocument | None, Field("Why the newest attempt failed.")]
    reason: Annotated[str | None, Field("Why the run was skipped.")]
    retry_at: Annotated[datetime | None, Field("When the next attempt starts.")]
    deadline_at: Annotated[datetime | None, Field("By when a target that answers later must have answered.")]
    cancelled_by: Annotated[str | None, Field("Who asked for its end.")]
    blocked_by: Annotated[str | None, Field("The id of the run that kept it from starting.")]
    progress: Annotated[Progress | None, Field("How far the target says it is.")]
    parents: Annotated[tuple[RunKey, ...], Field("The runs that started it when they ended.")]
    units: Annotated[Usage | None, Field("What it has used, if its job asks for that.")]
    attempts: Annotated[tuple[AttemptDocument, ...] | None, Field("Its attempts; not in lists.", optional=True)] = (
        LEFT_OUT
    )
    output: Annotated[
        RunOutputDocument | None, Field("The text that the newest attempt left; not in lists.", optional=True)
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputDocument:
    """What an attempt left."""

    run_id: Annotated[str, Field("The run.")]
    job: Annotated[JobKey, Field("Its job, as `namespace/name`.")]
    attempt: Annotated[int, Field("The attempt.")]
    bytes: Annotated[int, Field("Bytes of the text in UTF-8.")]
    truncated: Annotated[bool, Field("Whether `text` is only a part, because the rest could not be kept or is gone.")]
    cut: Annotated[bool, Field("Whether the target sent more than is read.")]
    text: Annotated[str | None, Field("The text; null where `url` links to it.")]
    url: Annotated[str | None, Field("A link to the text, for some minutes.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingDocument:
    """The state of a run whose target has reported."""

    state: Annotated[RunState, Field("The run's state.")]
    cancel: Annotated[bool, Field("Whether the target should stop.")]
    deadline: Annotated[datetime | None, Field("By when the attempt must have been reported.")]
    lease_until: Annotated[datetime | None, Field("By when the target must send its next sign of life.")]
    lease: Annotated[timedelta | None, Field("How far away `lease_until` is.", name="lease_ms", unit="ms")]
