"""Manage: save, pause, resume and delete a job. Each is one transaction, after what was due has been dispatched."""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from minutehand.domain.errors import Conflict, FieldProblem, Invalid, NotFound
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job import Definition, Job, JobKey
from minutehand.domain.run import RunKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.definitions.dependency_graph import lineage_for
from minutehand.usecases.definitions.revise import (
    calendars_for,
    check_comes,
    keeps_its_place,
    revised,
    well,
    with_timer,
)
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.dispatching.fixed_delay import arm_next
from minutehand.usecases.dispatching.skip import give_up_backlog
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.job_change import Change

_TRIES = 5
_SETTLING_PASSES = 20
_NOBODY: Set[JobKey] = frozenset()
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

Edit = Callable[[Definition | None], Job | None]
"""From the definition as it stands (None: there is none) to the job that is wanted (None: deleted)."""


class Saved(NamedTuple):
    """A definition as it now stands; whether the job is new, and whether anything changed."""

    definition: Definition
    created: bool
    changed: bool


def get(ports: Ports, key: JobKey) -> Definition:
    """The definition of a job.

    Raises:
        NotFound: when there is no such job.
    """
    return _existing(ports.definitions.get([key]).get(key), key)


def save(ports: Ports, job: Job, *, keep_paused: bool, who: str) -> Saved:
    """Create a job, or replace its definition. The same definition again changes nothing.

    Args:
        keep_paused: leave a pause as it stands in an earlier definition, whatever the job says.

    Raises:
        ScheduleError: when the schedule cannot be read.
        Invalid: when it names no instant any more, a calendar or a parent does not exist, or it would come to depend on itself.
        Conflict: when others keep changing the job.
    """

    def edit(before: Definition | None) -> Job:
        return _with_pause(job, before, keep=keep_paused, now=ports.clock())

    return _change(ports, job.key, edit, who)


def preview(ports: Ports, job: Job, *, keep_paused: bool, who: str, expected: Set[JobKey] = _NOBODY) -> Saved:
    """What `save` would do and answer, without doing it; raises as `save` does.

    Args:
        expected: parents that are taken to be there, since they are to be saved first.
    """
    before = ports.definitions.get([job.key]).get(job.key)
    now = max(floor(ports.clock()), _last_effective_from(before))
    live = before is not None and not before.deleted
    wanted = _with_pause(job, before, keep=keep_paused, now=ports.clock())
    if before and live and _same(wanted, before.job):
        return Saved(definition=before, created=False, changed=False)
    after = revised(before, wanted, now=now, who=who)
    check_comes(before, after, calendars_for(after, ports), now=now)
    lineage_for(before, after, ports, expected=expected)
    return Saved(definition=after, created=not live, changed=True)


def pause(ports: Ports, key: JobKey, *, until: datetime | None = None, who: str) -> Saved:
    """Stop a job's runs until it is resumed, or up to an instant (aware, whole seconds); those that have begun go on.

    Raises:
        Invalid: when `until` is not ahead.
        NotFound, Conflict: as the others do.
    """
    now = ports.clock()
    if until is not None and until <= now:
        message = f"{to_text(until)} is not ahead: it is {to_text(floor(now))}"
        raise Invalid(FieldProblem("until", message, "give a later instant, or none to pause it until it is resumed"))
    return _change(
        ports, key, lambda before: replace(_existing(before, key).job, paused=until is None, paused_until=until), who
    )


def resume(ports: Ports, key: JobKey, *, who: str) -> Saved:
    """Let a paused job run again, from now on. Raises NotFound, Conflict."""

    def edit(before: Definition | None) -> Job:
        job = replace(_existing(before, key).job, paused=False, paused_until=None)
        return _with_pause(job, before, keep=False, now=ports.clock())

    return _change(ports, key, edit, who)


def delete(ports: Ports, key: JobKey, *, who: str) -> None:
    """Delete a job; its runs stay until their retention is over. Raises NotFound, Conflict."""

    def gone(before: Definition | None) -> None:
        _existing(before, key)

    _change(ports, key, gone, who)


