"""Backfills: start, read and cancel a replay of a range of a job's past occurrences. The module `replay` creates its runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, AuditRecord, audit_record
from minutehand.domain.backfill import MOST_OCCURRENCES, Backfill, BackfillState, Extent, Order, extent, replayed
from minutehand.domain.calendar_filter import calendars_of
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, FieldProblem, Invalid, KeyReused, NotFound, Unavailable
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import Naming, OccurrenceRule, compiled
from minutehand.domain.precondition import ALWAYS, Precondition
from minutehand.usecases import pacing
from minutehand.usecases.definitions.asked import version_of
from minutehand.usecases.definitions.manage import get as get_job
from minutehand.usecases.definitions.manage import governed
from minutehand.usecases.dispatching import replay
from minutehand.usecases.operations.trigger import identity_of
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict


class BackfillSpec(NamedTuple):
    """What to replay, and how: instants from `start` on and before `end`, both UTC and whole seconds."""

    start: datetime
    end: datetime
    order: Order = Order.OLDEST
    concurrency: int = 1
    ignore_overlap: bool = False


class Started(NamedTuple):
    """A backfill; `created` is False when it existed before."""

    backfill: Backfill
    created: bool


def preview(ports: Ports, key: JobKey, spec: BackfillSpec, *, only_if: Precondition = ALWAYS) -> Extent:
    """Number of occurrences that `start` would replay, the first and the last; raises as `start` does."""
    return _checked(ports, _job(ports, key, only_if), spec)


def start(
    ports: Ports, key: JobKey, spec: BackfillSpec, *, identity: str, who: Actor, only_if: Precondition = ALWAYS
) -> Started:
    """Start a backfill of a range, whether its occurrences have run or not, and even while the job is paused. Repeating the call
    starts no second one.

    Args:
        identity: 1 to 64 of a-z and 0-9, unique among the job's backfills. It becomes the id, unless a deleted job of the same name
            had a backfill of that id.
        only_if: which version of the job must be stored at this moment.

    Raises:
        NotFound: when there is no such job.
        ChangedMeanwhile: when the stored job is not as `only_if` demands.
        Invalid: for an empty or future range, for no occurrence or too many, and for a schedule without occurrences.
        KeyReused: when a backfill of this id was started with another range or other options.
        RunsQuotaReached: when the namespace's quota lets no further run begin in this minute.
    """
    definition, namespace = governed(ports, key)
    only_if.check(version_of(definition), f"job {key}")
    # The id may belong to a backfill of a deleted job of the same name.
    of_this_job = identity_of(f"{to_text(definition.created_at)} {identity}")
    known = {name: ports.backfills.get(key, name) for name in (identity, of_this_job)}
    existing = next((one for one in known.values() if one and one.job_created_at == definition.created_at), None)
    if existing is not None:
        return _repeated(existing, spec)
    total = _checked(ports, definition, spec).total
    pacing.check_free(namespace, ports, ports.clock())
    free = identity if known[identity] is None else of_this_job
    return begin(ports, definition, spec, total=total, identity=free, who=who)


def _job(ports: Ports, key: JobKey, only_if: Precondition) -> Definition:
    definition = get_job(ports, key)
    only_if.check(version_of(definition), f"job {key}")
    return definition


def begin(
    ports: Ports, definition: Definition, spec: BackfillSpec, *, total: int, identity: str, who: Actor
) -> Started:
    """Store a backfill of a range of `total` occurrences, and take its first step; see `start`."""
    key, now = definition.job.key, ports.clock()
    wanted = Backfill(
        job=key,
        id=identity,
        rule=_rule(definition).encode(),
        start=spec.start,
        end=spec.end,
        order=spec.order,
        concurrency=spec.concurrency,
        ignore_overlap=spec.ignore_overlap,
        total=total,
        job_created_at=definition.created_at,
        created_at=now,
        created_by=who.name,
        next_at=floor(now) + replay.WATCH_EVERY,
    )
    stored = ports.backfills.create(wanted, _record(ports, who, Action.BACKFILL, wanted))
    if stored != wanted:
        return _repeated(stored, spec)
    with suppress(Unavailable):  # the backfill is stored and its watchdog will step it, so the call has succeeded
        replay.step(ports, key, identity)
        stored = ports.backfills.get(key, identity) or stored
    return Started(backfill=stored, created=True)


def get(ports: Ports, key: JobKey, identity: str) -> Backfill:
    """A job's backfill by its id, even if the job was deleted. Raises NotFound."""
    found = ports.backfills.get(key, identity)
    if found is None:
        raise NotFound(f"there is no backfill {identity!r:.80} of job {key}, or it ended more than 30 days ago")
    return found


