"""What jobs will do in a month, from their definitions: schedules are asked, and children follow their parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from minutehand.costs.definition import Definition, Parent
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
    known = {job.job: job for job in jobs}

    @cache
    def rate_of(schedule: Schedule, first: datetime | None, last: datetime | None) -> Rate:
        return rate(schedule, max(now, first or now), end=last, seconds=assumed.seconds)

    months: dict[str, Month] = {}
    waiting: set[str] = set()

    def month_of(name: str) -> Month:
        if name not in months:
            job = known[name]
            waiting.add(name)
            found = Rate(runs=0) if job.idle else rate_of(job.schedule, job.first, job.last)
            scheduled = found.runs if job.max_runs is None else min(found.runs, job.max_runs)
            children = 0.0 if job.idle else _children(job, [month_of_end(parent) for parent in job.parents])
            months[name] = _with_failures(
                Month(scheduled=scheduled, together=found.together, children=children, seconds=assumed.seconds),
                job,
                assumed.failures,
            )
            waiting.discard(name)
        return months[name]

    def month_of_end(parent: Parent) -> float:
        """How often a parent ends so that a child follows; never, for one that is not known or that would close a circle."""
        if parent.job not in known or parent.job in waiting:
            return 0.0
        month = month_of(parent.job)
        ended = {"success": month.runs - month.failed, "failure": month.failed, "end": month.runs}
        return ended.get(parent.on, 0.0)

    return {job.job: month_of(job.job) for job in jobs}


def unknown_parents(jobs: Sequence[Definition]) -> list[str]:
    """The parents that are not among the jobs, by name."""
    known = {job.job for job in jobs}
    return sorted({parent.job for job in jobs for parent in job.parents} - known)


def _children(job: Definition, ends: Sequence[float]) -> float:
    if not ends:
        return 0.0
    return sum(ends) if job.any_parent else min(ends)


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
