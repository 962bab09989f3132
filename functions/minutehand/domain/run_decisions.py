"""Deciding: what a worker, or the drain, does about a run it was told of. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.deadlines import ANSWER_MISSED, HEARTBEAT_MISSED, TIMED_OUT, ended_as, ends_by
from minutehand.domain.durations import format_duration
from minutehand.domain.instants import to_text
from minutehand.domain.run import Run, RunError, RunState, SkipReason

if TYPE_CHECKING:
    from minutehand.domain.job import Definition, Revision
    from minutehand.domain.namespace import Namespace

LEASE_MARGIN = timedelta(seconds=15)
"""How long a lease outlasts the attempt's limit: time to end the call, to report, and for clocks to differ."""


class Start(NamedTuple):
    """Start this attempt; `takeover` when it replaces one whose worker died."""

    attempt: int
    takeover: bool


class Skip(NamedTuple):
    """Record that a policy keeps the run from starting.

    Attributes:
        revision: the one that judged.
        blocked_by: run id of the run in its way.
    """

    reason: SkipReason
    revision: int
    blocked_by: str = ""


class Lose(NamedTuple):
    """Record the run as lost: its worker died, and `why` says what keeps another from taking over."""

    why: str


class Close(NamedTuple):
    """End the run without another attempt; an error of None leaves what the last attempt said."""

    state: RunState
    error: RunError | None = None


class Miss(NamedTuple):
    """End the attempt of a waiting run, from whose target nothing was heard in time."""

    error: RunError


class Wait(NamedTuple):
    """Not now: look again at `until`."""

    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """Nothing is left to do; the message may go."""


Decision = Start | Skip | Lose | Close | Miss | Wait | Done


def decide(
    run: Run | None, definition: Definition | None, namespace: Namespace | None = None, *, now: datetime
) -> Decision:
    """What to do about a run; it, the definition and the namespace's settings, where there are any, were read consistently."""
    if run is None or run.state.finished:
        return Done()
    match run.state:
        case RunState.RUNNING:
            return _decide_running(run, definition, now)
        case RunState.WAITING:
            return _decide_waiting(run, now)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if run.state is RunState.RETRYING:
        return _decide_retrying(run, definition, now)
    if now < run.starts_at:
        return Wait(until=run.starts_at)
    stopped = _judge(run, definition, now) or _in_a_pause_of_all(run, definition, namespace, now)
    if stopped is None and now < run.due_at:  # it looks for a slot again
        return Wait(until=run.due_at)
    return stopped or Start(attempt=run.attempt + 1, takeover=False)


def _decide_running(run: Run, definition: Definition | None, now: datetime) -> Decision:
    if run.lease_until is not None and now < run.lease_until:
        return Wait(until=run.lease_until)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if definition is not None and (over := _over(run, definition, now)):
        return over
    died = f"attempt {run.attempt} ended without a report"
    if definition is None or _deletion(run, definition):
        return Lose(f"{died}, and its job has been deleted")
    if run.takeovers >= definition.job.takeovers:
        return Lose(f"{died}, after {run.takeovers} take-overs; none is left")
    return Start(attempt=run.attempt + 1, takeover=True)


def _decide_waiting(run: Run, now: datetime) -> Decision:
    if run.lease_until is not None and now < run.lease_until:
        return Wait(until=run.lease_until)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if run.deadline_at is None or now >= run.deadline_at:
        return Miss(RunError(ANSWER_MISSED, f"no answer by {to_text(run.deadline_at or now)}"))
    return Miss(RunError(HEARTBEAT_MISSED, f"nothing was heard by {to_text(run.lease_until or now)}"))


def _decide_retrying(run: Run, definition: Definition | None, now: datetime) -> Decision:
    if definition is None or _deletion(run, definition):
        return Close(ended_as(run))
    if over := _over(run, definition, now):
        return over
    return Wait(until=run.due_at) if now < run.due_at else Start(attempt=run.attempt + 1, takeover=False)


def _over(run: Run, definition: Definition, now: datetime) -> Close | None:
    """Whether the limit of the whole run is reached."""
    last = ends_by(run, definition.job)
    if last is None or now < last:
        return None
    limit = format_duration(definition.job.run_timeout or now - last)
    return Close(RunState.TIMED_OUT, RunError(TIMED_OUT, f"the run's limit of {limit} was reached at {to_text(last)}"))


def _judge(run: Run, definition: Definition | None, now: datetime) -> Skip | None:
    """The policy that keeps a queued run from starting, if there is one.

    A run that a person asked for is stopped by a delete alone, one that parents started by a pause too. Of scheduled ones, the
    revision in effect at `scheduled_for` decides: if it names the instant, the run goes ahead under the newest definition.
    """
    if definition is None:
        return Skip(reason=SkipReason.DELETED, revision=run.revision)
    if (deleted := _deletion(run, definition)) is not None:
        return Skip(reason=SkipReason.DELETED, revision=deleted)
    if definition.job.is_paused(now) and (run.key.named_by_schedule or run.key.started_by_parents):
        return Skip(reason=SkipReason.PAUSED, revision=definition.revision)
    if not run.key.named_by_schedule:
        return None
    governing = definition.in_effect_at(run.scheduled_for)
    if governing is None:
        return None
    if governing.rule is None:
        stopped_by = SkipReason.DELETED if governing.deleted else SkipReason.PAUSED
        return Skip(reason=stopped_by, revision=definition.revision)
    if governing.paused_until is not None and run.scheduled_for < governing.paused_until:
        return Skip(reason=SkipReason.PAUSED, revision=definition.revision)
    return _superseded(run, definition, governing)


def _deletion(run: Run, definition: Definition) -> int | None:
    """The revision that deleted the job that a run is of, be there one of the same name again, as far as that is remembered.

    What a schedule named for an instant after that may be the other job's as well, which says so itself; so may its attempts.
    Whatever else was asked for is of the job that it was asked of, whenever its attempts began by whose clock.
    """
    if definition.deleted:
        return definition.revision
    since = (run.started_at or run.scheduled_for) if run.key.named_by_schedule else None
    earlier = (r for r in definition.revisions if r.deleted and run.revision < r.number)
    return next((r.number for r in earlier if since is None or r.effective_from >= since), None)


def _in_a_pause_of_all(
    run: Run, definition: Definition | None, namespace: Namespace | None, now: datetime
) -> Skip | None:
    """Whether a pause of the namespace is in the run's way."""
    if definition is None or namespace is None or namespace.pause_stopping(run.key, now) is None:
        return None
    return Skip(reason=SkipReason.NAMESPACE_PAUSED, revision=definition.revision)


def _superseded(run: Run, definition: Definition, governing: Revision) -> Skip | None:
    """Whether a run was claimed under a revision that an edit has replaced since, and has no place in the new one.

    What the governing revision has claimed itself it need not be asked about. What calendars block, how many runs are left and when
    a fixed delay is over is known to a timer alone, so of such a job only what the timer of that revision has claimed, or taken over, goes ahead; the
    timer may still come to one that is skipped here, and opens it again.
    """
    if run.revision in definition.sharing_timer(governing):
        return None
    from minutehand.domain.occurrence_rule import rule_of  # noqa: PLC0415 - most runs are claimed under the revision that governs them

    rule = rule_of(governing.rule or "")
    if rule.calendars or rule.max_runs is not None or rule.schedule.delay is not None:
        return Skip(reason=SkipReason.SUPERSEDED, revision=run.revision)
    if rule.names(run.scheduled_for):
        return None
    return Skip(reason=SkipReason.SUPERSEDED, revision=definition.revision)
