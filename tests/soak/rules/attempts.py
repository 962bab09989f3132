"""None double, none early, and each run's end as its service answered: the receiver's log against the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from tests.soak import bounds
from tests.soak.evidence import Call, Evidence, Job, Service, instant, later, of_run
from tests.soak.verdict import Verdict

Run = Mapping[str, Any]
RETRY_TOLERANCE = 0.25
"""Seconds: the worker may take note of an answer a moment before the receiver has written its log."""


def attempts_of(run: Run) -> Sequence[Mapping[str, Any]]:
    """The run's attempts, oldest first. Lists have only the newest, which is the only one of most runs."""
    if run.get("attempts"):
        return list(run["attempts"])
    if not run.get("attempt"):
        return ()
    return ({"number": run["attempt"], "started_at": run["started_at"], "finished_at": run["finished_at"]},)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Judge each call, and each run's attempts and end."""
    known = {(job, run["run_id"]) for job, runs in evidence.runs.items() for run in runs}
    for (job, run_id), calls in evidence.calls_of.items():
        text = f"the receiver was called for run {run_id}, which the API does not know"
        verdict.check("calls of known runs", job, text, holds=(job, run_id) in known)
        numbers = [call.attempt for call in calls]
        for number in sorted(set(numbers)):
            text = f"attempt {number} of run {run_id} called {numbers.count(number)} times"
            verdict.check("none double", job, text, holds=numbers.count(number) == 1)
    for name, runs in evidence.runs.items():
        for run in runs:
            calls = evidence.calls_of.get((name, run["run_id"]), ())
            _judge_times(evidence, verdict, evidence.jobs[name], run, calls)
            _judge_numbers(evidence, verdict, evidence.jobs[name], run, calls)
            _judge_end(evidence, verdict, evidence.jobs[name], run, calls)


def _judge_times(evidence: Evidence, verdict: Verdict, job: Job, run: Run, calls: Sequence[Call]) -> None:
    """No call comes before its run's instant, nor before its retry."""
    name = f"run {run['run_id']}"
    starts, scheduled = instant(run["starts_at"]), instant(run["scheduled_for"])
    if job.schedule is not None and "~" not in run["run_id"]:
        jitter = (starts - scheduled).total_seconds()
        text = f"{name} starts {jitter:.3f} s after its instant; its job's jitter is {job.jitter} s"
        verdict.check("jitter kept", job.name, text, holds=0 <= jitter <= job.jitter)
    for call in calls:
        early = (max(starts, scheduled) - call.at).total_seconds()
        text = f"{name} called at {call.at}, {early:.3f} s before {max(starts, scheduled)}"
        verdict.check("none early", job.name, text, holds=early <= bounds.EARLY)
    for before, call in pairwise(calls):
        if before.status >= 400 and call.attempt == before.attempt + 1:
            wait = (call.at - before.ended).total_seconds()
            text = f"attempt {call.attempt} of {name} came {wait:.3f} s after a failure; the job waits {job.backoff} s"
            verdict.check("no early retry", job.name, text, holds=wait >= job.backoff - RETRY_TOLERANCE)


def _judge_numbers(evidence: Evidence, verdict: Verdict, job: Job, run: Run, calls: Sequence[Call]) -> None:
    """Attempts have no gaps and no more than are allowed, and each has a cause: a failure before it, or a fault."""
    attempts, name = attempts_of(run), f"run {run['run_id']}"
    numbers = [attempt["number"] for attempt in attempts]
    if run.get("attempts"):
        text = f"{name} has the attempts {numbers}"
        verdict.check("attempts without gaps", job.name, text, holds=numbers == list(range(1, run["attempt"] + 1)))
    failures = _failures(run, calls)
    text = f"{name} failed {failures} times and has {run['attempt']} attempts: more than its job allows"
    most = job.attempts + job.takeovers
    verdict.check("attempts as allowed", job.name, text, holds=failures <= job.attempts and run["attempt"] <= most)
    for before, after in pairwise(attempts):
        answered = [call for call in calls if call.attempt == before["number"]]
        start, next_ = instant(before["started_at"]), instant(after["started_at"])
        failed = before["finished_at"] is not None or any(call.status >= 400 for call in answered)
        text = f"attempt {after['number']} of {name} followed attempt {before['number']}, which neither failed nor met a fault"
        verdict.check("no needless attempt", job.name, text, holds=failed or evidence.disturbed(start, next_))
        if before["finished_at"] is None and job.service not in {Service.LATER, Service.SILENT}:
            text = f"attempt {after['number']} of {name} took over {next_ - start} after the start of attempt {before['number']}"
            verdict.check("no early take-over", job.name, text, holds=next_ >= later(start, job.timeout))


def _judge_end(evidence: Evidence, verdict: Verdict, job: Job, run: Run, calls: Sequence[Call]) -> None:
    """The run's state follows from the answers that its calls got, and from faults that reached it."""
    state = run["state"]
    if state in {"queued", "running", "waiting", "retrying", "skipped"}:
        if state == "skipped":
            text = f"run {run['run_id']} was skipped and yet called"
            verdict.check("skipped runs call nothing", job.name, text, holds=not calls)
        return
    tried = [call.status for call in calls]
    text = f"run {run['run_id']} is {state} ({_message(run)}), with the calls answered {tried}"
    verdict.check("ends as answered", job.name, text, holds=_right_end(evidence, job, run, calls))


def _right_end(evidence: Evidence, job: Job, run: Run, calls: Sequence[Call]) -> bool:
    last = calls[-1] if calls else None
    match run["state"]:
        case "succeeded":
            return job.ends_as == "succeeded" and last is not None and _good(last)
        case "failed":
            return job.ends_as == "failed" and _failures(run, calls) == job.attempts
        case "timed_out":
            return job.ends_as == "timed_out" or _met_a_fault(evidence, run)
        case "cancelled":
            by = run.get("cancelled_by") or ""
            return job.overlap == "replace" and by.startswith("run ") and by.removeprefix("run ") > run["run_id"]
        case "lost":
            dead = sum(attempt["finished_at"] is None for attempt in attempts_of(run)[:-1]) + 1
            return dead > job.takeovers and _met_a_fault(evidence, run)
    return False


def _failures(run: Run, calls: Sequence[Call]) -> int:
    """How many calls failed and count as tries: not those whose worker died before it could report the answer."""
    died = {attempt["number"] for attempt in attempts_of(run) if attempt["finished_at"] is None}
    return sum(call.status >= 400 and call.attempt not in died for call in calls)


def _good(call: Call) -> bool:
    """Whether the answer means success; a 202 does so only with a report, which may have been repeated and refused the second time."""
    return call.reported in {200, 409} if call.status == 202 else 200 <= call.status < 300


def _met_a_fault(evidence: Evidence, run: Run) -> bool:
    start, end = of_run(run, "started_at"), of_run(run, "finished_at")
    return evidence.disturbed(start or instant(run["starts_at"]), end or evidence.collected)


def _message(run: Run) -> str:
    error = run.get("error")
    return f"{error['type']}: {error['message'][:120]}" if error else "no error"
