"""The coming month of jobs, from their definitions: runs by schedules and by parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from minutehand.tools.costs.calendars import NONE_KNOWN, Calendars
from minutehand.tools.costs.definition import SOON, Definition
from minutehand.tools.costs.model import CALL_SECONDS, Month
from minutehand.tools.costs.rates import Rate, rate
from minutehand.tools.costs.timetable import Timetable, timetable_of


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """Assumptions beside the definitions. failures: share of failing attempts, 0 to 1; answer: bytes of an answer."""

    seconds: float = CALL_SECONDS
    failures: float = 0.0
    answer: int = 0


def forecast(
    jobs: Sequence[Definition], now: datetime, assumed: Assumed, calendars: Calendars = NONE_KNOWN
) -> dict[str, Month]:
    """The month after `now` (aware) of each job, by its full name."""

    @cache
    def rate_of(timetable: Timetable, seconds: float) -> Rate:
        return rate(timetable, now, seconds=seconds)

    months: dict[str, Month] = {}
    for job in _parents_first(jobs):
        lasts = _lasts(job, assumed) if job.schedule.delay is not None else 0.0
        found = Rate(runs=0) if job.idle else rate_of(timetable_of(job, now, calendars), lasts)
        month = Month(
            scheduled=found.runs if job.runs_left is None else min(found.runs, job.runs_left),
            together=found.together,
            children=0.0 if job.idle else _children(job, months),
            seconds=assumed.seconds,
        )
        months[job.job] = _with_failures(month, job, assumed.failures)
    return {job.job: months[job.job] for job in jobs}


def _parents_first(jobs: Sequence[Definition]) -> Iterator[Definition]:
    """All jobs, parents first; in a cycle, which the API would refuse, in any order."""
    known = {job.job: job for job in jobs}
    seen: set[str] = set()
    for first in jobs:
        stack = [(first, False)]
        while stack:
            job, ready = stack.pop()
            if ready:
                yield job
            elif job.job not in seen:
                seen.add(job.job)
                stack.append((job, True))
                stack += [(known[parent.job], False) for parent in job.parents if parent.job in known]


def unknown_parents(jobs: Sequence[Definition]) -> list[str]:
    """Names of parents that are not among the jobs."""
    known = {job.job for job in jobs}
    return sorted({parent.job for job in jobs for parent in job.parents} - known)


def _children(job: Definition, months: Mapping[str, Month]) -> float:
    """Its runs a month by the ends of its parents."""
    ends = [_ends(months[parent.job], parent.on) if parent.job in months else 0.0 for parent in job.parents]
    return (sum if job.any_parent else min)(ends) if ends else 0.0


def _ends(month: Month, on: str) -> float:
    return {"success": month.runs - month.failed, "failure": month.failed, "end": month.runs}.get(on, 0.0)


def _lasts(job: Definition, assumed: Assumed) -> float:
    """Average seconds from the start of a run to its end, with further attempts and their backoff."""
    further = sum(assumed.failures**number * (wait + assumed.seconds) for number, wait in enumerate(job.waits, start=1))
    return assumed.seconds + further


def _with_failures(month: Month, job: Definition, failing: float) -> Month:
    """Attempts fail independently of each other."""
    further = [(failing**number, wait) for number, wait in enumerate(job.waits, start=1)]
    return replace(
        month,
        attempts=month.runs * sum(share for share, _ in further),
        late=month.runs * sum(share for share, wait in further if wait > SOON),
        failed=month.runs * failing ** (len(job.waits) + 1),
    )


def distinct(
    jobs: Sequence[Definition],
    months: Mapping[str, Month],
    now: datetime,
    calendars: Calendars = NONE_KNOWN,
) -> tuple[dict[str, Timetable], dict[Timetable, int], dict[Timetable, float]]:
    """Timetables whose messages may share batches: of each job by name, the number of jobs of each, and its runs a month. Jobs
    with jitter are left out, since they start at random."""
    timetables: dict[str, Timetable] = {}
    counts: dict[Timetable, int] = {}
    runs: dict[Timetable, float] = {}
    for job in jobs:
        if months[job.job].scheduled and not job.jitter:
            timetables[job.job] = timetable = timetable_of(job, now, calendars)
            counts[timetable] = counts.get(timetable, 0) + 1
            runs[timetable] = max(runs.get(timetable, 0.0), months[job.job].scheduled)
    return timetables, counts, runs
