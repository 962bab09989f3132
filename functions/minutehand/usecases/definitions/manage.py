"""Manage jobs: save, pause, resume, delete. A change is one transaction; if it moves the timer, due occurrences are dispatched
first."""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, FieldProblem, Invalid, NotFound
from minutehand.domain.instants import SECOND, floor, to_text
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace
from minutehand.domain.precondition import ALWAYS, Precondition
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.usecases.definitions.asked import Asked, audited, version_of
from minutehand.usecases.definitions.job_quota import most_jobs_for
from minutehand.usecases.definitions.revise import check_comes, revised
from minutehand.usecases.definitions.save_checks import checked_reads
from minutehand.usecases.definitions.saved_timer import is_timer_of, keeps_timer, with_timer
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.due_plans import skip_until
from minutehand.usecases.dispatching.fixed_delay import arm_next
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Overview
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict

_SETTLING_PASSES = 20
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

Edit = Callable[[Definition | None], Job | None]
"""A function that gets the stored definition (None if there is none) and returns the wanted job (None to delete it)."""
Check = Callable[[Definition | None], object]
"""A function that gets the stored definition, right before it is replaced, and raises if it must stay."""


def _anything(_before: Definition | None) -> None:
    """A check that every definition passes."""


class Saved(NamedTuple):
    """The stored definition; whether the job is new, and whether anything changed."""

    definition: Definition
    created: bool
    changed: bool


def get(ports: Ports, key: JobKey) -> Definition:
    """The definition of a job.

    Raises:
        NotFound: when there is no such job.
    """
    return _existing(ports.definitions.get([key]).get(key), key)


def governed(ports: Ports, key: JobKey) -> tuple[Definition, Namespace | None]:
    """The definition of a job, and the settings of its namespace, in one read. Raises NotFound."""
    definition, namespace = ports.definitions.governing([key]).of(key)
    return _existing(definition, key), namespace


def overview(ports: Ports, key: JobKey) -> tuple[Definition, Overview]:
    """The definition of a job, and its overview, with its timer and its namespace's settings. Raises NotFound as `get` does."""
    found = ports.definitions.overview(key)
    return _existing(found.definition, key), found


def save(
    ports: Ports,
    job: Job,
    *,
    keep_paused: bool,
    who: Actor,
    only_if: Precondition = ALWAYS,
    keep_shadow: bool = False,
    restored: int | None = None,
    check: Check = _anything,
) -> Saved:
    """Create a job, or replace its definition. Saving the same definition again changes nothing.

    Args:
        keep_paused: keep the pause of the stored definition, whatever `job` says.
        only_if: what must be stored for the job to be saved.
        keep_shadow: keep a stored job in shadow, whatever `job` says.
        restored: number of the revision that is saved again, for the record of the change; None for any other save.
        check: raises if the stored definition must stay; whatever it raises, nothing is saved.

    Raises:
        ChangedMeanwhile: when the stored definition is not as `only_if` demands.
        ScheduleError: when the schedule cannot be read.
        Invalid: when the job has no future occurrence, a calendar or a parent does not exist, the job would depend on itself, or it is
            too large to store.
        QuotaReached: when the job would be one more than the namespace's quota allows.
        Conflict: after too many concurrent updates, or when due occurrences cannot be dispatched.
    """

    def edit(before: Definition | None) -> Job:
        check(before)
        return _with_kept(job, before, pause=keep_paused, shadow=keep_shadow, now=ports.clock())

    action = Action.SAVE if restored is None else Action.RESTORE
    return _change(ports, job.key, edit, Asked(who, action, only_if, restored))


def preview(
    ports: Ports,
    job: Job,
    *,
    keep_paused: bool,
    who: Actor,
    only_if: Precondition = ALWAYS,
    keep_shadow: bool = False,
    expected: Set[JobKey] = frozenset(),
) -> Saved:
    """What `save` would return, without saving; raises what `save` raises.

    Args:
        expected: parents that count as existing, since they will be saved first.
    """
    before = ports.definitions.get([job.key]).get(job.key)
    only_if.check(version_of(before), f"job {job.key}")
    now = max(floor(ports.clock()), _last_effective_from(before))
    live = before is not None and not before.deleted
    wanted = _with_kept(job, before, pause=keep_paused, shadow=keep_shadow, now=ports.clock())
    if before and live and _same(wanted, before.job):
        return Saved(definition=before, created=False, changed=False)
    after = revised(before, wanted, now=now, who=who.name)
    checked_reads(before, after, ports, now=now, expected=expected)
    most_jobs_for(before, after, ports)
    return Saved(definition=after, created=not live, changed=True)


def pause(
    ports: Ports, key: JobKey, *, until: datetime | None = None, who: Actor, only_if: Precondition = ALWAYS
) -> Saved:
    """Pause a job until it is resumed, or until an instant (aware, whole seconds). Runs that have begun continue.

    Raises:
        Invalid: when `until` is not in the future.
        NotFound: when there is no such job.
        ChangedMeanwhile: when the stored definition is not as `only_if` demands.
        Conflict: when other edits of the job kept coming first.
    """
    check_future(until, ports.clock())

    def edit(before: Definition | None) -> Job:
        return replace(_existing(before, key).job, paused=until is None, paused_until=until)

    return _change(ports, key, edit, Asked(who, Action.PAUSE, only_if))


def check_future(until: datetime | None, now: datetime) -> None:
    """Refuse a pause whose end, `until`, is not in the future. Raises Invalid."""
    if until is not None and until <= now:
        message = f"{to_text(until)} is not in the future: it is {to_text(floor(now))}"
        hint = "give a later instant, or none to pause it until it is resumed"
        raise Invalid(FieldProblem("until", message, hint))


