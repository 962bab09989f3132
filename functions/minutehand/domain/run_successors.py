"""Successors of a run: its record after each change of state that `minutehand.domain.transitions` allows. Pure.

A store writes a successor on condition that the run is still as read. Whether an unsuccessful attempt is followed by another, or
ends the run, is decided here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.deadlines import LEASE_MARGIN, answer_due, call_limit, due_of_attempt, ended_as
from minutehand.domain.endpoint import Visit
from minutehand.domain.instants import floor
from minutehand.domain.missed_start import WaitedFor
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.retry_time import retry_at
from minutehand.domain.run import Attempt, Progress, Result, Run, RunError, RunState, SkipReason
from minutehand.domain.run_decisions import Close, Lose, Miss, Skip, Start

if TYPE_CHECKING:
    from minutehand.domain.definition import Definition
    from minutehand.domain.job import Job
    from minutehand.domain.taken_limit import TakenLimit

MOST_ATTEMPTS = 20
"""Most earlier attempts that a run's record keeps; older ones are dropped."""
MOST_VISITS = 20
"""Most visits of endpoints that a run's record keeps; older ones are dropped."""
JOIN_EVERY = timedelta(minutes=2)
"""How often a worker looks at the runs of a run on several nodes, besides at the end of each."""
JOIN_AGAIN = timedelta(seconds=10)
"""How soon it looks again at a run whose time is over, until that has ended."""
PREVIEW = 256
"""Most bytes of a body or message in the run's own record; longer ones are also stored whole, as a separate item."""


class Mark(NamedTuple):
    """Who starts an attempt, and when.

    Attributes:
        nonce: digest of the attempt's token.
        worker: the log stream of the worker.
    """

    nonce: str
    worker: str
    at: datetime


class Conclusion(NamedTuple):
    """The run after the end of an attempt.

    Attributes:
        overflows: whether the whole result and error have to be stored as a separate item: the record holds only their beginning,
            or the next attempt will replace them.
    """

    run: Run
    overflows: bool


def is_same_attempt(run: Run, other: Run) -> bool:
    """Whether two versions of a run's record are of the same attempt by the same worker."""
    return (run.attempt, run.nonce) == (other.attempt, other.nonce)


def started(run: Run, start: Start, job: Job, mark: Mark) -> Run:
    """The run as its next attempt begins; the attempt before is added to `attempts`."""
    now = mark.at
    lateness = now - run.starts_at if run.lateness is None else run.lateness
    due = due_of_attempt(now, run.starts_at + lateness, job)
    limit = min(call_limit(job), max(due - now, timedelta(0)))
    return replace(
        run,
        state=RunState.RUNNING,
        attempt=start.attempt,
        takeovers=run.takeovers + start.takeover,
        nonce=mark.nonce,
        worker=mark.worker,
        expires_at=kept_longer(run, job, now).expires_at,
        lease_until=now + limit + LEASE_MARGIN,
        deadline_at=None,
        retry_at=None,
        waits_for=None,
        started_at=now,
        finished_at=None,
        result=None,
        error=None,
        detailed=False,
        progress=None,
        attempts=(*run.attempts, *_newest_attempt(run))[-MOST_ATTEMPTS:],
        lateness=lateness,
        shadow=start.shadow,
        joins_at=None,
    )


def kept_longer(run: Run, job: Job, now: datetime) -> Run:
    """The run with a record that outlives a wait: if less than half of the job's retention is left, the retention begins anew."""
    return run if run.expires_at - now > job.retention / 2 else replace(run, expires_at=floor(now) + job.retention)


def looking_again(run: Run, at: datetime, taken: TakenLimit | None, place: datetime | None = None) -> Run:
    """The run after it found no free slot of a limit, or no place in this minute but in `place`: it tries again at `at`. A run that waits
    to be taken over from a dead worker is returned unchanged."""
    if run.state is RunState.RUNNING:
        return run
    return replace(run, retry_at=at, waits_for=taken, place=place or run.place)


