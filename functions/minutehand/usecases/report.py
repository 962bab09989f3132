"""Report: how a run looks once it has ended, whatever ended it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from minutehand.domain.deciding import Skip
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.usecases.ports import Outcome, Output

PREVIEW = 256
"""Bytes of a body or message kept in the run's own record; the whole is kept beside it."""


def ended(run: Run, outcome: Outcome, now: datetime) -> tuple[Run, Output | None]:
    """The run with its outcome, cut to what its record holds, and the whole where that is longer."""
    result, error = outcome.result, outcome.error
    short_result = result and Result(type=result.type, status=result.status, body=_cut(result.body))
    short_error = error and RunError(type=error.type, message=_cut(error.message))
    whole = short_result == result and short_error == error
    output = None if whole else Output(result=result, error=error, expires_at=run.expires_at)
    return replace(run, state=outcome.state, finished_at=now, result=short_result, error=short_error), output


def skipped(run: Run, decision: Skip, now: datetime) -> Run:
    """The run that a policy keeps from starting."""
    return replace(
        run, state=RunState.SKIPPED, skip_reason=decision.reason, revision=decision.revision, finished_at=now
    )


def lost(run: Run, why: str, now: datetime) -> Run:
    """The run that nobody will end any more."""
    return replace(run, state=RunState.LOST, error=RunError(type="WorkerLost", message=_cut(why)), finished_at=now)


def no_takeover_left(run: Run) -> str:
    """Why a run whose worker died is not started again."""
    return f"attempt {run.attempt} ended without a report, after {run.takeovers} take-overs; none is left"


def _cut(text: str) -> str:
    return text.encode()[:PREVIEW].decode(errors="ignore")
