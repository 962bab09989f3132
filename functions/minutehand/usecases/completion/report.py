"""Report: how a run looks once its attempt has ended, whatever ended it, and the write that says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from minutehand.domain.deadlines import answer_due, attempts_over
from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Definition, Job
from minutehand.domain.retries import retry_at
from minutehand.domain.run import Run, RunError, RunState
from minutehand.domain.run_decisions import Close, Miss, Skip
from minutehand.usecases.completion.keep_output import keep_output, stored_of
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.outputs import Output, whole
from minutehand.usecases.ports.target import Outcome
from minutehand.usecases.retry_when_unavailable import retry_when_unavailable

if TYPE_CHECKING:
    from minutehand.usecases.completion.metering import Meter
    from minutehand.usecases.ports.messages import Received
    from minutehand.usecases.ports.stores import Clock, Governing

PREVIEW = 256
"""Bytes of a body or message kept in the run's own record; the whole is kept beside it."""
_TRIES = 5


class Recording(Protocol):
    """Notes on a run about to be written what it has used, of a job that asks for it; `stored` bytes of its answer went elsewhere."""

    def __call__(self, before: Run, after: Run, /, *, stored: int = 0) -> Run: ...


def unrecorded(_before: Run, after: Run, /, *, stored: int = 0) -> Run:  # noqa: ARG001 - as the others
    """The run as it is: its job does not ask."""
    return after


def recording_of(
    batch: Sequence[Received], governing: Governing, meter: Callable[[], Meter], *, clock: Clock, received: datetime
) -> Callable[[Received], AbstractContextManager[Recording]]:
    """What counts while a message of a batch is handled, and notes it, where a job asks for that."""
    if not any(definition.job.record_units for definition in governing.definitions.values()):
        return lambda _: nullcontext(unrecorded)
    from minutehand.usecases.completion.metering import Metering  # noqa: PLC0415 - loaded by the first job that asks

    return Metering(batch, governing, meter(), clock=clock, received=received).over


def reported(
    run: Run,
    outcome: Outcome,
    definition: Definition,
    ports: Ports,
    record: Recording = unrecorded,
    *,
    holds: bool = False,
) -> Run:
    """Write down how the attempt under way has ended, or that it is answered later; the run as it then stands.

    What is marked on the run meanwhile (that its end is asked for, say) is taken along. When the run stands otherwise, another attempt
    has taken over, or the target has reported before.

    Args:
        holds: whether the attempt has taken permits. Once its lease is over, others may have taken them: then it does not begin to wait,
            or two would be under way.

    Raises:
        Unavailable: when the store does not answer, or only once it is too late to begin to wait.
    """

    def moved(after: Run) -> Run:
        if holds and after.state is RunState.WAITING and run.lease_until and ports.clock() >= run.lease_until:
            late = f"attempt {run.attempt} is answered later, and that could not be written before its lease ended"
            raise Unavailable(f"{late}; whoever comes next sees to the run")
        return ports.runs.move(run, after)

    kept = False
    for _ in range(_TRIES):
        now = ports.clock()
        # Nobody tells a target without heartbeats that it is to stop, so one whose end is asked for is not waited for.
        goes_on = not run.cancelled_by or definition.job.target.heartbeat is not None
        if outcome.state is RunState.WAITING and goes_on:
            after, output = answered_later(run, outcome, definition.job, now), None
        else:
            after, output = concluded(run, outcome, definition, now)
        kept = kept or (output is not None and keep_output(ports.outputs, run.key, run.attempt, output, now))
        after = record(run, after, stored=stored_of(output))
        stands = retry_when_unavailable(lambda: moved(after))  # noqa: B023 - called at once
        if stands == after or not is_same_attempt(stands, run) or stands.state is not run.state:
            return stands
        run = stands
    raise Unavailable(f"run {run.key.run_id} of {run.key.job} kept changing while it was reported")


def is_same_attempt(run: Run, other: Run) -> bool:
    """Whether two states are of the same attempt, by the same worker."""
    return (run.attempt, run.nonce) == (other.attempt, other.nonce)


def concluded(run: Run, outcome: Outcome, definition: Definition | None, now: datetime) -> tuple[Run, Output | None]:
    """The run whose attempt has ended: at its end, or to be tried again; and its output where the record cannot hold it."""
    after, output = ended(run, outcome, now)
    if run.cancelled_by and after.state is not RunState.SUCCEEDED:
        return replace(after, state=RunState.CANCELLED), output
    at = retry_at(after, definition.job, now=now) if definition is not None and not definition.deleted else None
    if at is None:
        return after, output
    if outcome.result is not None:  # the next attempt takes its place in the run's own record
        output = output or whole(outcome.result, outcome.error, run.expires_at)
    return replace(after, state=RunState.RETRYING, retry_at=at), output


def ended(run: Run, outcome: Outcome, now: datetime) -> tuple[Run, Output | None]:
    """The run with its outcome, cut to what its record holds, and the whole where that is longer."""
    result, error = outcome.result, outcome.error
    short_result = result and result._replace(body=_cut(result.body))
    short_error = error and RunError(type=error.type, message=_cut(error.message))
    fits = short_result == result and short_error == error
    output = None if fits else whole(result, error, run.expires_at)
    after = replace(run, state=outcome.state, deadline_at=None, finished_at=now)
    return replace(after, result=short_result, error=short_error, detailed=not fits), output


def answered_later(run: Run, outcome: Outcome, job: Job, now: datetime) -> Run:
    """The run whose target has taken the work on, and is to be heard of in time."""
    due = answer_due(run, job)
    heard = due if job.target.heartbeat is None else min(due, now + job.target.heartbeat)
    result = outcome.result and outcome.result._replace(body=_cut(outcome.result.body))
    return replace(run, state=RunState.WAITING, lease_until=heard, deadline_at=due, result=result)


def missed(run: Run, decision: Miss, definition: Definition | None, now: datetime) -> Run:
    """The waiting run from whose target nothing was heard in time."""
    return concluded(run, Outcome(RunState.TIMED_OUT, run.result, decision.error), definition, now)[0]


def skipped(run: Run, decision: Skip, now: datetime) -> Run:
    """The run that a policy keeps from starting."""
    return replace(
        run,
        state=RunState.SKIPPED,
        skip_reason=decision.reason,
        revision=decision.revision,
        blocked_by=decision.blocked_by,
        retry_at=None,
        finished_at=now,
    )


def closed(run: Run, decision: Close, now: datetime) -> Run:
    """The run that ends without another attempt."""
    error = run.error if decision.error is None else decision.error
    return _over(run, decision.state, error, now)


def lost(run: Run, why: str, now: datetime) -> Run:
    """The run that nobody will end any more."""
    error = RunError(type="WorkerLost", message=_cut(why))
    return _over(run, RunState.LOST, error, now)


def _over(run: Run, state: RunState, error: RunError | None, now: datetime) -> Run:
    told = attempts_over(run)
    return replace(run, state=state, error=error, retry_at=None, deadline_at=None, finished_at=now, attempts=told)


def _cut(text: str) -> str:
    return text.encode()[:PREVIEW].decode(errors="ignore")