def answered_later(run: Run, outcome: Outcome, job: Job, now: datetime) -> Run:
    """The run as it begins to wait for its target's answer: until the deadline, or the next heartbeat if that is due earlier."""
    due, heartbeat = answer_due(run, job), job.target.heartbeat
    if outcome.nodes:
        # Its lease lasts until its deadline: others may count on that nothing of it runs any more once they take its lock.
        joins_at = min(due, floor(now) + JOIN_EVERY)
        return replace(run, state=RunState.WAITING, lease_until=due, deadline_at=due, joins_at=joins_at)
    heard = due if heartbeat is None else min(due, now + heartbeat)
    result = outcome.result and _short(outcome.result)
    waiting = replace(
        run, state=RunState.WAITING, lease_until=heard, deadline_at=due, heartbeat=heartbeat, result=result
    )
    return _visiting(waiting, outcome)


def joins_next(run: Run, now: datetime) -> datetime:
    """When a worker looks again at the runs of a run on several nodes: at its deadline at the latest, and soon after that."""
    due = run.deadline_at
    if due is None or now >= due:
        return floor(now) + JOIN_AGAIN
    return min(due, floor(now) + JOIN_EVERY)


def progressed(run: Run, progress: Progress | None) -> Run:
    """The run with the progress that its target reported; None changes nothing."""
    return run if progress is None else replace(run, progress=progress._replace(text=_preview(progress.text)))


def heard_from(run: Run, definition: Definition | None, now: datetime) -> Run:
    """The run after a heartbeat of its target: the next heartbeat of a waiting run is due later.

    ◆ An edit may lengthen the time until then, and never shortens it: the target was told how long it is as its attempt began.

    In `RUNNING` nothing changes, since `lease_until` is then the end of the worker's lease.
    """
    if run.state is not RunState.WAITING or definition is None:
        return run
    heartbeat = definition.job.target.heartbeat
    if heartbeat is None:  # an edit removed it from the target's fields
        return replace(run, lease_until=run.deadline_at or run.lease_until)
    heard = now + max(heartbeat, run.heartbeat or heartbeat)
    return replace(run, lease_until=heard if run.deadline_at is None else min(heard, run.deadline_at))


def concluded(run: Run, outcome: Outcome, definition: Definition | None, now: datetime) -> Conclusion:
    """The run after the end of an attempt: finished, or in `RETRYING`."""
    after, overflows = _ended(run, outcome, now)
    if run.cancelled_by and after.state is not RunState.SUCCEEDED:
        after = replace(after, state=RunState.CANCELLED, skip_reason=run.skip_reason)
        return Conclusion(_noting_children(after, definition), overflows)
    if outcome.final or definition is None or definition.deleted:
        return Conclusion(_noting_children(after, definition), overflows)
    at = retry_at(after, definition.job, now=now, asked=outcome.retry_after)
    if at is None:
        return Conclusion(_noting_children(after, definition), overflows)
    return Conclusion(replace(after, state=RunState.RETRYING, retry_at=at), overflows or outcome.result is not None)


def _left(run: Run, outcome: Outcome, now: datetime) -> Run:
    """The run whose attempt another takes over, at once: it counts as a take-over, and not as a try."""
    return replace(_ended(run, outcome, now).run, state=RunState.RETRYING, retry_at=now, takeovers=run.takeovers + 1)


def _noting_children(ended: Run, definition: Definition | None) -> Run:
    """An ended run with a note of whether jobs depend on its job, by which the sweep knows that it started others."""
    has_children = definition is not None and bool(definition.children) and ended.state.finished and ended.share is None
    return replace(ended, has_children=True) if has_children else ended


def _ended(run: Run, outcome: Outcome, now: datetime) -> Conclusion:
    """The run that ends with an outcome, its result and error cut to what the record holds."""
    result, error = outcome.result, outcome.error
    short_result = result and _short(result)
    short_error = error and RunError(type=error.type, message=_preview(error.message))
    overflows = not (short_result == result and short_error == error)
    after = replace(
        _visiting(run, outcome),
        state=outcome.state,
        deadline_at=None,
        finished_at=now,
        result=short_result,
        error=short_error,
        detailed=overflows,
        skip_reason=_why_skipped(run) if outcome.state is RunState.SKIPPED else run.skip_reason,
    )
    return Conclusion(after, overflows)


