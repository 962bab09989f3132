"""The judge of missed instants: what `misfire_grace`, `catch_up` and `catchup_window` run and skip."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from minutehand.domain.job import Job
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import Run, RunState
from minutehand.domain.timer import SkipCause
from tests.simulation.instants import SECOND, named
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.observed import History, Passed
    from tests.simulation.scenario import Scenario

DISPATCH = timedelta(seconds=60)
"""Longest life of a process that dispatches: how long before a claim it may have planned it."""


def violations(scenario: Scenario) -> list[str]:
    """Every broken promise. Which instants a calendar keeps from counting as missed is left open."""
    history = scenario.history
    given = {(c.job, c.revision.number): c.given for c in history.commits}
    found = []
    for passed in history.passed:
        job = given[passed.range.job, passed.revision]
        if passed.range.policy.cause is SkipCause.CATCH_UP:
            where = f"{job.key} [{passed.range.first:%H:%M:%S}, {passed.range.until:%H:%M:%S})"
            found += [f"{where}: {problem}" for problem in _wrongly_skipped(job, passed, history)]
    for move in history.moves:
        run = move.after
        is_claim = run.state is RunState.QUEUED and (move.before is None or move.before.revision != run.revision)
        if is_claim and run.key.named_by_schedule and not given[run.key.job, run.revision].fixed_delay:
            job = given[run.key.job, run.revision]
            found += [f"{run.key.job} {run.key.run_id}: {problem}" for problem in _wrongly_run(job, run, history)]
    return found


def _wrongly_skipped(job: Job, passed: Passed, history: History) -> Iterator[str]:
    skipped, clock = passed.range, passed.clock
    if skipped.policy.detail != job.catch_up.value:
        yield f"skipped by catch_up={skipped.policy.detail}, the job has {job.catch_up.value}"
    instants = named(job, skipped.first - SECOND, skipped.until - SECOND)
    if job.calendars or not instants:
        return
    history.judged[Rule.MISSED] += 1
    if instants[-1] >= clock - job.misfire_grace:
        yield f"skipped at {clock}, when {instants[-1]:%H:%M:%S} was on time by a grace of {job.misfire_grace}"
    if job.catch_up is CatchUp.SKIP or instants[-1] < clock - job.catchup_window:
        history.judged[Rule.CATCH_UP_SKIP] += job.catch_up is CatchUp.SKIP
        history.judged[Rule.CATCH_UP_ALL] += job.catch_up is CatchUp.ALL
        return
    if job.catch_up is CatchUp.ALL:
        yield f"skipped at {clock}, though catch_up runs all within {job.catchup_window}"
        return
    history.judged[Rule.CATCH_UP_LATEST] += 1
    latest = skipped.until
    if not named(job, latest - SECOND, latest) or latest >= clock - job.misfire_grace:
        yield f"skipped at {clock} with {instants[-1]:%H:%M:%S}, the latest that was missed"


def _wrongly_run(job: Job, run: Run, history: History) -> Iterator[str]:
    instant, planned = run.scheduled_for, run.claimed_at - DISPATCH
    missed_by = planned - job.misfire_grace
    if instant >= missed_by:
        return
    if job.catch_up is CatchUp.SKIP:
        yield f"claimed at {run.claimed_at}, though what is missed by {job.misfire_grace} is skipped"
    elif instant < planned - job.catchup_window:
        yield f"claimed at {run.claimed_at}, later than its window of {job.catchup_window} allows"
    elif job.catch_up is CatchUp.ALL:
        history.judged[Rule.CATCH_UP_ALL] += 1
    elif not job.calendars:
        history.judged[Rule.CATCH_UP_LATEST] += 1
        later = named(job, instant, missed_by - SECOND)
        if later:
            yield f"claimed at {run.claimed_at}, though {later[-1]:%H:%M:%S} is the latest that was missed"
