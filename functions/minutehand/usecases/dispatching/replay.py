"""Replay: the steps of a backfill, which create its runs. Any process may repeat any step, after a crash anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.backfill import Backfill, BackfillState, replayed
from minutehand.domain.calendar_filter import calendars_of
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict
from minutehand.domain.instants import floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.overlap_lock import overlap_of_replay
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_successors import cancelled
from minutehand.domain.timer import Deadline
from minutehand.usecases.dispatching.send import message_for, overdue, resend_each
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict

WATCH_EVERY = timedelta(minutes=2)
"""Interval of a backfill's watchdog, the timer that steps a backfill when no end of a run does."""
RESEND_AFTER = timedelta(minutes=10)
"""Minimum time between two resends of a backfill's run, so that resends do not lengthen a queue that is merely long."""


class _Step(NamedTuple):
    """The backfill as a step stores it, and the instants whose runs do not exist yet."""

    after: Backfill
    unclaimed: Sequence[datetime]


def step(ports: Ports, job: JobKey, backfill: str, *, watch: bool = False) -> bool:
    """Count runs that have ended, and start the next ones up to the backfill's concurrency.

    The step first stores the next instants as active, if the backfill is as it was read; then it claims and sends their runs. If it
    dies in between, a later step claims missing runs, and the watchdog sends runs that were claimed but not sent. While the
    namespace is paused no instant is taken, since its run would be skipped.

    Args:
        watch: whether the watchdog makes this call. Then overdue runs are sent again, and the watchdog's next instant is set.

    Returns:
        False when the step must be repeated: too many concurrent updates, or a run was not both claimed and sent.

    Raises:
        Unavailable: when a store does not answer; repeating the step is safe.
    """

    def update() -> bool | Contended[None]:
        before = ports.backfills.get(job, backfill)
        if before is None or before.next_at is None:
            return True
        found = ports.runs.get([before.run(instant) for instant in before.active])
        runs = {key.scheduled_for: run for key, run in found.items()}
        definition, namespace = ports.definitions.governing([job]).of(job)
        if before.cancelled_by:
            runs = {instant: _cancelled(run, definition, before.cancelled_by, ports) for instant, run in runs.items()}
        now = ports.clock()
        paused = namespace is not None and namespace.paused(now) is not None
        planned = plan_step(before, runs, definition, ports, now=now, paused=paused, watch=watch)
        if planned.after != before:
            after = replace(planned.after, version=before.version + 1)
            if not ports.backfills.save(before, after):
                return CONTENDED
        sent = definition is None or start_step(planned, definition, ports, now)
        if watch:
            resend_each([run for run in runs.values() if overdue(run, now, wait=RESEND_AFTER)], now, ports)
        return sent

    try:
        return retry_on_conflict(update, f"backfill {backfill} of {job}")
    except Conflict:
        return False


def plan_step(
    before: Backfill,
    runs: Mapping[datetime, Run],
    definition: Definition | None,
    ports: Ports,
    *,
    now: datetime,
    paused: bool,
    watch: bool,
) -> _Step:
    ended = {instant: run.state for instant, run in runs.items() if run.state.finished}
    after = before.counting(ended)
    unclaimed = [instant for instant in after.active if instant not in runs]
    # The job was deleted, even if one of the same name has been created since.
    deleted = definition is None or definition.deleted or definition.created_at != before.job_created_at
    if after.state is BackfillState.ACTIVE and deleted:
        after = replace(after, state=BackfillState.CANCELLED)
    if after.state is BackfillState.ACTIVE:
        coming = () if paused else _coming(after, definition, ports)
        after, unclaimed = after.taking(coming), [*unclaimed, *coming]
    elif (
        watch
    ):  # a process that was about to claim these runs as the backfill was cancelled has done so by now, or died
        after, unclaimed = after.without(unclaimed), []
    else:
        unclaimed = []
    # Unless the namespace is paused, this step has made all further instants active that fit.
    exhausted = after.state is not BackfillState.ACTIVE or not paused
    if not after.active and exhausted:
        state = BackfillState.DONE if after.state is BackfillState.ACTIVE else after.state
        after = replace(after, state=state, finished_at=now, next_at=None)
    elif watch:
        after = replace(after, next_at=floor(now) + WATCH_EVERY)
    return _Step(after, unclaimed)


def _coming(backfill: Backfill, definition: Definition | None, ports: Ports) -> Sequence[datetime]:
    # One at a time if runs must not overlap: all others would only wait for the job's overlap lock.
    alone = definition is not None and definition.job.overlap is not Overlap.ALLOW and not backfill.ignore_overlap
    room = (1 if alone else backfill.concurrency) - len(backfill.active)
    if room <= 0:
        return ()
    rule = rule_of(backfill.rule)
    calendars = calendars_of(backfill.job, rule)
    named = replayed(rule, backfill.job.namespace, ports.calendars.get(calendars) if calendars else {})
    return backfill.coming(named, room)


def start_step(planned: _Step, definition: Definition, ports: Ports, now: datetime) -> bool:
    """Claim a step's missing runs, and send those that this call claimed. Returns whether no claim and no message failed. A run
    that another process claimed is sent by that process."""
    if not planned.unclaimed:
        return True
    backfill, job = planned.after, definition.job
    wanted = [
        Run(
            key=backfill.run(instant),
            target=job.target.type,
            revision=definition.revision,
            claimed_at=now,
            expires_at=floor(now) + job.retention,
            start_delay=max(floor(now) - instant, timedelta(0)),  # lateness is counted from now, not from its instant
            overlap=overlap_of_replay(job, beside=backfill.ignore_overlap),
        )
        for instant in planned.unclaimed
    ]
    claims = ports.runs.claim(wanted)
    ours = [run for run, claim in zip(wanted, claims, strict=True) if claim is Claim.CLAIMED]
    sent = ports.outbox.send([message_for(run) for run in ours]) if ours else []
    return all(sent) and Claim.FAILED not in claims


def _cancelled(run: Run, definition: Definition | None, who: str, ports: Ports) -> Run:
    """Cancel a run of a cancelled backfill if it is queued or retrying; return the run. It may have no message, so a deadline timer
    has its end followed up."""
    if run.state not in (RunState.QUEUED, RunState.RETRYING):
        return run
    now = ports.clock()
    ended = cancelled(run, definition, now, by=who)
    return ports.runs.move_reminding(run, ended, Deadline(run=run.key, next_at=floor(now)))