def _with_pause(job: Job, before: Definition | None, *, keep: bool, now: datetime) -> Job:
    """The job, paused as its earlier definition was (`keep`) or as it says itself.

    A pause that has ended by itself stays written down: a job that is not paused is then no other than it was, and keeps its place.
    """
    if before is None or before.deleted:
        return job
    old, ended = before.job, not before.job.is_paused(now)
    if keep or (ended and not job.is_paused(now)):
        return replace(job, paused=old.paused, paused_until=old.paused_until)
    return job


def _same(job: Job, other: Job) -> bool:
    """Whether two definitions are one, told apart as JSON tells: a payload of `true` is not one of `1`."""
    return job == other and json.dumps(job.payload, sort_keys=True) == json.dumps(other.payload, sort_keys=True)


def _existing(definition: Definition | None, key: JobKey) -> Definition:
    if definition is None or definition.deleted:
        raise NotFound(f"there is no job {key}")
    return definition


def _change(ports: Ports, key: JobKey, edit: Edit, who: str) -> Saved:
    for _ in range(_TRIES):
        before = ports.definitions.get([key]).get(key)
        job = edit(before)
        timer = ports.timers.get(key)
        if before and not before.deleted and job and _same(job, before.job) and well(timer, before):
            return Saved(definition=before, created=False, changed=False)
        now = max(floor(ports.clock()), _last_effective_from(before))
        after = revised(before, job, now=now, who=who)
        calendars = calendars_for(after, ports)
        if not keeps_its_place(timer, after):
            timer, now = _settled(ports, key, no_earlier_than=now)
            after = revised(before, job, now=now, who=who)
        check_comes(before, after, calendars, now=now)
        lineage = lineage_for(before, after, ports)
        change = with_timer(before, after, timer, ports=ports, calendars=calendars, now=now)._replace(
            **lineage._asdict()
        )
        if ports.definitions.save(change):
            _goes_on(change, ports)
            return Saved(definition=after, created=before is None or before.deleted, changed=True)
    raise Conflict(f"{key} was changed by others {_TRIES} times while this change was made; look at it and try again")


def _goes_on(change: Change, ports: Ports) -> None:
    """What is due at once after a change; the tick finds what this does not come to."""
    timer = change.timer_after
    if timer is None or timer.next_at is None:
        return
    if timer.outstanding is not None and timer.outstanding != timer.next_at:  # it may have ended since it was looked at
        key = RunKey.scheduled(timer.job, timer.outstanding)
        run = ports.runs.get([key]).get(key)
        if run is not None and run.state.finished:
            arm_next(run, ports)
    else:
        dispatch([timer], ports=ports, look_ahead=ports.look_ahead, report=DispatchReport())


def _last_effective_from(definition: Definition | None) -> datetime:
    return definition.revisions[-1].effective_from if definition else _LONG_AGO


def _settled(ports: Ports, key: JobKey, *, no_earlier_than: datetime) -> tuple[Timer | BrokenTimer | None, datetime]:
    """The job's timer once everything due by this very instant is dispatched, and that instant.

    The instant takes the next revision into effect, so it is never before the last one's, whatever clocks say. Of a
    backlog too long to dispatch while somebody waits, the rest is recorded as skipped; one that does not move at all is not.
    """
    stood_at = None
    for turn in range(_SETTLING_PASSES):
        clock = floor(ports.clock())
        now = max(clock, no_earlier_than)
        timer = ports.timers.get(key)
        if timer is None or timer.next_at is None or timer.next_at > now:
            return timer, now
        if turn < _SETTLING_PASSES - 2 or timer.next_at == stood_at:
            dispatch([timer], ports=ports, look_ahead=now - clock, report=DispatchReport())
        else:
            give_up_backlog(timer, ports=ports, now=now, reason="changed during a catch-up")
        stood_at = timer.next_at
    raise Conflict(f"{key} has occurrences that are due and could not be dispatched yet; try again in a minute")
