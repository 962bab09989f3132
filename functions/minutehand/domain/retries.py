"""Retries: whether an unsuccessful attempt is followed by another, and when."""

from __future__ import annotations

from datetime import datetime, timedelta
from zlib import crc32

from minutehand.domain.deadlines import ends_by
from minutehand.domain.instants import ceiling
from minutehand.domain.job import Job
from minutehand.domain.policies import Backoff
from minutehand.domain.run import Run, RunState


def retry_at(run: Run, job: Job, *, now: datetime) -> datetime | None:
    """When the next attempt starts, in whole seconds, after the newest one ended as `run` says; None when it was the last."""
    retry, tries = job.retry, run.attempt - run.takeovers
    if run.state not in (RunState.FAILED, RunState.TIMED_OUT) or run.cancelled_by or tries >= retry.max_attempts:
        return None
    names = _names(run)
    if names & set(retry.give_up_on) or (retry.retry_on and not names & set(retry.retry_on)):
        return None
    at, last = ceiling(now + _wait(run, retry.backoff, tries)), ends_by(run, job)
    return at if last is None or at < last else None


def _names(run: Run) -> set[str]:
    """Names of an attempt's end that `retry_on` and `give_up_on` match: `timed_out`, the error's type, the status (`503`, `5xx`)."""
    names = {RunState.TIMED_OUT.value} if run.state is RunState.TIMED_OUT else set()
    if run.error is not None:
        names.add(run.error.type)
    if run.result is not None:
        names |= {str(run.result.status), f"{run.result.status // 100}xx"}
    return names


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
