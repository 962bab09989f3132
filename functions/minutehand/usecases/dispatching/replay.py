"""Replay: a backfill's steps. Every step may be repeated, by anyone, after a crash anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.backfill import Backfill, BackfillState, replayed_by
from minutehand.domain.calendar_filter import calendars_of
from minutehand.domain.instants import floor
from minutehand.domain.job import Definition, JobKey, Overlap
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.overlap_lock import overlap_of_replay
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_successors import cancelled
from minutehand.domain.timer import Deadline
from minutehand.usecases.dispatching.claim import message_for
from minutehand.usecases.dispatching.resend import overdue, resent
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim

WATCH_EVERY = timedelta(minutes=2)
"""How often a backfill is looked at that nobody takes further."""
_TRIES = 5
_NOT_BEGUN = (RunState.QUEUED, RunState.RETRYING)

_Runs = Mapping[datetime, Run]


class _Step(NamedTuple):
    """What a step comes to: the backfill as it is to be stored, and the instants whose runs do not exist yet."""

    after: Backfill
    unclaimed: Sequence[datetime]


def step(ports: Ports, job: JobKey, backfill: str, *, watch: bool = False) -> bool:
    """Count what has ended, and start what comes next, as far as the backfill's concurrency lets it.

    What is taken is stored first, conditionally, and then claimed and sent; whoever comes next claims what is missing. A run
    that was claimed and not sent is sent by a later `watch`. While the namespace is paused, nothing is taken: its run would be skipped.

    Args:
        watch: whether the watchdog asks: then overdue runs are sent again, and the next look is moved on.

    Returns:
        False when it has to be asked again: others kept changing the backfill, or a run was not both claimed and sent.

    Raises:
        Unavailable: when a store does not answer; asking again is safe.
    """
    for _ in range(_TRIES):
        before = ports.backfills.get(job, backfill)
        if before is None or before.next_at is None:
            return True
        found = ports.runs.get([before.run(instant) for instant in before.active])
        runs = {key.scheduled_for: run for key, run in found.items()}
        if before.cancelled_by:
            runs = {instant: _cancelled(run, before.cancelled_by, ports) for instant, run in runs.items()}
        definition, namespace = ports.definitions.governing([job]).of(job)
        now = ports.clock()
        rests = namespace is not None and namespace.paused(now) is not None
        planned = _planned(before, runs, definition, ports, now=now, rests=rests, watch=watch)
        if planned.after != before:
            after = replace(planned.after, version=before.version + 1)
            if not ports.backfills.save(before, after):
                continue
        sent = definition is None or _started(planned, definition, ports, now)
        if watch:
            for run in runs.values():
                if overdue(run, now):
                    resent(run, now, ports)
        return sent
    return False


def _planned(
    before: Backfill,
    runs: _Runs,
    definition: Definition | None,
    ports: Ports,
    *,
    now: datetime,
    rests: bool,
    watch: bool,
) -> _Step:
    ended = {instant: run.state for instant, run in runs.items() if run.state.finished}
    after = before.counting(ended)
    unclaimed = [instant for instant in after.active if instant not in runs]
    if after.state is BackfillState.ACTIVE and _gone(before, definition):
        after = replace(after, state=BackfillState.CANCELLED)
    if after.state is BackfillState.ACTIVE:
        coming = () if rests else _coming(after, definition, ports)
        after, unclaimed = after.taking(coming), [*unclaimed, *coming]
    elif watch:  # whoever was about to claim them when it was ended has done so by now, or died
        after, unclaimed = after.without(unclaimed), []
    else:
        unclaimed = []
    if not after.active and (
        after.state is not BackfillState.ACTIVE or not rests
    ):  # had there been more to take, some would be
        state = BackfillState.DONE if after.state is BackfillState.ACTIVE else after.state
        after = replace(after, state=state, finished_at=now, next_at=None)
    elif watch:
        after = replace(after, next_at=floor(now) + WATCH_EVERY)
    return _Step(after, unclaimed)


def _gone(backfill: Backfill, definition: Definition | None) -> bool:
    """Whether the job was deleted, be there one of the same name again."""
    return definition is None or definition.deleted or definition.created_at != backfill.job_created_at


def _coming(backfill: Backfill, definition: Definition | None, ports: Ports) -> Sequence[datetime]:
    # More than one would only wait for the job's lock, one behind the other.
    alone = definition is not None and definition.job.overlap is not Overlap.ALLOW and not backfill.ignore_overlap
    room = (1 if alone else backfill.concurrency) - len(backfill.active)
    if room <= 0:
        return ()
    calendars = calendars_of(backfill.job, rule_of(backfill.schedule))
    named = replayed_by(backfill, ports.calendars.get(calendars) if calendars else {})
    return backfill.coming(named, room)


def _started(planned: _Step, definition: Definition, ports: Ports, now: datetime) -> bool:
    """Claim the runs that do not exist and send those that are ours: what another has claimed meanwhile, it sends."""
    if not planned.unclaimed:
        return True
    wanted = [_run(planned.after, instant, definition, now) for instant in planned.unclaimed]
    claims = ports.runs.claim(wanted)
    ours = [run for run, claim in zip(wanted, claims, strict=True) if claim is Claim.CLAIMED]
    sent = ports.outbox.send([message_for(run) for run in ours]) if ours else []
    return all(sent) and Claim.FAILED not in claims


def _run(backfill: Backfill, instant: datetime, definition: Definition, now: datetime) -> Run:
    """The run that replays an occurrence. It starts now, not at its instant: how late it is, is told from now on."""
    job = definition.job
    return Run(
        key=backfill.run(instant),
        target=job.target.type,
        revision=definition.revision,
        claimed_at=now,
        expires_at=floor(now) + job.retention,
        start_delay=max(floor(now) - instant, timedelta(0)),
        overlap=overlap_of_replay(job, beside=backfill.ignore_overlap),
    )


def _cancelled(run: Run, who: str, ports: Ports) -> Run:
    """A run of a cancelled backfill: one that has not begun is cancelled. It may be without a message, so a deadline has its end followed
    up."""
    if run.state not in _NOT_BEGUN:
        return run
    now = ports.clock()
    ended = cancelled(run, now, by=who)
    return ports.runs.move_reminding(run, ended, Deadline(run=run.key, next_at=floor(now)))
