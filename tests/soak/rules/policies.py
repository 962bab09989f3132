"""Overlap, limits, fixed delays, chains, triggers and backfills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any

from tests.soak.evidence import Act, Call, Evidence, Job, instant, later, of_run
from tests.soak.rules.attempts import attempts_of
from tests.soak.rules.recovery import Step, judge_step
from tests.soak.schedules import SECOND, seconds_between
from tests.soak.timeline import Timeline
from tests.soak.verdict import Verdict

Run = Mapping[str, Any]
GONE = timedelta(seconds=0.5)
"""How late the receiver may notice that a caller has gone."""


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Judge each job by the policies that it has."""
    for job in evidence.jobs.values():
        if job.most_at_once is not None:
            _judge_overlap(evidence, verdict, job, job.most_at_once)
        if job.delay is not None:
            _judge_delay(evidence, verdict, job, job.delay)
        if job.parents:
            _judge_children(evidence, verdict, job)
        _judge_triggers(evidence, verdict, job)
    for act in evidence.acts:
        text = f"the request of {act.sent} that would have {act.did} the job was refused, or not answered"
        verdict.check("requests answered", act.job, text, holds=act.answered is not None)
        if act.did == "backfilled" and act.ids:
            _judge_backfill(evidence, verdict, evidence.jobs[act.job], act)


def _judge_overlap(evidence: Evidence, verdict: Verdict, job: Job, most: int) -> None:
    calls = sorted((call for call in evidence.calls if call.job == job.name), key=lambda call: call.at)
    for number, call in enumerate(calls):
        others = [other.run_id for other in calls[:number] if call.at < _surely_open_until(other)]
        text = f"the call of run {call.run_id} at {call.at} made {len(others) + 1} at once: {others}"
        verdict.check("limits kept", job.name, text, holds=len(others) < most)


def _surely_open_until(call: Call) -> datetime:
    return call.ended if call.status else call.ended - GONE


def _judge_delay(evidence: Evidence, verdict: Verdict, job: Job, delay: int) -> None:
    """Each run starts `delay` after the end of the one before, and there is always a next one."""
    runs = [run for run in evidence.runs.get(job.name, ()) if run["state"] != "skipped"]
    runs.sort(key=lambda run: str(run["scheduled_for"]))
    paused = min(
        (act.sent for act in evidence.acts if act.job == job.name and act.did == "paused"), default=evidence.ends
    )
    for before, after in zip_longest(runs, runs[1:]):
        ended = of_run(before, "finished_at")
        if ended is None:
            continue
        due, attempts = later(ended, delay), attempts_of(after) if after else ()
        begun = instant(attempts[0]["started_at"]) if attempts else None
        where = f"the run after {before['run_id']}"
        if begun is not None:
            text = f"{where} began at {begun}, {(due - begun).total_seconds():.3f} s before the delay of {delay} s was over"
            verdict.check("delays kept", job.name, text, holds=begun >= due)
        judge_step(evidence, verdict, job, where, Step("started", due, begun or max(due, paused)))


def _judge_children(evidence: Evidence, verdict: Verdict, job: Job) -> None:
    """A child has one run for each instant at which its parents succeeded, after them, and no other."""
    found: dict[datetime, list[Run]] = {}
    for run in evidence.runs.get(job.name, ()):
        found.setdefault(instant(run["scheduled_for"]), []).append(run)
    ended: dict[datetime, list[datetime]] = {}
    for parent in job.parents:
        for run in evidence.runs.get(parent, ()):
            if run["state"] == "succeeded":
                ended.setdefault(instant(run["scheduled_for"]), []).append(instant(run["finished_at"]))
    complete = {at: max(ends) for at, ends in ended.items() if len(ends) == len(job.parents)}
    for at, due in complete.items():
        if at < evidence.began:  # before the child was saved
            continue
        runs = found.get(at, [])
        text = f"its parents succeeded for {at}, and it has {len(runs)} runs"
        verdict.check("children run once", job.name, text, holds=len(runs) == 1)
        if runs:
            judge_step(
                evidence, verdict, job, f"run {runs[0]['run_id']}", Step("claimed", due, instant(runs[0]["claimed_at"]))
            )
    for at, runs in found.items():
        begun = min(of_run(run, "started_at") or evidence.collected for run in runs)
        text = f"it ran for {at} at {begun}, before its parents had succeeded"
        verdict.check("children after parents", job.name, text, holds=at in complete and complete[at] <= begun)


def _judge_triggers(evidence: Evidence, verdict: Verdict, job: Job) -> None:
    """Each trigger has one run, whatever often it was repeated, and no run has no trigger."""
    acts = [act for act in evidence.acts if act.job == job.name and act.did == "triggered"]
    runs = Counter(run["run_id"] for run in evidence.runs.get(job.name, ()) if "~trigger-" in run["run_id"])
    for act in acts:
        if act.answered is not None:
            text = f"the trigger of {act.sent} was answered {list(act.ids)}, and the API lists {[runs[one] for one in set(act.ids)]}"
            verdict.check("triggers run once", job.name, text, holds=len(set(act.ids)) == 1 and runs[act.ids[0]] == 1)
    known, unsure = {one for act in acts for one in act.ids}, sum(act.answered is None for act in acts)
    extra = sorted(set(runs) - known)
    text = f"the runs {extra} were started by no trigger that was asked for"
    verdict.check("triggers run once", job.name, text, holds=len(extra) <= unsure)


def _judge_backfill(evidence: Evidence, verdict: Verdict, job: Job, act: Act) -> None:
    """A backfill runs each instant of its range once, and ends."""
    assert act.span is not None
    backfill = act.ids[0]
    schedule = Timeline(evidence, job).at(act.sent).schedule
    wanted = {at for at in seconds_between(act.span.start, act.span.end - SECOND) if schedule and schedule.names(at)}
    runs = [run for run in evidence.runs.get(job.name, ()) if run["run_id"].endswith(f"~backfill-{backfill}")]
    found = Counter(instant(run["scheduled_for"]) for run in runs)
    for at in sorted(wanted | set(found)):
        text = f"backfill {backfill} has {found[at]} runs for {at}, which its range {'names' if at in wanted else 'does not name'}"
        verdict.check("backfills complete", job.name, text, holds=found[at] == (at in wanted))
    state = evidence.backfills.get(backfill, {}).get("state")
    verdict.check("backfills complete", job.name, f"backfill {backfill} is {state}", holds=state == "done")
