"""Sentences that explain the state of a run, and phrases that the other sentences of the endpoint `explain` share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from minutehand.domain.deadlines import start_by
from minutehand.domain.definition import Definition
from minutehand.domain.durations import format_duration
from minutehand.domain.findings import Finding, Lateness, common_message
from minutehand.domain.instants import floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace, NamespacePause
from minutehand.domain.overlap_lock import was_replaced
from minutehand.domain.policies import Overlap
from minutehand.domain.revision_history import PastRevision, Pause
from minutehand.domain.run import Run, RunError, RunState, SkipReason
from minutehand.domain.run_decisions import Skip, decide
from minutehand.domain.run_key import RunKey
from minutehand.domain.shadow import ShadowOf
from minutehand.entrypoints.api.rendering.run_phrases import (
    REASONS,
    SHADOWS,
    behind_text,
    endpoint_text,
    held_text,
    instant_text,
    lateness_text,
    nodes_text,
    skip_text,
    waits_text,
)
from minutehand.usecases.dispatching.claim import SPREAD
from minutehand.usecases.dispatching.send import overdue_at
from minutehand.usecases.queries.lock_waits import LockWait
from minutehand.usecases.queries.run_nodes import RunNode

_SOON = timedelta(seconds=10)
"""Sentences call a queued run waiting, and runs of a shared finding late, only beyond this."""


class Context(NamedTuple):
    """What is known about a job when a finding about it is put into a sentence.

    Attributes:
        definition: the job as it is now.
        deleted_parents: those of its parents that were deleted.
        look_ahead: how long before an occurrence a tick may claim it.
        namespace: the settings of its namespace, if any.
        holders: by run that waits for a slot, the runs that hold the slots of its limit, as far as they were read.
        lock_waits: by run that is due, its wait for another run of its job, or None if it waits for none; as far as that was read.
        lost: by run that replaces a lost one, the lost run.
        shadow_of: what puts the job in shadow now.
    """

    definition: Definition
    deleted_parents: Collection[JobKey]
    look_ahead: timedelta
    namespace: Namespace | None
    now: datetime
    holders: Mapping[RunKey, Sequence[Run]] = MappingProxyType({})
    lock_waits: Mapping[RunKey, LockWait | None] = MappingProxyType({})
    lost: Mapping[RunKey, RunKey] = MappingProxyType({})
    shadow_of: ShadowOf | None = None
    nodes: Mapping[RunKey, Sequence[RunNode]] = MappingProxyType({})


def of_runs(finding: Finding, context: Context) -> str:
    """The sentence of a finding about a run, or about several runs alike: their state, and what created the run."""
    run = finding.run
    if run is None:
        raise ValueError(f"a finding of the kind {finding.kind.value} without its run")
    times = finding.times or 1
    if run.state is RunState.SKIPPED:
        why = _pause(finding, run) or _namespace_pause(run, context) or skip_text(run, times)
        return f"{'' if times == 1 else f'{times} runs '}skipped: {why}"
    if times > 1:
        return _alike(run, times, finding.lateness)
    return f"{_origin(run, context)}{_state(run, context)}"


def _pause(finding: Finding, run: Run) -> str:
    """The pause of the job because of which a run was skipped, in words; empty if no record shows it."""
    pause = finding.pause
    if pause is None:
        return ""
    if finding.was_paused_at_its_instant:
        return f"the job was {job_pause_text(pause)}"
    begun = pause.begun.effective_from
    paused = f"the job was paused at {instant_text(begun)}{who_text(pause.begun)}"
    # The instant of a child run may be the start of a window, long before its parents' runs created it.
    due = run.starts_at if run.key.named_by_schedule else max(run.starts_at, floor(run.claimed_at))
    if due <= begun:
        return f"it was due at {instant_text(due)}, and still waiting when {paused}"
    return f"{paused}, before the run could start"


def _alike(run: Run, times: int, lateness: Lateness | None) -> str:
    """What became of several runs that ended alike; `run` is the first."""
    state = run.state.value.replace("_", " ")
    at = "at the first attempt" if run.attempt == 1 else f"after {run.attempt} attempts"
    failed = "" if run.state is RunState.SUCCEEDED else f": {_error(run, common_message(run.error))}"
    return f"{times:,} runs {state} {at}{_late_alike(lateness)}{failed}"


def _late_alike(lateness: Lateness | None) -> str:
    """How late several runs began, if at least one began remarkably late."""
    if lateness is None or lateness.most < _SOON:
        return ""
    least, most = lateness_text(lateness.least), lateness_text(lateness.most)
    if lateness.least < _SOON:
        return f", up to {most} late"
    return f", {most} late" if least == most else f", {least} to {most} late"


def _namespace_pause(run: Run, context: Context) -> str:
    """The pause of the namespace because of which a run was skipped, in words; empty if no record shows it."""
    if run.skip_reason is not SkipReason.NAMESPACE_PAUSED or context.namespace is None or run.finished_at is None:
        return ""
    pause = context.namespace.pause_that_skipped(run.key, run.finished_at)
    return "" if pause is None else f"the namespace was {pause_text(pause)}"


def _origin(run: Run, context: Context) -> str:
    """What created a run, as the start of a sentence; empty if the job's schedule did."""
    if run.key.named_by_schedule:
        return ""
    if lost := context.lost.get(run.key):
        return f"replaces the lost run {lost.run_id}: "
    kind = run.key.run_id.partition("~")[2].partition("-")[0]
    named = {"trigger": "triggered", "backfill": "a backfill", "child": "started by its parents' runs"}.get(kind, kind)
    parents = f" ({', '.join(f'{each.job} {each.run_id}' for each in run.parents)})" if run.parents else ""
    return f"{named}{parents}: "


