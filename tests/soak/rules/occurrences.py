"""None lost, none invented: the instants of each schedule against the runs and what `explain` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from tests.soak import bounds
from tests.soak.evidence import KILLS, Evidence, Job, instant, later, of_run
from tests.soak.timeline import Timeline
from tests.soak.verdict import Verdict

Run = Mapping[str, Any]
LEFT_OUT = ("skip", "latest")
"""Values of `catch_up` that leave out missed occurrences."""


def scheduled(evidence: Evidence, job: str) -> dict[datetime, Run]:
    """The job's runs that its schedule started, by their instant, which the run id begins with."""
    plain = (run for run in evidence.runs.get(job, ()) if "~" not in run["run_id"])
    return {instant(run["scheduled_for"]): run for run in plain}


def unexplained(evidence: Evidence) -> Iterator[tuple[str, datetime]]:
    """The instants that must have a run and have none: what `explain` is to be asked about."""
    for job in evidence.jobs.values():
        found = scheduled(evidence, job.name)
        for at in Timeline(evidence, job).expected():
            if at not in found:
                yield job.name, at


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Judge each instant of each schedule, and each run that a schedule started."""
    for job in evidence.jobs.values():
        if job.schedule is None:
            continue
        timeline, found = Timeline(evidence, job), scheduled(evidence, job.name)
        for at in timeline.expected():
            run = found.get(at)
            verdict.check(
                "none lost",
                job.name,
                f"{at} has no run, and explain says {_said(evidence, job, at)}",
                holds=run is not None or _left_out(evidence, job, at),
            )
        for at, run in found.items():
            _judge_run(evidence, verdict, job, timeline, at, run)
        if job.catch_up == "latest":
            _judge_latest(evidence, verdict, job, found)


def _said(evidence: Evidence, job: Job, at: datetime) -> str:
    finding = evidence.explained.get((job.name, at))
    return f"{finding.get('kind')}: {finding.get('text')}" if finding else "nothing"


def _left_out(evidence: Evidence, job: Job, at: datetime) -> bool:
    """Whether `explain` names the job's own policy, and a fault may have kept every tick from this instant for the misfire grace."""
    finding = evidence.explained.get((job.name, at), {})
    return (
        finding.get("kind") == "passed_over"
        and job.catch_up in LEFT_OUT
        and finding.get("policy") == f"catch_up={job.catch_up}"
        and evidence.disturbed(later(at, -2 * bounds.TICK), later(at, job.grace + bounds.TICK))
    )


def _judge_run(evidence: Evidence, verdict: Verdict, job: Job, timeline: Timeline, at: datetime, run: Run) -> None:
    verdict.check(
        "instants as named",
        job.name,
        f"run {run['run_id']} is for {run['scheduled_for']}",
        holds=datetime.strptime(run["run_id"] + "+0000", "%Y%m%dT%H%M%SZ%z") == at,
    )
    if run["state"] == "skipped":
        reason = run.get("reason")
        text = f"run {run['run_id']} was skipped at {run['finished_at']} without a reason that holds: {reason!r}"
        verdict.check("skips with reasons", job.name, text, holds=_may_skip(evidence, job, timeline, at, run))
        return
    verdict.check(
        "none invented",
        job.name,
        f"run {run['run_id']} ({run['state']}) ran, though the schedule in effect does not name its instant",
        holds=timeline.at(at).may_name(at) and not timeline.blocked(at) and at <= evidence.ends,
    )
    if job.catch_up == "skip":
        claimed = instant(run["claimed_at"])
        verdict.check(
            "grace kept",
            job.name,
            f"run {run['run_id']} was claimed at {claimed}, after the grace of {job.grace} s, with catch_up=skip",
            holds=claimed <= later(instant(run["starts_at"]), job.grace + bounds.SLACK)
            or _slowed(evidence, at, claimed),
        )


def _slowed(evidence: Evidence, start: datetime, end: datetime) -> bool:
    """Whether a tick may have planned in time and have claimed late: a halted process does, and one that shares the emulator with all
    that waited for the end of an outage, a minute long."""
    outages = (fault for fault in evidence.disturbances if fault.kind not in KILLS)
    return any(fault.start <= end and start <= later(fault.end, bounds.TICK) for fault in outages)


def _may_skip(evidence: Evidence, job: Job, timeline: Timeline, at: datetime, run: Run) -> bool:
    ended = of_run(run, "finished_at") or at
    now, then = timeline.at(ended), timeline.at(at)
    if then.paused or then.unsure or now.paused or now.unsure or not then.may_name(at) or timeline.blocked(at):
        return True
    return blocked_with_reason(evidence, job, run, ended)


def blocked_with_reason(evidence: Evidence, job: Job, run: Run, ended: datetime) -> bool:
    """Whether the job's overlap policy skips runs, and the run that it names was in the way."""
    if job.overlap not in {"skip", "queue_one", "replace"} and job.delay is None:
        return False
    blocker = next((one for one in evidence.runs[job.name] if one["run_id"] == run.get("blocked_by")), None)
    if blocker is None or blocker["run_id"] == run["run_id"]:
        return False
    if job.overlap == "replace":  # a later run has begun, or waits for the lock too
        return instant(run["starts_at"]) < instant(blocker["starts_at"]) <= later(ended, 1)
    gone = of_run(blocker, "finished_at")
    return gone is None or gone >= later(ended, -2) or evidence.disturbed(gone, ended)


def _judge_latest(evidence: Evidence, verdict: Verdict, job: Job, found: Mapping[datetime, Run]) -> None:
    """Of missed occurrences the latest runs: after each range that was left out comes a run that was claimed late."""
    ranges = {
        (finding["first"], finding["last"])
        for (name, _), finding in evidence.explained.items()
        if name == job.name and finding.get("policy") == "catch_up=latest"
    }
    for first, last in sorted(ranges):
        following = min((at for at in found if at > instant(last)), default=None)
        run = found[following] if following else None
        late = run is not None and instant(run["claimed_at"]) > later(instant(run["starts_at"]), job.grace)
        verdict.check(
            "latest caught up",
            job.name,
            f"{first} to {last} were left out, but the next run, {run and run['run_id']}, was not a missed one",
            holds=late,
        )
