"""Sentences about runs: what became of them, as a person would say it."""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.durations import format_duration
from minutehand.domain.findings import Finding
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunError, RunState, SkipReason
from minutehand.domain.run_decisions import Skip, decide
from minutehand.entrypoints.api.rendering.about import About, instant_text, pause_text
from minutehand.entrypoints.api.rendering.run import REASONS

_SOON = timedelta(seconds=10)
"""Within this a run that is due is as good as started."""


def of_runs(finding: Finding, about: About) -> str:
    """What became of a run, or of several alike, and who asked for it."""
    run = finding.run
    if run is None:
        raise ValueError(f"a finding of the kind {finding.kind.value} without its run")
    times = finding.times or 1
    if run.state is RunState.SKIPPED:
        why = _in_a_pause(run, about) or (REASONS[run.skip_reason] if run.skip_reason else "no reason is on record")
        way = f": run {run.blocked_by}" if run.blocked_by else ""
        return f"{'' if times == 1 else f'{times} runs '}skipped: {why}{way}"
    if times > 1:
        return f"{times} runs succeeded at the first attempt"
    return f"{_asked(run)}{_state(run, about)}"


def _in_a_pause(run: Run, about: About) -> str:
    """Which pause of the namespace kept a run from starting, if that is why, and the pause is remembered."""
    if run.skip_reason is not SkipReason.NAMESPACE_PAUSED or about.namespace is None or run.finished_at is None:
        return ""
    pause = about.namespace.pause_that_skipped(run.key, run.finished_at)
    return "" if pause is None else f"the namespace was {pause_text(pause)}"


def _asked(run: Run) -> str:
    """Why there is a run at all, where that was not the schedule."""
    if run.key.named_by_schedule:
        return ""
    kind = run.key.run_id.partition("~")[2].partition("-")[0]
    named = {"trigger": "triggered", "backfill": "a backfill", "child": "started by its parents' runs"}.get(kind, kind)
    parents = f" ({', '.join(f'{each.job} {each.run_id}' for each in run.parents)})" if run.parents else ""
    return f"{named}{parents}: "


def _state(run: Run, about: About) -> str:
    attempt = f"attempt {run.attempt}"
    cancelling = f"; {run.cancelled_by} has asked for its end" if run.cancelled_by else ""
    match run.state:
        case RunState.QUEUED:
            return f"queued{_queued(run, about)}{_in_its_way(run, about)}"
        case RunState.RUNNING:
            return f"running: {attempt}, since {instant_text(run.started_at)}{_until('its worker has it', run.lease_until)}{cancelling}"
        case RunState.WAITING:
            return f"waiting for its target's answer: {attempt}{_until('it may come', run.deadline_at)}{cancelling}"
        case RunState.RETRYING:
            return f"retrying: {attempt} ended with {_error(run)}, and the next starts at {instant_text(run.retry_at)}"
        case RunState.SUCCEEDED:
            return f"succeeded: {attempt}{_late(run)}"
        case RunState.CANCELLED:
            return f"cancelled by {run.cancelled_by or 'somebody'}"
        case RunState.LOST:
            return f"lost: {_first_line(run.error) if run.error else 'no error on record'}"
        case _:
            return f"{run.state.value.replace('_', ' ')}: {attempt}{_late(run)}, {_error(run)}"


def _queued(run: Run, about: About) -> str:
    job, starts = about.definition.job, instant_text(run.due_at)
    if run.retry_at is not None:
        return f": as many are under way as max_concurrency allows; it looks again at {starts}"
    if about.now < run.due_at + _SOON:
        return f"; it starts at {starts}"
    turn = job.fixed_delay or (run.overlap or job.overlap) is not Overlap.ALLOW
    return f"; it was to start at {starts}, and waits for {'its turn or a worker' if turn else 'a worker'} since"


def _in_its_way(run: Run, about: About) -> str:
    """What keeps a queued run from starting, if everything stays as it is until then."""
    starts = max(run.due_at, about.now)
    match decide(run, about.definition, about.namespace, now=starts):
        case Skip(reason=SkipReason.PAUSED | SkipReason.NAMESPACE_PAUSED) as skip if _may_yet_run(run, about):
            pause = about.namespace.pause_stopping(run.key, starts) if about.namespace else None
            of_all = pause if skip.reason is SkipReason.NAMESPACE_PAUSED else None
            paused = f"the namespace, {pause_text(of_all)}" if of_all else "the job, which is paused"
            return f"; it will be skipped unless {paused}, is resumed before"
        case Skip() as skip:
            return f"; as things stand, it will be skipped: {REASONS[skip.reason]}"
        case _:
            return ""


def _may_yet_run(run: Run, about: About) -> bool:
    """Whether the end of a pause comes in time: of what a schedule named, a pause that is on at its instant keeps it from running."""
    return about.now < run.scheduled_for or not run.key.named_by_schedule


def _late(run: Run) -> str:
    if run.lateness is None:
        return ""
    if run.lateness < timedelta(seconds=10):
        return f", {run.lateness // timedelta(milliseconds=1):,} ms late"
    return f", {format_duration(run.lateness)} late"


def _error(run: Run) -> str:
    if run.error is None:
        return "no error on record"
    return f"{run.error.type}: {_first_line(run.error)}"


def _first_line(error: RunError) -> str:
    return error.message.partition("\n")[0]


def _until(what: str, instant: datetime | None) -> str:
    return f"; {what} until {instant_text(instant)}" if instant else ""
