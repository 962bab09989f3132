"""Run decisions: what a worker, or the drain, does about the run of a message. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.deadlines import ended_as, ends_by, misses_its_start, start_by
from minutehand.domain.durations import format_duration
from minutehand.domain.instants import to_text
from minutehand.domain.missed_start import MissedStart, WaitedFor
from minutehand.domain.outcome import ErrorType
from minutehand.domain.run import Run, RunError, RunState, SkipReason

if TYPE_CHECKING:
    from minutehand.domain.definition import Definition, Revision
    from minutehand.domain.namespace import Namespace


class Start(NamedTuple):
    """Start the attempt of this number; `takeover` if it replaces an attempt whose worker died, `shadow` if it calls no target."""

    attempt: int
    takeover: bool
    shadow: bool = False


class Skip(NamedTuple):
    """Skip the run: a policy keeps it from starting.

    Attributes:
        revision: number of the revision that the skipped run records; a claim under a later revision may re-open the run.
        blocked_by: id of the other run that keeps this one from starting.
        missed: for a skip by `start_within`, what the skipped run records about it.
    """

    reason: SkipReason
    revision: int
    blocked_by: str = ""
    missed: MissedStart | None = None


class Lose(NamedTuple):
    """Record the run as lost: its worker died, and `why` says what keeps another from taking over."""

    why: str


class Close(NamedTuple):
    """End the run without another attempt. If `error` is None, the run keeps the error of its last attempt."""

    state: RunState
    error: RunError | None = None


class Miss(NamedTuple):
    """End the attempt of a run in `WAITING`: its target sent no answer, or no heartbeat, in time. `taken_over` if another attempt replaces
    it at once, as if its worker had died."""

    error: RunError
    taken_over: bool = False


class Join(NamedTuple):
    """Look at the runs of a run on several nodes: start more of them, or end the run when they have ended."""


class Wait(NamedTuple):
    """Do nothing yet; decide again at `until`."""

    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """Do nothing: the run is gone or has ended, so its message may be deleted."""


Decision = Start | Skip | Lose | Close | Miss | Join | Wait | Done


def decide(
    run: Run | None, definition: Definition | None, namespace: Namespace | None = None, *, now: datetime
) -> Decision:
    """Decide what to do about a run. The run, its definition and its namespace's settings are as read; None where there is none."""
    if run is None or run.state.finished:
        return Done()
    match run.state:
        case RunState.RUNNING:
            return decide_running(run, definition, now)
        case RunState.WAITING:
            return _decide_waiting(run, definition, now)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if run.state is RunState.RETRYING:
        return decide_retrying(run, definition, now)
    if now < run.starts_at:
        return Wait(until=run.starts_at)
    skip = (
        skip_by_policy(run, definition, now)
        or _skip_by_namespace(run, definition, namespace, now)
        or skip_by_start_within(run, definition, now)
    )
    if skip is None and now < run.due_at:  # the run found no free slot, and reads the slots again then
        return Wait(until=run.due_at)
    return skip or Start(attempt=run.attempt + 1, takeover=False)


def decide_running(run: Run, definition: Definition | None, now: datetime) -> Decision:
    """Decide about a run in `RUNNING`: its worker counts as alive until the lease expires, and as dead afterwards."""
    if run.lease_until is not None and now < run.lease_until:
        return Wait(until=run.lease_until)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if definition is not None and (timed_out := run_timeout_reached(run, definition, now)):
        return timed_out
    died = f"attempt {run.attempt} ended without a report"
    if definition is None or deleting_revision(run, definition):
        return Lose(f"{died}, and its job has been deleted")
    if run.takeovers >= definition.job.takeovers:
        return Lose(f"{died}, after {run.takeovers} take-overs; none is left")
    return Start(attempt=run.attempt + 1, takeover=True)


def _decide_waiting(run: Run, definition: Definition | None, now: datetime) -> Decision:
    if run.joins_at is not None:
        return Wait(until=run.wakes_at) if now < run.wakes_at and not run.cancelled_by else Join()
    if run.lease_until is not None and now < run.lease_until:
        return Wait(until=run.lease_until)
    if run.cancelled_by:
        return Close(RunState.CANCELLED)
    if run.deadline_at is None or now >= run.deadline_at:
        return Miss(RunError(ErrorType.ANSWER_MISSED, f"no answer by {to_text(run.deadline_at or now)}"))
    missed = RunError(ErrorType.HEARTBEAT_MISSED, f"no heartbeat by {to_text(run.lease_until or now)}")
    if definition is None or not definition.job.target.taken_over_when_silent:
        return Miss(missed)
    silent = f"attempt {run.attempt} sent {missed.message}"
    if deleting_revision(run, definition):
        return Lose(f"{silent}, and its job has been deleted")
    if run.takeovers >= definition.job.takeovers:
        return Lose(f"{silent}, after {run.takeovers} take-overs; none is left")
    return Miss(missed, taken_over=True)


