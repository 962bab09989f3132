"""Rendering: runs, their attempts and what those left, as the documents that the API answers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from minutehand.domain.deadlines import ended_as
from minutehand.domain.error_types import ErrorType
from minutehand.domain.instants import to_text
from minutehand.domain.run import Attempt, Result, Run, RunError, RunState, SkipReason
from minutehand.usecases.ports.outputs import Output, whole
from minutehand.usecases.queries.show_output import Shown

REASONS = {
    SkipReason.PAUSED: "the job was paused when the run was to start, or at the instant it was scheduled for",
    SkipReason.DELETED: "the job was deleted before the run started",
    SkipReason.SUPERSEDED: "the job was edited before the instant, and its new schedule does not name it",
    SkipReason.OVERLAP: "another run of the job was active, or waited already",
    SkipReason.REPLACED: "it waited for another run to end, and a later one took its place",
    SkipReason.NAMESPACE_PAUSED: "the namespace was paused when the run was to start, or at the instant it was scheduled for",
}


def run_document(run: Run) -> dict[str, Any]:
    """A run, as a list shows it."""
    return {
        "run_id": run.key.run_id,
        "job": str(run.key.job),
        "scheduled_for": to_text(run.scheduled_for),
        "starts_at": to_text(run.starts_at),
        "state": run.state.value,
        "attempt": run.attempt,
        "claimed_at": to_text(run.claimed_at),
        "started_at": _instant(run.started_at),
        "finished_at": _instant(run.finished_at) if run.state.finished else None,  # else it is the attempt's
        "lateness_ms": _milliseconds(run.lateness),
        "duration_ms": _milliseconds(run.duration),
        "result": _result(run.result),
        "error": _error(run.error),
        "reason": _reason(run),
        "retry_at": _instant(run.retry_at),
        "deadline_at": _instant(run.deadline_at),
        "cancelled_by": run.cancelled_by or None,
        "blocked_by": run.blocked_by or None,
        "progress": None if run.progress is None else {"percent": run.progress.percent, "text": run.progress.text},
        "parents": [{"job": str(parent.job), "run_id": parent.run_id} for parent in run.parents],
        "units": None if run.units is None else run.units._asdict(),
    }


def _reason(run: Run) -> str | None:
    """Why a skipped run was skipped, with the run that was in its way."""
    if run.state is not RunState.SKIPPED or run.skip_reason is None:
        return None
    way = f": run {run.blocked_by}" if run.blocked_by else ""
    return f"{REASONS[run.skip_reason]}{way}"


def details(run: Run, output: Output | None) -> dict[str, Any]:
    """What one run shows beyond a list: its attempts, and result and error at the length that is kept beside it.

    Args:
        output: None where the run's own record holds all there is, or the rest is gone.
    """
    kept = output or whole(run.result, run.error, run.expires_at)
    return {
        "result": _result(kept.result),
        "error": _error(kept.error),
        "attempts": [_attempt(attempt) for attempt in _attempts(run)],
        "output": _output(run, kept, gone=run.detailed and output is None),
    }


def shown_document(run: Run, shown: Shown) -> dict[str, Any]:
    """An attempt's output, whole or as a link to it."""
    return {
        "run_id": run.key.run_id,
        "job": str(run.key.job),
        "attempt": shown.attempt,
        "bytes": shown.size,
        "truncated": shown.truncated,
        "cut": shown.cut,
        "text": shown.text,
        "url": shown.url,
    }


def _attempts(run: Run) -> tuple[Attempt, ...]:
    """All attempts, the newest among them."""
    if not run.attempt or run.started_at is None or run.newest_is_listed:
        return run.attempts
    newest = Attempt(
        number=run.attempt,
        worker=run.worker,
        nonce=run.nonce,
        started_at=run.started_at,
        finished_at=run.finished_at,
        state=_ended_as(run),
        error=run.error,
    )
    return (*run.attempts, newest)


def _ended_as(run: Run) -> RunState:
    """As what the newest attempt ended: one that failed before anybody asked for the run's end has not been cancelled."""
    failed = run.state is RunState.CANCELLED and run.error is not None and run.error.type != ErrorType.CANCELLED
    return ended_as(run) if failed or run.state is RunState.RETRYING else run.state


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "worker": attempt.worker or None,
        "started_at": to_text(attempt.started_at),
        "finished_at": _instant(attempt.finished_at),
        "state": attempt.state.value,
        "error": _error(attempt.error),
    }


def _output(run: Run, kept: Output, *, gone: bool) -> dict[str, Any] | None:
    if kept.result is None:
        return None
    key = run.key
    path = f"/v1/namespaces/{key.job.namespace}/jobs/{key.job.name}/runs/{quote(key.run_id, safe='~')}/output"
    return {
        "bytes": kept.size,
        "truncated": kept.truncated or gone,
        "cut": kept.result.cut,
        "url": f"{path}?attempt={run.attempt}",
    }


def _instant(instant: datetime | None) -> str | None:
    return None if instant is None else to_text(instant)


def _milliseconds(duration: timedelta | None) -> int | None:
    return None if duration is None else duration // timedelta(milliseconds=1)


def _result(result: Result | None) -> dict[str, Any] | None:
    """A late answer has no status of HTTP."""
    return None if result is None else {"type": result.type, "status": result.status or None, "body": result.body}


def _error(error: RunError | None) -> dict[str, Any] | None:
    return None if error is None else {"type": error.type, "message": error.message, "stack": error.stack or None}
