"""What jobs will do in a month, from their definitions: schedules are asked, and children follow their parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from minutehand.costs.definition import Definition
from minutehand.costs.model import CALL_SECONDS, Month
from minutehand.costs.occurrences import Rate, rate
from minutehand.schedule import Schedule


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What definitions do not say. failures: the share of attempts that do not succeed, 0 to 1; answer: bytes of an answer."""

    seconds: float = CALL_SECONDS
    failures: float = 0.0
    answer: int = 0


def forecast(jobs: Sequence[Definition], now: datetime, assumed: Assumed) -> dict[str, Month]:
    """A month of each job, by its full name. now: aware."""

    @cache
    def rate_of(schedule: Schedule, first: datetime | None, last: datetime | None) -> Rate:
        return rate(schedule, max(now, first or now), end=last, seconds=assumed.seconds)

    months: dict[str, Month] = {}
    for job in _parents_first(jobs):
        found = Rate(runs=0) if job.idle else rate_of(job.schedule, job.first, job.last)
        month = Month(
            scheduled=found.runs if job.max_runs is None else min(found.runs, job.max_runs),
            together=found.together,
            children=0.0 if job.idle else _children(job, months),
            seconds=assumed.seconds,
        )
        months[job.job] = _with_failures(month, job, assumed.failures)
    return {job.job: months[job.job] for job in jobs}


def _parents_first(jobs: Sequence[Definition]) -> Iterator[Definition]:
    """Every job once, after those of its parents that are among them; in a circle, which the API would refuse, anywhere."""
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
    """The parents that are not among the jobs, by name."""
    known = {job.job for job in jobs}
    return sorted({parent.job for job in jobs for parent in job.parents} - known)


def _children(job: Definition, months: Mapping[str, Month]) -> float:
    """How often the ends of its parents make it run."""
    ends = [_ends(months[parent.job], parent.on) if parent.job in months else 0.0 for parent in job.parents]
    return (sum if job.any_parent else min)(ends) if ends else 0.0


def _ends(month: Month, on: str) -> float:
    return {"success": month.runs - month.failed, "failure": month.failed, "end": month.runs}.get(on, 0.0)


def _with_failures(month: Month, job: Definition, failing: float) -> Month:
    """Attempts fail independently of each other."""
    further = sum(failing**number for number in range(1, job.attempts))
    return replace(month, attempts=month.runs * further, failed=month.runs * failing**job.attempts)


def distinct(
    jobs: Sequence[Definition], months: Mapping[str, Month]
) -> tuple[dict[Schedule, int], dict[Schedule, float]]:
    """The schedules whose messages may share batches, with how many jobs have each and how often it is due: those of jobs that run
    and start at their instant, not later by chance."""
    counts: dict[Schedule, int] = {}
    runs: dict[Schedule, float] = {}
    for job in jobs:
        if months[job.job].scheduled and not job.jitter:
            counts[job.schedule] = counts.get(job.schedule, 0) + 1
            runs[job.schedule] = max(runs.get(job.schedule, 0.0), months[job.job].scheduled)
    return counts, runs
