"""Successors of a run: the run after each move that `minutehand.domain.transitions` allows. Pure; a store writes them, conditionally.

An unsuccessful attempt is followed by another here, or ends the run.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from minutehand.domain.deadlines import LEASE_MARGIN, answer_due, call_limit, ended_as, ends_by
from minutehand.domain.instants import ceiling, floor
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import Attempt, Progress, Run, RunError, RunState
from minutehand.domain.run_decisions import Close, Lose, Miss, Skip, Start

if TYPE_CHECKING:
    from minutehand.domain.definition import Definition
    from minutehand.domain.job import Job
    from minutehand.domain.policies import Backoff

MOST_ATTEMPTS = 20
"""Earlier attempts that a run keeps: the newest ones."""
PREVIEW = 256
"""Bytes of a body or message that the run's own record keeps; the whole is kept beside it."""


class Mark(NamedTuple):
    """Who starts an attempt, and when.

    Attributes:
        nonce: digest of the attempt's token.
        worker: where the worker's log lines are.
    """

    nonce: str
    worker: str
    at: datetime


class Conclusion(NamedTuple):
    """The run after the end of an attempt.

    Attributes:
        overflows: whether the whole result and error have to be kept beside the run: its record holds less, or its next attempt
            takes their place.
    """

    run: Run
    overflows: bool


def is_same_attempt(run: Run, other: Run) -> bool:
    """Whether two states are of the same attempt, by the same worker."""
    return (run.attempt, run.nonce) == (other.attempt, other.nonce)


def started(run: Run, start: Start, job: Job, mark: Mark) -> Run:
    """The run whose next attempt begins. The attempt before joins `attempts`."""
    now = mark.at
    begun = replace(run, started_at=now, lateness=now - run.starts_at if run.lateness is None else run.lateness)
    limit = min(call_limit(job), max(answer_due(begun, job) - now, timedelta(0)))
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
        started_at=now,
        finished_at=None,
        result=None,
        error=None,
        detailed=False,
        progress=None,
        attempts=(*run.attempts, *_newest_attempt(run))[-MOST_ATTEMPTS:],
        lateness=begun.lateness,
    )


def kept_longer(run: Run, job: Job, now: datetime) -> Run:
    """The run whose record outlives its wait: it expires no sooner than half the job's retention from now."""
    return run if run.expires_at - now > job.retention / 2 else replace(run, expires_at=floor(now) + job.retention)


def looking_again(run: Run, at: datetime) -> Run:
    """The run that found no free slot and looks for one again. One whose worker died stays `RUNNING`, as its worker left it."""
    return run if run.state is RunState.RUNNING else replace(run, retry_at=at)


def answered_later(run: Run, outcome: Outcome, job: Job, now: datetime) -> Run:
    """The run that waits for the answer of its target: until the deadline, or until the next heartbeat is due."""
    due = answer_due(run, job)
    heard = due if job.target.heartbeat is None else min(due, now + job.target.heartbeat)
    result = outcome.result and outcome.result._replace(body=_preview(outcome.result.body))
    return replace(run, state=RunState.WAITING, lease_until=heard, deadline_at=due, result=result)


def progressed(run: Run, progress: Progress | None) -> Run:
    """The run with what its target says of its progress; None changes nothing."""
    return run if progress is None else replace(run, progress=progress._replace(text=_preview(progress.text)))


def heard_from(run: Run, definition: Definition | None, now: datetime) -> Run:
    """The run whose target has sent a heartbeat. The lease of a running one is its worker's."""
    if run.state is not RunState.WAITING or definition is None:
        return run
    heartbeat = definition.job.target.heartbeat
    if heartbeat is None:  # an edit may have taken it away
        return replace(run, lease_until=run.deadline_at or run.lease_until)
    heard = now + heartbeat
    return replace(run, lease_until=heard if run.deadline_at is None else min(heard, run.deadline_at))


def concluded(run: Run, outcome: Outcome, definition: Definition | None, now: datetime) -> Conclusion:
    """The run whose attempt has ended: finished, or to be retried."""
    after, overflows = _ended(run, outcome, now)
    if run.cancelled_by and after.state is not RunState.SUCCEEDED:
        return Conclusion(replace(after, state=RunState.CANCELLED), overflows)
    if outcome.final or definition is None or definition.deleted:
        return Conclusion(after, overflows)
    at = retry_at(after, definition.job, now=now)
    if at is None:
        return Conclusion(after, overflows)
    return Conclusion(replace(after, state=RunState.RETRYING, retry_at=at), overflows or outcome.result is not None)