def decide_retrying(run: Run, definition: Definition | None, now: datetime) -> Decision:
    """Decide about a run in `RETRYING`, which waits for its next attempt."""
    if definition is None or deleting_revision(run, definition):
        return Close(ended_as(run))
    if timed_out := run_timeout_reached(run, definition, now):
        return timed_out
    return Wait(until=run.due_at) if now < run.due_at else Start(attempt=run.attempt + 1, takeover=False)


def run_timeout_reached(run: Run, definition: Definition, now: datetime) -> Close | None:
    """The decision to end a run that has reached its job's `run_timeout`; None before that."""
    last = ends_by(run, definition.job)
    if last is None or now < last:
        return None
    limit = format_duration(definition.job.run_timeout or now - last)
    message = f"the run's limit of {limit} was reached at {to_text(last)}"
    return Close(RunState.TIMED_OUT, RunError(ErrorType.TIMED_OUT, message))


def skip_by_policy(run: Run, definition: Definition | None, now: datetime) -> Skip | None:
    """The policy of its job that keeps a queued run from starting; None where none does.

    A delete of the job keeps every queued run from starting. A pause does so for scheduled runs and for those that parents started.
    For a scheduled run, the revision in effect at `scheduled_for` decides as well: if that revision names the instant, the run
    starts under the newest definition.
    """
    if definition is None:
        return Skip(reason=SkipReason.DELETED, revision=run.revision)
    if (deleted := deleting_revision(run, definition)) is not None:
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
    return superseded(run, definition, governing)


def deleting_revision(run: Run, definition: Definition) -> int | None:
    """Number of the revision that deleted the run's job, even if a job of the same name exists again; None if none kept did.

    A delete concerns the runs that an earlier revision claimed. It does not concern a scheduled run whose newest attempt began
    after the delete, or which has had no attempt and whose instant lies after the delete: about such a run the newer job of the
    name decides. Of runs that no schedule names, only revision numbers are compared with the delete's, since the clocks of
    different functions differ.
    """
    if definition.deleted:
        return definition.revision
    since = (run.started_at or run.scheduled_for) if run.key.named_by_schedule else None
    earlier = (r for r in definition.revisions if r.deleted and run.revision < r.number)
    return next((r.number for r in earlier if since is None or r.effective_from >= since), None)


def _skip_by_namespace(
    run: Run, definition: Definition | None, namespace: Namespace | None, now: datetime
) -> Skip | None:
    """A pause of the namespace that keeps a queued run from starting."""
    if definition is None or namespace is None or namespace.pause_stopping(run.key, now) is None:
        return None
    return Skip(reason=SkipReason.NAMESPACE_PAUSED, revision=definition.revision)


def skip_by_start_within(run: Run, definition: Definition | None, now: datetime) -> Skip | None:
    """The skip of a queued run that has waited for longer than its job's `start_within`, whatever kept it waiting.

    Whether it waited for the overlap lock is not in its record; `minutehand.usecases.running.admit` adds that to the skip.
    """
    within = None if definition is None else definition.job.start_within
    if definition is None or within is None or not misses_its_start(run, within, now):
        return None
    waited_for = WaitedFor.WORKER if run.retry_at is None else WaitedFor.SLOT
    if misses_its_start(run, within, run.claimed_at):
        waited_for = WaitedFor.CLAIM
    return Skip(SkipReason.START_WITHIN, definition.revision, missed=MissedStart(within, waited_for))


def next_check(run: Run, definition: Definition | None, until: datetime) -> datetime:
    """When a worker must check a waiting run again: at `until`, or earlier if the run may not begin any more from then on."""
    last = None if definition is None else start_by(run, definition.job.start_within)
    return until if last is None else min(until, last)


def superseded(run: Run, definition: Definition, governing: Revision) -> Skip | None:
    """The skip of a scheduled run whose instant `governing`, the revision in effect then, does not name; None if the run may start.

    The run always may start if the timer of the governing revision claimed it, or took it over from an earlier revision. Only that
    timer knows what calendars block, how many runs `max_runs` leaves and when a fixed delay is over. If the job has any of these,
    all other runs are skipped. If the timer comes to a skipped run later, it re-opens that run.
    """
    if run.revision in definition.sharing_timer(governing):
        return None
    from minutehand.domain.occurrence_rule import rule_of  # noqa: PLC0415 - most runs were claimed under the revision in effect

    rule = rule_of(governing.rule or "")
    if rule.calendars or rule.max_runs is not None or rule.schedule.delay is not None:
        return Skip(reason=SkipReason.SUPERSEDED, revision=run.revision)
    if rule.names(run.scheduled_for):
        return None
    return Skip(reason=SkipReason.SUPERSEDED, revision=definition.revision)