def _why_skipped(run: Run) -> SkipReason:
    """Why an attempt ended in a skip: nobody called its target, or that had nothing to do. Every other skip is decided before one begins."""
    return SkipReason.SHADOW if run.shadow else SkipReason.TARGET


def _visiting(run: Run, outcome: Outcome) -> Run:
    """The run with the endpoints that its newest attempt tried."""
    if not outcome.endpoints:
        return run
    visits = (*run.visits, *(Visit(run.attempt, endpoint) for endpoint in outcome.endpoints))
    return replace(run, visits=visits[-MOST_VISITS:])


def decided(run: Run, decision: Skip | Close | Miss | Lose, definition: Definition | None, now: datetime) -> Run:
    """The run after a decision that ends it, or ends its attempt."""
    return _noting_children(_decided(run, decision, definition, now), definition)


def _decided(run: Run, decision: Skip | Close | Miss | Lose, definition: Definition | None, now: datetime) -> Run:
    match decision:
        case Skip():
            waited_for = decision.missed and decision.missed.waited_for
            return replace(
                run,
                state=RunState.SKIPPED,
                skip_reason=decision.reason,
                revision=decision.revision,
                blocked_by=decision.blocked_by,
                missed_start=decision.missed,
                retry_at=None,
                waits_for=run.waits_for if waited_for is WaitedFor.SLOT else None,
                finished_at=now,
            )
        case Close():
            return _finished(run, decision.state, run.error if decision.error is None else decision.error, now)
        case Miss():
            outcome = Outcome(RunState.TIMED_OUT, run.result, decision.error)
            ended = _left(run, outcome, now) if decision.taken_over else concluded(run, outcome, definition, now).run
        case Lose():
            ended = lost(run, decision.why, definition, now)
    # The write compares what it changes: if a heartbeat has postponed the lease meanwhile, the attempt does not end.
    return replace(ended, lease_until=None) if run.state is RunState.WAITING else ended


def lost(run: Run, why: str, definition: Definition | None, now: datetime) -> Run:
    """The run in `LOST`: no worker will end it any more, as `why` explains."""
    ended = _finished(run, RunState.LOST, RunError(type=ErrorType.WORKER_LOST, message=_preview(why)), now)
    return _noting_children(ended, definition)


def cancelled(run: Run, definition: Definition | None, now: datetime, *, by: str) -> Run:
    """The run that ends because it was cancelled; its result and error stay."""
    ended = replace(_finished(run, RunState.CANCELLED, run.error, now), cancelled_by=by)
    return _noting_children(ended, definition)


def asked_to_cancel(run: Run, *, by: str) -> Run:
    """The run with a request to its worker or target to end it. The first who asked stays on record."""
    return run if run.cancelled_by else replace(run, cancelled_by=by)


def _short(result: Result) -> Result:
    """What a run's record has of a result."""
    return result._replace(body=_preview(result.body), log="")


def _preview(text: str) -> str:
    """The first `PREVIEW` bytes of a text, without half a character at the end."""
    return text.encode()[:PREVIEW].decode(errors="ignore")


def _finished(run: Run, state: RunState, error: RunError | None, now: datetime) -> Run:
    """The run that ends without a report. A run in `RETRYING` adds its newest attempt, which ended before, to `attempts`."""
    newest = _newest_attempt(run) if run.state is RunState.RETRYING else ()
    attempts = (*run.attempts, *newest)
    ended = replace(run, state=state, error=error, finished_at=now, attempts=attempts)
    return replace(ended, retry_at=None, waits_for=None, deadline_at=None)


def _newest_attempt(run: Run) -> tuple[Attempt, ...]:
    """The newest attempt, as an entry of `attempts`; none before the first."""
    if run.started_at is None:
        return ()
    died = run.state is RunState.RUNNING
    state, ended = (run.state, run.lease_until) if died else (ended_as(run), run.finished_at)
    return (Attempt(run.attempt, run.worker, run.nonce, run.started_at, ended, state, run.error),)
