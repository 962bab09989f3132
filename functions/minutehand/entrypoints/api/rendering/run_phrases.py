"""Phrases about runs that their documents and the sentences of `explain` share: why one was skipped, what one waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from minutehand.domain.durations import format_duration
from minutehand.domain.instants import floor, to_text
from minutehand.domain.missed_start import MissedStart, WaitedFor
from minutehand.domain.run import Run, SkipReason
from minutehand.domain.shadow import ShadowOf
from minutehand.domain.taken_limit import TakenLimit
from minutehand.usecases.queries.lock_waits import LockWait
from minutehand.usecases.queries.run_nodes import RunNode
from minutehand.usecases.queries.slot_holders import MOST_SLOTS

REASONS = {
    SkipReason.PAUSED: "the job was paused when the run was due to start, or at its scheduled instant",
    SkipReason.DELETED: "the job was deleted before the run started",
    SkipReason.SUPERSEDED: "an edit took effect before the run's scheduled instant, which the new schedule does not include",
    SkipReason.OVERLAP: "another run of the job was active or waiting",
    SkipReason.REPLACED: "a later run took this run's place while this run waited",
    SkipReason.NAMESPACE_PAUSED: "the namespace was paused when the run was due to start, or at its scheduled instant",
    SkipReason.START_WITHIN: "it had not begun when its job's start_within was over",
    SkipReason.SHADOW: "shadow: its target was not called",
    SkipReason.TARGET: "its target reported that there was nothing to do",
}
SHADOWS = {
    ShadowOf.JOB: "the job is in shadow",
    ShadowOf.NAMESPACE: "the namespace is in shadow",
    ShadowOf.STACK: "the stack is in shadow",
}

MOST_NAMED = 10
"""Most holders of slots that a phrase names."""


def skip_text(run: Run, times: int = 1) -> str:
    """Why a run was skipped, with the run that blocked it; of several runs skipped alike, `run` is the first."""
    if run.skip_reason is None:
        return "no reason was recorded"
    if run.missed_start is not None:
        return f"{missed_text(run, run.missed_start, times)}; {_last_waited(run, run.missed_start, several=times > 1)}"
    blocker = f": run {run.blocked_by}" if run.blocked_by else ""
    if (
        run.skip_reason is SkipReason.SHADOW and run.error is not None
    ):  # it is described, and could not have been called
        blocker = f", and a call would have failed: {run.error.type}: {run.error.message}"
    return f"{REASONS[run.skip_reason]}{blocker}"


def missed_text(run: Run, missed: MissedStart, times: int = 1) -> str:
    """Within which time a run had not begun."""
    who, start = ("it", instant_text(run.starts_at)) if times == 1 else ("they", "their starts")
    return f"{who} had not begun within {format_duration(missed.within)} of {start} (start_within)"


def _last_waited(run: Run, missed: MissedStart, *, several: bool) -> str:
    it, them = ("they", "them") if several else ("it", "it")
    match missed.waited_for:
        case WaitedFor.CLAIM:
            return f"{it} {'were' if several else 'was'} claimed later than that"
        case WaitedFor.WORKER:
            return f"no worker took {them} up in time"
        case WaitedFor.LOCK:
            return f"{it} last waited for run {run.blocked_by}"
        case WaitedFor.SLOT:
            return f"{it} last waited for {waits_text(run.waits_for)}"


def waits_text(taken: TakenLimit | None) -> str:
    """The limit or the pool that a run waits for; without one, other runs kept taking the slots that it found free."""
    return "a free slot" if taken is None else taken.text


def held_text(run: Run, holders: Sequence[Run] | None) -> str:
    """The runs that hold the slots for which a run waits, as the end of a phrase; empty if they were not read. Of a large limit, not all slots are."""
    if holders is None or run.waits_for is None:
        return ""
    if not holders:
        return " when it last looked; free by now"
    more = len(holders) - MOST_NAMED
    unread = "at least " if run.waits_for.most > MOST_SLOTS else ""
    others = f" and {unread}{more:,} more" if more > 0 else ""
    return f", now held by {', '.join(f'{each.key.job} {each.key.run_id}' for each in holders[:MOST_NAMED])}{others}"


def behind_text(wait: LockWait) -> str:
    """The run of its job for which a run waits, and how many others come before it."""
    others = f", {wait.before:,} {'run' if wait.before == 1 else 'runs'} before it" if wait.before else ""
    return f"waits for run {wait.behind.run_id} of this job (overlap: {wait.overlap.value}){others}"


def nodes_text(nodes: Sequence[RunNode]) -> str:
    """On how many nodes a run is, and how many of them are in which state: `on 3 nodes (1 succeeded, 2 waiting)`."""
    states = Counter("not started" if node.run is None else node.run.state.value.replace("_", " ") for node in nodes)
    counts = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    return f"on {len(nodes):,} {'node' if len(nodes) == 1 else 'nodes'} ({counts})"


def lateness_text(lateness: timedelta) -> str:
    """How late something began: `412ms`, `1.2s`, and rounded to seconds from ten seconds on, as the command line rounds them."""
    whole = lateness / timedelta(milliseconds=1)
    if whole < 999.5:
        return f"{whole:.0f}ms"
    return f"{whole / 1000:.1f}s" if whole < 9_950 else format_duration(timedelta(seconds=round(whole / 1000)))


def instant_text(instant: datetime | None) -> str:
    """An instant as text, in UTC and whole seconds."""
    return "an unknown time" if instant is None else to_text(floor(instant))


def endpoint_text(run: Run) -> str:
    """The endpoint that the newest attempt called last, and those that it tried before, as the end of a phrase; empty if it has none."""
    tried = [visit.endpoint for visit in run.visits if visit.attempt == run.attempt]
    if not tried:
        return ""
    *before, last = tried
    return f" at {last}" + (f" (not reached: {', '.join(before)})" if before else "")