def _state(run: Run, context: Context) -> str:
    attempt = f"attempt {run.attempt}{endpoint_text(run)}"
    cancelling = f"; cancel requested by {run.cancelled_by}" if run.cancelled_by else ""
    match run.state:
        case RunState.QUEUED:
            return f"queued{_queued(run, context)}{_expected_skip(run, context)}"
        case RunState.RUNNING:
            return f"running: {attempt}, since {instant_text(run.started_at)}{_lease(run, context)}{_deaths(run)}{cancelling}"
        case RunState.WAITING:
            whom = f"its runs {nodes_text(nodes)}" if (nodes := context.nodes.get(run.key)) else "its target's answer"
            return f"waiting for {whom}: {attempt}{_limit('its deadline is', run.deadline_at)}{cancelling}"
        case RunState.RETRYING:
            starts = f"starts at {instant_text(run.retry_at)}"
            waits = f"{_waits(run, context)} {instant_text(run.retry_at)}" if run.waits_for else starts
            if wait := context.lock_waits.get(run.key):
                waits = behind_text(wait)
            return f"retrying: {attempt} ended with {_error(run)}, and the next {waits}"
        case RunState.SUCCEEDED:
            return f"succeeded: {attempt}{_late(run)}{_deaths(run)}"
        case RunState.CANCELLED:
            replaced = " (overlap: replace)" if was_replaced(run) else ""
            return f"cancelled by {run.cancelled_by or 'an unknown caller'}{replaced}"
        case RunState.LOST:
            new = next((new for new, lost in context.lost.items() if lost == run.key), None)
            replaced = f"; replaced by run {new.run_id}" if new else ""
            return f"lost: {_first_line(run.error) if run.error else 'no error recorded'}{replaced}"
        case _:
            return f"{run.state.value.replace('_', ' ')}: {attempt}{_late(run)}, {_error(run)}{_deaths(run)}"


def _queued(run: Run, context: Context) -> str:
    job, starts = context.definition.job, instant_text(run.due_at)
    if run.retry_at is not None and context.now >= overdue_at(run):
        return f": {_waits_for(run, context)}; it was to try again at {starts}, so the sweep sends it again"
    if run.retry_at is not None:
        return f": {_waits(run, context)} {starts}"
    if context.now < run.due_at:
        return f"; it starts at {starts}"
    if wait := context.lock_waits.get(run.key):
        return f" since {starts}: {behind_text(wait)}"
    caught_up = run.key.named_by_schedule and run.claimed_at - run.starts_at > job.misfire_grace
    if caught_up and context.now < run.claimed_at + SPREAD + _SOON:
        spread = f"missed occurrences start within {format_duration(SPREAD)} of that"
        return f" since {starts}: it was claimed late, at {instant_text(run.claimed_at)}; {spread}"
    if context.now < run.due_at + _SOON:
        return f"; it has been due since {starts}"
    # A worker has not seen a run that the lock, if it was read, does not list; of a fixed delay, the time may not be over.
    unread = run.key not in context.lock_waits
    turn = job.fixed_delay or (unread and (run.overlap or job.overlap) is not Overlap.ALLOW)
    return f" since {starts}, waiting for {'its turn or a worker' if turn else 'a worker'}"


def _lease(run: Run, context: Context) -> str:
    """Until when the run belongs to its worker, or that this worker is gone."""
    if run.lease_until is None or context.now < run.lease_until + _SOON:
        return _limit("its worker's lease ends at", run.lease_until)
    job = context.definition.job
    slot = ", once it finds a free slot" if job.limits or job.max_concurrency else ""
    return f"; its worker is gone: its lease ended at {instant_text(run.lease_until)}. Another worker takes the run over{slot}"


