"""A job's runs in a month: forecast from its schedule and its parents, or extrapolated from its actual runs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from minutehand.domain.outcome import ErrorType
from minutehand.tools.costs.definition import NONE_KNOWN, SOON, Calendars, Definition
from minutehand.tools.costs.model import CALL_SECONDS, Month, Noted
from minutehand.tools.costs.timetable import Rate, Timetable, is_packed, rate, timetable_of
from minutehand.tools.costs.units import MONTH

_KIND = re.compile(r"~([a-z]+)-")


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What a forecast assumes besides the definitions. seconds: duration of a call; failures: share of failing attempts, 0 to 1;
    answer: bytes of an answer."""

    seconds: float = CALL_SECONDS
    failures: float = 0.0
    answer: int = 0


@dataclass(frozen=True, kw_only=True)
class ActualRun:
    """A run as the API lists it. seconds: duration of its last attempt; None before its end. later: whether its target answers
    later. units: its recorded usage, if any."""

    run_id: str
    state: str
    attempt: int
    seconds: float | None
    later: bool = False
    units: Mapping[str, float] | None = None

    @property
    def kind(self) -> str:
        """What started the run, by its id: `trigger`, `child`, `backfill` or `scheduled`."""
        found = _KIND.search(self.run_id)
        return found[1] if found and found[1] in {"trigger", "child", "backfill"} else "scheduled"


def forecast(
    jobs: Sequence[Definition], now: datetime, assumed: Assumed, calendars: Calendars = NONE_KNOWN
) -> dict[str, Month]:
    """Each job's runs in the month after `now` (aware), by the job's full name."""

    @cache
    def rate_of(timetable: Timetable, seconds: float) -> Rate:
        return rate(timetable, now, seconds=seconds)

    months: dict[str, Month] = {}
    for job in _parents_first(jobs):
        # Attempts fail independently of each other.
        further = [(assumed.failures**number, wait) for number, wait in enumerate(job.waits, start=1)]
        lasts = 0.0
        if job.schedule.delay is not None:  # seconds from the start of a run to its end, on average
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
            packed=is_packed(job, now),
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
    """The job's runs a month that start because its parents' runs end."""
    ends = []
    for parent in job.parents:
        month = months.get(parent.job, Month())
        by_outcome = {"success": month.runs - month.failed, "failure": month.failed, "end": month.runs}
        ends.append(by_outcome.get(parent.on, 0.0))
    return (sum if job.any_parent else min)(ends) if ends else 0.0


def answers_later(run: Mapping[str, Any]) -> bool:
    """Whether a run's target answers later: it has reported a result, or the run waits or has waited for that."""
    result, error = run["result"] or {}, run["error"] or {}
    return (
        (result.get("status") == 202 and run["state"] != "succeeded")
        or result.get("type") == "callback"
        or error.get("type") in {ErrorType.HEARTBEAT_MISSED, ErrorType.ANSWER_MISSED}
    )


def actual_month(
    runs: Iterable[ActualRun],
    span: timedelta,
    *,
    together: float,
    waits: Sequence[float] = (),
    packed: bool | None = None,
) -> Month:
    """The `runs` of a span, extrapolated to a month. together: how many occurrences share one advance of the job's timer, by the
    schedule. waits: seconds before each attempt but the first. packed: whether the job's timer is packed."""
    found = list(runs)
    began = [run for run in found if run.attempt > 0]
    later = sum(run.later for run in began) * 2 > len(began)
    # If most targets answered at once, a late answer counts as one call: its worker was free after that.
    took = [
        min(run.seconds, CALL_SECONDS) if run.later and not later else run.seconds
        for run in began
        if run.seconds is not None
    ]
    often = MONTH / span
    kinds = Counter(run.kind for run in began)
    return Month(
        scheduled=often * kinds["scheduled"],
        together=together,
        children=often * kinds["child"],
        triggered=often * kinds["trigger"],
        backfilled=often * kinds["backfill"],
        skipped=often * (len(found) - len(began)),
        attempts=often * sum(run.attempt - 1 for run in began),
        late=often * sum(wait > SOON for run in began for wait in waits[: run.attempt - 1]),
        failed=often * sum(run.state in {"failed", "timed_out", "lost"} for run in began),
        seconds=sum(took) / len(took) if took else CALL_SECONDS,
        later=later,
        packed=packed,
        noted=_noted(found, often),
    )


def _noted(runs: Sequence[ActualRun], often: float) -> Noted | None:
    """The usage that runs recorded, extrapolated to the runs that did not and to a month; None if no run did."""
    units = [run.units for run in runs if run.units]
    if not units:
        return None
    times = often * len(runs) / len(units)

    def sum_of(name: str) -> float:
        return times * sum(each.get(name, 0) for each in units)

    return Noted(
        writes=sum_of("write"),
        reads=sum_of("read"),
        messages=sum_of("messages"),
        worker_seconds=sum_of("worker_ms") / 1000,
        puts=sum_of("puts"),
        stored=sum_of("stored_bytes"),
    )
