"""What jobs will do in the month to come, from their definitions: schedules are asked, and children follow their parents."""

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
    """What definitions do not say. failures: the share of attempts that do not succeed, 0 to 1; answer: bytes of an answer."""

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


def _lasts(job: Definition, assumed: Assumed) -> float:
    """Seconds from the start of a run to its end, with the attempts that follow and the waits before them, on average."""
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
    """The timetables whose messages may share batches: of each job by its name, how many jobs have each, and how often it is due. They are
    those of jobs that run and start at their instant, not later by chance."""
    timetables: dict[str, Timetable] = {}
    counts: dict[Timetable, int] = {}
    runs: dict[Timetable, float] = {}
    for job in jobs:
        if months[job.job].scheduled and not job.jitter:
            timetables[job.job] = timetable = timetable_of(job, now, calendars)
            counts[timetable] = counts.get(timetable, 0) + 1
            runs[timetable] = max(runs.get(timetable, 0.0), months[job.job].scheduled)
    return timetables, counts, runs
