"""The instants of the simulation's schedules: an evaluation of its own, so that a mistake of the product's does not hide itself."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from minutehand.domain.job import Job

SECOND = timedelta(seconds=1)
DAY = 86_400
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RATE = re.compile(r"@every (?:(\d+)m)?(?:(\d+)s)?")


def named(job: Job, after: datetime, until: datetime) -> list[datetime]:
    """The instants t, after < t <= until, that a job's schedule names in UTC, within `start_at`, `end_at` and a pause with an end."""
    first = max(t for t in (after + SECOND, job.start_at, job.paused_until) if t is not None)
    last = until if job.end_at is None else min(until, job.end_at)
    texts = (job.schedule,) if isinstance(job.schedule, str) else job.schedule
    return sorted({t for text in texts for t in _of_text(text, first, last, job.start_at or EPOCH)})


def _of_text(text: str, first: datetime, last: datetime, anchor: datetime) -> Iterator[datetime]:
    if rate := _RATE.fullmatch(text):
        minutes, seconds = (int(part or 0) for part in rate.groups())
        every = timedelta(minutes=minutes, seconds=seconds)
        instant = anchor - (anchor - first) // every * every
        while instant <= last:
            yield instant
            instant += every
        return
    moments = _of_a_day(text)
    midnight = first.replace(hour=0, minute=0, second=0)
    while midnight <= last:
        begin = bisect_left(moments, (first - midnight) // SECOND)
        end = bisect_right(moments, (last - midnight) // SECOND)
        yield from (midnight + moment * SECOND for moment in moments[begin:end])
        midnight += timedelta(days=1)


@lru_cache(maxsize=64)
def _of_a_day(text: str) -> Sequence[int]:
    """The seconds of each day that a crontab of 5 or 6 fields names; its last three fields must be `*`."""
    *times, day, month, weekday = text.split()
    if (day, month, weekday) != ("*", "*", "*") or len(times) not in (2, 3):
        raise ValueError(f"the simulation's judge cannot evaluate {text!r}: give it only times of day")
    seconds, minutes, hours = (_field(part, most) for part, most in zip(["0", *times][-3:], (60, 60, 24), strict=True))
    return [s for s in range(DAY) if s % 60 in seconds and s // 60 % 60 in minutes and s // 3600 in hours]


def _field(text: str, most: int) -> set[int]:
    """The values of `*`, `*/n` or `a,b` among 0 to most - 1."""
    if text.startswith("*"):
        return set(range(0, most, int(text.removeprefix("*").removeprefix("/") or 1)))
    return {int(one) for one in text.split(",")}