def _waits(run: Run, context: Context) -> str:
    return f"{_waits_for(run, context)}; it tries again at"


def _waits_for(run: Run, context: Context) -> str:
    return f"waits for {waits_text(run.waits_for)}{held_text(run, context.holders.get(run.key))}"


def _expected_skip(run: Run, context: Context) -> str:
    """Why a queued run will be skipped, if nothing changes before it starts."""
    starts = max(run.due_at, context.now)
    # A scheduled run is skipped if a pause was in effect at its instant. Resuming helps as long as that may still change.
    passed = run.key.named_by_schedule and run.scheduled_for <= context.now
    match decide(run, context.definition, context.namespace, now=starts):
        case Skip(reason=SkipReason.PAUSED):
            governing = context.definition.in_effect_at(run.scheduled_for)
            if passed and governing and governing.paused_at(run.scheduled_for):
                return "; it will be skipped: the job was paused at its scheduled instant"
            return "; it will be skipped unless the job is resumed first"
        case Skip(reason=SkipReason.NAMESPACE_PAUSED):
            pause = context.namespace.pause_stopping(run.key, starts) if context.namespace else None
            if pause and passed and pause.covers(run.scheduled_for):
                return f"; it will be skipped: the namespace was {pause_text(pause)}"
            named = f" ({pause_text(pause)})" if pause else ""
            return f"; it will be skipped unless the namespace{named} is resumed first"
        case Skip(reason=SkipReason.START_WITHIN):
            return f"; it will be skipped, since it has not begun by {_last_start(run, context)}"
        case Skip() as skip:
            return f"; it will be skipped: {REASONS[skip.reason]}"
        case _:
            last = _last_start(run, context)
            late = f"; it will be skipped if it has not begun by {last}" if last else ""
            return f"{late}{shadow_text(context, run)}"


def shadow_text(context: Context, run: Run | None = None) -> str:
    """That a run, or the next one, will call no target, as the end of a sentence; empty if it will."""
    if run is not None and run.shadow:
        return "; it will call no target: a shadow run started it"
    return f"; it will call no target: {SHADOWS[context.shadow_of]}" if context.shadow_of else ""


def _last_start(run: Run, context: Context) -> str:
    """The instant until which a run may begin, with the field that sets it; empty if none does."""
    last = start_by(run, context.definition.job.start_within)
    return f"{instant_text(last)} (start_within)" if last else ""


def _late(run: Run) -> str:
    """How late a run began: its first attempt."""
    if run.lateness is None:
        return ""
    return f", {'first attempt ' if run.attempt > 1 else ''}{lateness_text(run.lateness)} late"


def _deaths(run: Run) -> str:
    """Which attempts ended without a report, because their workers died, and how late the newest attempt began for that."""
    died = [str(each.number) for each in run.attempts if each.died]
    if not died or run.started_at is None:
        return ""
    *others, last = died
    lost = f"attempts {', '.join(others)} and {last}" if others else f"attempt {last}"
    whose = "their workers died" if others else "its worker died"
    begun = lateness_text(run.started_at - run.starts_at)
    return f"; {lost} ended without a report ({whose}), and attempt {run.attempt} began {begun} late"


def _error(run: Run, message: str = "") -> str:
    """The run's error in a line; with `message` in place of its own, if that is given."""
    if run.error is None:
        return "no error recorded"
    return f"{run.error.type}: {message or _first_line(run.error)}"


def _first_line(error: RunError) -> str:
    return error.message.partition("\n")[0]


def _limit(what: str, instant: datetime | None) -> str:
    return f"; {what} {instant_text(instant)}" if instant else ""


def pause_text(pause: NamespacePause) -> str:
    """When a namespace was paused, and by which token."""
    resumed = f"; resumed by {pause.ended_by}" if pause.ended_by else ""
    ends = f"to {instant_text(pause.ends)}" if pause.ends else "on"
    return f"paused from {instant_text(pause.begun)} {ends} by {pause.who}{resumed}"


def job_pause_text(pause: Pause) -> str:
    """When a job was paused, and by which token; and what ended the pause."""
    begun = f"paused from {instant_text(pause.begun.effective_from)}"
    ends = " on" if pause.until is None else f" to {instant_text(pause.until)}"
    ended = f"; {pause.ended.did.value}{who_text(pause.ended)}" if pause.ended else ""
    return f"{begun}{ends}{who_text(pause.begun)}{ended}"


def who_text(revision: PastRevision) -> str:
    """The token that made a revision, as the end of a phrase; empty if it is not on record."""
    return f" by {revision.who}" if revision.who else ""