def retry_at(run: Run, job: Job, *, now: datetime) -> datetime | None:
    """When the next attempt starts, in whole seconds, after the newest one ended as `run` says; None when it was the last."""
    retry, tries = job.retry, run.attempt - run.takeovers
    if run.state not in (RunState.FAILED, RunState.TIMED_OUT) or run.cancelled_by or tries >= retry.max_attempts:
        return None
    # What `retry_on` and `give_up_on` match: `timed_out`, the error's type, the status (`503`, `5xx`).
    names = {RunState.TIMED_OUT.value} if run.state is RunState.TIMED_OUT else set()
    if run.error is not None:
        names.add(run.error.type)
    if run.result is not None:
        names |= {str(run.result.status), f"{run.result.status // 100}xx"}
    if names & set(retry.give_up_on) or (retry.retry_on and not names & set(retry.retry_on)):
        return None
    at, last = ceiling(now + _wait(run, retry.backoff, tries)), ends_by(run, job)
    return at if last is None or at < last else None


def _wait(run: Run, backoff: Backoff, tries: int) -> timedelta:
    """The wait after so many tries; always the same for one attempt of a run."""
    longest = backoff.max.total_seconds()
    seconds = backoff.initial.total_seconds()
    for _ in range(tries - 1):  # not a power: that may be larger than any float
        if seconds >= longest:
            break
        seconds *= backoff.factor
    share = crc32(f"{run.key.job} {run.key.run_id} {run.attempt}".encode()) / 0xFFFFFFFF * 2 - 1
    return timedelta(seconds=min(seconds, longest) * (1 + backoff.jitter * share))


def _ended(run: Run, outcome: Outcome, now: datetime) -> Conclusion:
    """The run that ends with an outcome, cut to what its record holds."""
    result, error = outcome.result, outcome.error
    short_result = result and result._replace(body=_preview(result.body))
    short_error = error and RunError(type=error.type, message=_preview(error.message))
    overflows = not (short_result == result and short_error == error)
    after = replace(run, state=outcome.state, deadline_at=None, finished_at=now)
    return Conclusion(replace(after, result=short_result, error=short_error, detailed=overflows), overflows)


def decided(run: Run, decision: Skip | Close | Miss | Lose, definition: Definition | None, now: datetime) -> Run:
    """The run, or its attempt, as a decision ends it."""
    match decision:
        case Skip():
            return replace(
                run,
                state=RunState.SKIPPED,
                skip_reason=decision.reason,
                revision=decision.revision,
                blocked_by=decision.blocked_by,
                retry_at=None,
                finished_at=now,
            )
        case Close():
            return _finished(run, decision.state, run.error if decision.error is None else decision.error, now)
        case Miss():
            return concluded(run, Outcome(RunState.TIMED_OUT, run.result, decision.error), definition, now).run
        case Lose():
            return lost(run, decision.why, now)


def lost(run: Run, why: str, now: datetime) -> Run:
    """The run that no worker will end any more."""
    return _finished(run, RunState.LOST, RunError(type=ErrorType.WORKER_LOST, message=_preview(why)), now)


def cancelled(run: Run, now: datetime, *, by: str) -> Run:
    """The run that ends because it was cancelled; its result and error stay."""
    return replace(_finished(run, RunState.CANCELLED, run.error, now), cancelled_by=by)


def asked_to_cancel(run: Run, *, by: str) -> Run:
    """The run whose worker or target is to end it. The first who asked stays on record."""
    return run if run.cancelled_by else replace(run, cancelled_by=by)


def _preview(text: str) -> str:
    """The first `PREVIEW` bytes of a text, between characters."""
    return text.encode()[:PREVIEW].decode(errors="ignore")


def _finished(run: Run, state: RunState, error: RunError | None, now: datetime) -> Run:
    """The run that ends outside an attempt. Of one that waits for its retry the newest attempt ended before the run did, and joins `attempts`."""
    newest = _newest_attempt(run) if run.state is RunState.RETRYING else ()
    attempts = (*run.attempts, *newest)
    return replace(run, state=state, error=error, retry_at=None, deadline_at=None, finished_at=now, attempts=attempts)


def _newest_attempt(run: Run) -> tuple[Attempt, ...]:
    """The newest attempt, as an entry of `attempts`; none before the first."""
    if run.started_at is None:
        return ()
    state = run.state if run.state is RunState.RUNNING else ended_as(run)
    return (Attempt(run.attempt, run.worker, run.nonce, run.started_at, run.finished_at, state, run.error),)
