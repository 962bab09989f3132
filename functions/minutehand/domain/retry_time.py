"""When an attempt that failed is tried again, or that it was the last. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zlib import crc32

from minutehand.domain.deadlines import ends_by
from minutehand.domain.run import Run, RunState

if TYPE_CHECKING:
    from minutehand.domain.job import Job
    from minutehand.domain.policies import Backoff


def retry_at(run: Run, job: Job, *, now: datetime, asked: timedelta | None = None) -> datetime | None:
    """When the next attempt starts, in whole milliseconds, after the newest one ended as `run` says; None when it was the last.

    Args:
        asked: the wait that the target asked for, such as by the header Retry-After.
    """
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
    at, last = now + _wait(run, retry.backoff, tries, asked or timedelta(0)), ends_by(run, job)
    return at if last is None or at < last else None


def _wait(run: Run, backoff: Backoff, tries: int, asked: timedelta) -> timedelta:
    """The wait before the next attempt after this many tries. It is always the same for the same attempt of a run.

    It is not shorter than what the target asked for, up to the longest wait of the job. The jitter then only lengthens it: runs that
    were all asked for the same wait must not come back at once.
    """
    longest = backoff.max.total_seconds()
    seconds = backoff.initial.total_seconds()
    for _ in range(tries - 1):  # a loop, since a power may be larger than any float
        if seconds >= longest:
            break
        seconds *= backoff.factor
    share = crc32(f"{run.key.job} {run.key.run_id} {run.attempt}".encode()) / 0xFFFFFFFF * 2 - 1
    wait = min(seconds, longest) * (1 + backoff.jitter * share)
    least = min(asked.total_seconds(), longest) * (1 + backoff.jitter * (share + 1) / 2)
    return timedelta(milliseconds=round(max(wait, least) * 1000))