def cancel(ports: Ports, key: JobKey, identity: str, *, who: Actor) -> Backfill:
    """Cancel a backfill: start no more of its runs, and cancel those that have not begun. Cancelling again changes nothing.

    Raises:
        NotFound: when there is no such backfill.
        Conflict: when it is done, or after too many concurrent updates.
    """

    def update() -> Backfill | Contended[None]:
        before = get(ports, key, identity)
        if before.state is BackfillState.DONE:
            raise Conflict(f"backfill {identity} of {key} is done: there is nothing left to cancel")
        if before.state is BackfillState.CANCELLED:
            return before
        after = replace(before, state=BackfillState.CANCELLED, cancelled_by=who.name, version=before.version + 1)
        if not ports.backfills.save(before, after, _record(ports, who, Action.CANCEL_BACKFILL, after)):
            return CONTENDED
        with suppress(Unavailable):  # no more runs are started; its watchdog cancels those that have not begun
            replay.step(ports, key, identity)
        return ports.backfills.get(key, identity) or after

    return retry_on_conflict(update, f"backfill {identity} of {key}")


def _record(ports: Ports, who: Actor, action: Action, backfill: Backfill) -> AuditRecord:
    begins = action is Action.BACKFILL
    return audit_record(
        who,
        action,
        ports.clock(),
        namespace=backfill.job.namespace,
        job=backfill.job.name,
        kept=ports.audit_retention,
        backfill_id=backfill.id,
        start=to_text(backfill.start) if begins else None,
        end=to_text(backfill.end) if begins else None,
        occurrences=backfill.total if begins else None,
    )


def named_by(ports: Ports, definition: Definition) -> Naming:
    """The rule, with calendars applied, for the instants that a backfill of the job would replay.

    Raises:
        Invalid: for a schedule without occurrences.
    """
    key, rule = definition.job.key, _rule(definition)
    problems = list(_names_nothing(rule))
    if problems:
        raise Invalid(*problems)
    calendars = calendars_of(key, rule)
    return replayed(rule, key.namespace, ports.calendars.get(calendars) if calendars else {})


def _rule(definition: Definition) -> OccurrenceRule:
    """The definition's occurrence rule, whether the job is paused or not."""
    return compiled(replace(definition.job, paused=False, paused_until=None))


def _checked(ports: Ports, definition: Definition, spec: BackfillSpec) -> Extent:
    problems = [*_range_problems(spec, ports.clock()), *_names_nothing(_rule(definition))]
    if problems:
        raise Invalid(*problems)
    found = extent(named_by(ports, definition), spec.start, spec.end)
    if found is None:
        nothing = f"the schedule has no occurrence from {to_text(spec.start)} up to {to_text(spec.end)} that no calendar blocks"
        raise Invalid(FieldProblem("from", nothing, "give another range"))
    if not found.exact:
        raise Invalid(too_many("to", found))
    return found


def too_many(path: str, found: Extent) -> FieldProblem:
    """The problem of a range with too many occurrences."""
    return FieldProblem(
        path,
        f"the range has about {found.total:,} occurrences; {MOST_OCCURRENCES:,} is the most",
        "narrow the range, or split it",
    )


def _range_problems(spec: BackfillSpec, now: datetime) -> Iterator[FieldProblem]:
    if spec.end <= spec.start:
        yield FieldProblem(
            "to", f"{to_text(spec.end)} is not after from, {to_text(spec.start)}", "give a later instant"
        )
    elif spec.end > now:
        hint = f"give {to_text(floor(now))} at the latest; the schedule runs later occurrences itself"
        yield FieldProblem("to", f"{to_text(spec.end)} is in the future", hint)


def _names_nothing(rule: OccurrenceRule) -> Iterator[FieldProblem]:
    """The problem of a schedule that gives no past occurrences (`@manual` and fixed delays); nothing for any other."""
    hint = "trigger the job instead"
    if rule.schedule.manual:
        yield FieldProblem("", "the job's schedule is @manual: it has no occurrences to replay", hint)
    elif rule.schedule.delay is not None:
        fixed = "the job's schedule is a fixed delay (@after): its instants come from the ends of its runs"
        yield FieldProblem("", fixed, hint)


def _repeated(existing: Backfill, spec: BackfillSpec) -> Started:
    stored = BackfillSpec(existing.start, existing.end, existing.order, existing.concurrency, existing.ignore_overlap)
    if stored != spec:
        raise KeyReused(
            f"this idempotency key made backfill {existing.id} of {existing.job}, with another range or other options; "
            "repeat the same request, or use another key for another backfill"
        )
    return Started(backfill=existing, created=False)
