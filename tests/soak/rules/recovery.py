"""Nothing active for ever, and whatever is overdue is found in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from tests.soak import bounds
from tests.soak.evidence import KILLS, Evidence, Job, instant, later, of_run
from tests.soak.rules.attempts import attempts_of
from tests.soak.verdict import Verdict

Run = Mapping[str, Any]
ACTIVE = {"queued", "running", "waiting", "retrying"}


@dataclass(frozen=True)
class Step:
    """Something that had to happen to a run at `due`. `done`: when it happened; None if it has not."""

    what: str
    due: datetime
    done: datetime | None


def latest(evidence: Evidence, due: datetime) -> datetime:
    """Until when something that was due must have been found: the bound while the stack lives, or after the outages that came between."""
    limit = later(due, bounds.OVERDUE + bounds.FOUND)
    for fault in evidence.disturbances:  # by their end
        if fault.kind not in KILLS and fault.end >= due and fault.start <= limit:
            limit = max(limit, later(fault.end, bounds.RETURN))
    return later(limit, bounds.SLACK)


def struck_again(evidence: Evidence, due: datetime) -> datetime | None:
    """Until when it must have been found, if a kill hit the worker that had just found it; None if there was no such kill."""
    limit = latest(evidence, due)
    kills = (fault.end for fault in evidence.disturbances if fault.kind == "worker killed" and fault.count)
    hits = [kill for kill in kills if later(due, bounds.OVERDUE) <= kill <= limit]
    return latest(evidence, max(hits)) if hits else None


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Judge each step of each run that was not skipped."""
    struck = 0
    for name, runs in evidence.runs.items():
        job = evidence.jobs[name]
        ends = sorted(instant(run["finished_at"]) for run in runs if run["finished_at"])
        for run in runs:
            where = f"run {run['run_id']}"
            text = f"{where} is still {run['state']} at {evidence.collected}, attempt {run['attempt']}"
            verdict.check("nothing active for ever", name, text, holds=run["state"] not in ACTIVE)
            for step in _steps(job, run, ends):
                struck += judge_step(evidence, verdict, job, where, step)
            _measure(evidence, verdict, name, run)
    kills = sum(fault.kind == "worker killed" and fault.count > 0 for fault in evidence.faults)
    text = f"{struck} steps were found only after another kill, of {kills} kills"
    verdict.check("overdue found", "", text, holds=struck <= 1 + kills / 5)
    verdict.measure("runs found only after a second kill", struck, f"{kills} kills of workers")


def judge_step(evidence: Evidence, verdict: Verdict, job: Job, where: str, step: Step) -> bool:
    """Judge one step; returns whether it was late and another kill may have been the cause, which happens, but seldom."""
    limit, done = latest(evidence, step.due), step.done or evidence.collected
    again = struck_again(evidence, step.due) if done > limit else None
    text = f"{where} was due to be {step.what} at {step.due}, and was so {_after(step, evidence)}; the bound is {limit}"
    verdict.check("overdue found", job.name, text, holds=done <= limit or (again is not None and done <= again))
    verdict.measure("recovery", _recovery(evidence, step.due, done), f"{job.name} {where}, {step.what}")
    return limit < done <= again if again is not None else False


def _after(step: Step, evidence: Evidence) -> str:
    if step.done is None:
        return f"not by {evidence.collected}"
    return f"{(step.done - step.due).total_seconds():.1f} s later, at {step.done}"


def _recovery(evidence: Evidence, due: datetime, done: datetime) -> float:
    """Seconds from the instant it was due, or from the return after the last outage since, until it was done."""
    since = max((f.end for f in evidence.disturbances if f.kind not in KILLS and due <= f.end <= done), default=due)
    return (done - since).total_seconds()


def _steps(job: Job, run: Run, ends: list[datetime]) -> Iterator[Step]:
    """What had to happen to this run, in order."""
    starts, claimed = instant(run["starts_at"]), instant(run["claimed_at"])
    if "~" not in run["run_id"] and job.delay is None:
        yield Step("claimed", starts, claimed)
    if run["state"] == "skipped":
        return
    attempts = attempts_of(run)
    begun = instant(attempts[0]["started_at"]) if attempts else None
    if not (job.waits_for_others or "~backfill-" in run["run_id"] or (begun is None and run["state"] == "cancelled")):
        yield Step("started", _first_start(job, starts, claimed), begun)
    elif begun is not None and job.most_at_once is not None:
        freed = max((end for end in ends if end <= begun), default=starts)
        patience = bounds.WAITS if job.max_concurrency is not None else 0
        yield Step("started", later(max(starts, claimed, freed), patience), begun)
    for before, after in pairwise(attempts):
        started = instant(before["started_at"])
        if before["finished_at"] is None:
            due = later(started, job.timeout + bounds.LEASE)
            yield Step(f"taken over as attempt {after['number']}", due, instant(after["started_at"]))
        else:
            due = later(instant(before["finished_at"]), job.backoff)
            yield Step(f"retried as attempt {after['number']}", due, instant(after["started_at"]))
    if attempts:
        due = later(instant(attempts[-1]["started_at"]), job.timeout + bounds.LEASE)
        yield Step("ended", due, of_run(run, "finished_at"))


def _first_start(job: Job, starts: datetime, claimed: datetime) -> datetime:
    """When the first attempt was due: missed occurrences start spread over the minute after their claim."""
    return starts if claimed <= later(starts, job.grace) else later(claimed, bounds.TICK)


def _measure(evidence: Evidence, verdict: Verdict, job: str, run: Run) -> None:
    where = f"{job} run {run['run_id']}"
    if run.get("lateness_ms") is not None and "~" not in run["run_id"]:
        late = run["lateness_ms"] / 1000
        verdict.measure("lateness", late, where)
        starts = instant(run["starts_at"])
        if not evidence.disturbed(starts - timedelta(seconds=30), later(starts, late)):
            verdict.measure("lateness, 30 s after the last fault", late, where)
    for attempt in attempts_of(run)[:1]:
        active = (of_run(run, "finished_at") or evidence.collected) - instant(attempt["started_at"])
        verdict.measure("time active", active.total_seconds(), where)
