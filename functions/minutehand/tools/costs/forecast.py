"""The coming month of jobs, from their definitions: runs by schedules and by parents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from minutehand.tools.costs.definition import NONE_KNOWN, SOON, Calendars, Definition
from minutehand.tools.costs.model import CALL_SECONDS, Month
from minutehand.tools.costs.timetable import Rate, Timetable, rate, timetable_of


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
        # Attempts fail independently of each other.
        further = [(assumed.failures**number, wait) for number, wait in enumerate(job.waits, start=1)]
        lasts = 0.0
        if job.schedule.delay is not None:  # from the start of a run to its end, on average
            lasts = assumed.seconds + sum(share * (wait + assumed.seconds) for share, wait in further)
        found = Rate(runs=0) if job.idle else rate_of(timetable_of(job, now, calendars), lasts)
        scheduled = found.runs if job.runs_left is None else min(found.runs, job.runs_left)
        children = 0.0 if job.idle else _children(job, months)
        runs = scheduled + children
        months[job.job] = Month(
            scheduled=scheduled,
            together=found.together,
            children=children,
            attempts=runs * sum(share for share, _ in further),
            late=runs * sum(share for share, wait in further if wait > SOON),
            failed=runs * assumed.failures ** (len(job.waits) + 1),
            seconds=assumed.seconds,
        )
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
    ends = []
    for parent in job.parents:
        month = months.get(parent.job, Month())
        by_outcome = {"success": month.runs - month.failed, "failure": month.failed, "end": month.runs}
        ends.append(by_outcome.get(parent.on, 0.0))
    return (sum if job.any_parent else min)(ends) if ends else 0.0