def resume(ports: Ports, key: JobKey, *, who: Actor, only_if: Precondition = ALWAYS) -> Saved:
    """Let a paused job run again, from now on. Raises NotFound, ChangedMeanwhile, Conflict."""

    def edit(before: Definition | None) -> Job:
        job = replace(_existing(before, key).job, paused=False, paused_until=None)
        return _with_kept(job, before, pause=False, shadow=False, now=ports.clock())

    return _change(ports, key, edit, Asked(who, Action.RESUME, only_if))


def delete(ports: Ports, key: JobKey, *, who: Actor, only_if: Precondition = ALWAYS, check: Check = _anything) -> None:
    """Delete a job. Its runs stay until their retention ends. Raises NotFound, ChangedMeanwhile, Conflict, and what `check` raises."""

    def gone(before: Definition | None) -> None:
        check(_existing(before, key))

    _change(ports, key, gone, Asked(who, Action.DELETE, only_if))


def _with_kept(job: Job, before: Definition | None, *, pause: bool, shadow: bool, now: datetime) -> Job:
    """The job to save: with the stored definition's `pause`, else as `job` says; in its `shadow`, if it is in it; with the stored
    fields of later versions.

    A stored pause whose end is over stays in the definition, so that saving the same job again changes neither it nor its timer.
    """
    if before is None or before.deleted:
        return job
    job = replace(job, unknown=before.job.unknown, shadow=job.shadow or (shadow and before.job.shadow))
    old, ended = before.job, not before.job.is_paused(now)
    if pause or (ended and not job.is_paused(now)):
        return replace(job, paused=old.paused, paused_until=old.paused_until)
    return job


def _same(job: Job, other: Job) -> bool:
    return job == other and same_json(job.payload, other.payload)


def same_json(one: Any, other: Any) -> bool:
    """Whether two payloads are equal as JSON: `true` is not `1`."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _existing(definition: Definition | None, key: JobKey) -> Definition:
    if definition is None:
        raise NotFound(f"there is no job {key}")
    if definition.deleted:
        deleted = f"{definition.updated_by} deleted it at {to_text(floor(definition.updated_at))}"
        raise NotFound(f"there is no job {key}: {deleted}, and `explain` still shows its past")
    return definition


def _change(ports: Ports, key: JobKey, edit: Edit, asked: Asked) -> Saved:
    who = asked.who.name

    def update() -> Saved | Contended[None]:
        before = ports.definitions.get([key]).get(key)
        job = edit(before)
        asked.only_if.check(version_of(before), f"job {key}")
        timer = ports.timers.get(key)
        if before and not before.deleted and job and _same(job, before.job) and is_timer_of(timer, before):
            return Saved(definition=before, created=False, changed=False)
        now = max(floor(ports.clock()), _last_effective_from(before))
        after = revised(before, job, now=now, who=who)
        calendars, parents, graph = checked_reads(before, after, ports, now=now)
        if not keeps_timer(timer, after):
            timer, now = _settled(ports, key, timer, no_earlier_than=now)
            after = revised(before, job, now=now, who=who)
            check_comes(before, after, calendars, now=now)
        most_jobs = most_jobs_for(before, after, ports)
        change = with_timer(before, after, timer, ports=ports, calendars=calendars, now=now)
        audit = audited(before, after, asked, ports)
        change = change._replace(parents=parents, graph=graph, audit=audit, most_jobs=most_jobs)
        if not ports.definitions.save(change):
            return CONTENDED
        _dispatch_due(change.timer_after, ports)
        return Saved(definition=after, created=before is None or before.deleted, changed=True)

    return retry_on_conflict(update, f"job {key}")


def _dispatch_due(timer: Timer | None, ports: Ports) -> None:
    """Dispatch the job's occurrences that are due right after a change. The next tick dispatches those that this misses."""
    if timer is None or timer.next_at is None:
        return
    if timer.outstanding is not None and timer.outstanding != timer.next_at:
        # The outstanding run may have ended since the edit read it.
        key = RunKey.scheduled(timer.job, timer.outstanding)
        run = ports.runs.get([key]).get(key)
        if run is not None and run.state.finished:
            arm_next(run, ports)
    else:
        dispatch([timer], ports=ports, look_ahead=ports.look_ahead, report=DispatchReport())


def _last_effective_from(definition: Definition | None) -> datetime:
    return definition.revisions[-1].effective_from if definition else _LONG_AGO


def _settled(
    ports: Ports, key: JobKey, timer: Timer | BrokenTimer | None, *, no_earlier_than: datetime
) -> tuple[Timer | BrokenTimer | None, datetime]:
    """Dispatch the job's occurrences up to now, by its timer as it was read. Returns the timer afterwards, and the instant that counted
    as now.

    The next revision takes effect at that instant, which is never before the last revision's `effective_from`, even when clocks
    differ. If the backlog is too long to dispatch while a caller waits, its rest is recorded as skipped; if dispatching did not
    move the timer at all, this raises.
    """
    last_next_at = None
    for turn in range(_SETTLING_PASSES):
        clock = floor(ports.clock())
        now = max(clock, no_earlier_than)
        timer = ports.timers.get(key) if turn else timer
        # A timer whose `next_at` cannot be read may be due.
        due = timer and (isinstance(timer, BrokenTimer) if timer.next_at is None else timer.next_at <= now)
        if timer is None or not due:
            return timer, now
        if turn < _SETTLING_PASSES - 2 or timer.next_at == last_next_at:
            dispatch([timer], ports=ports, look_ahead=now - clock, report=DispatchReport())
        else:
            skip_until(timer, now + SECOND, "changed during a catch-up", ports, now)
        last_next_at = timer.next_at
    raise Conflict(f"{key} has occurrences that are due and could not be dispatched yet; try again in a minute")
