"""Backfill: replay a range of a job's past, on purpose. `replay` takes it from step to step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from minutehand.domain.backfill import (
    MOST_OCCURRENCES,
    Backfill,
    BackfillState,
    Extent,
    Order,
    extent,
    replayed,
)
from minutehand.domain.calendar_filter import Naming, calendars_of
from minutehand.domain.errors import Conflict, FieldProblem, Invalid, KeyReused, NotFound, Unavailable
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job import Definition, JobKey
from minutehand.domain.occurrence_rule import OccurrenceRule, compiled
from minutehand.usecases.definitions.manage import get as get_job
from minutehand.usecases.dispatching import replay
from minutehand.usecases.operations.trigger import identity_of
from minutehand.usecases.ports.bundle import Ports

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_TRIES = 5


class Asked(NamedTuple):
    """What is to be replayed: the instants from `start` on and before `end`, both in whole seconds, and how."""

    start: datetime
    end: datetime
    order: Order = Order.OLDEST
    concurrency: int = 1
    ignore_overlap: bool = False


class Started(NamedTuple):
    """The backfill of an id; `created` is False when there was one."""

    backfill: Backfill
    created: bool


def preview(ports: Ports, key: JobKey, asked: Asked) -> Extent:
    """How many occurrences `start` would replay, the first and the last; raises as `start` does."""
    return _checked(ports, get_job(ports, key), asked)


def start(ports: Ports, key: JobKey, asked: Asked, *, identity: str, who: str) -> Started:
    """Begin to replay a range, whatever has run of it, and even while the job is paused. Asking twice is asking once.

    Args:
        identity: 1 to 64 of a-z and 0-9, which tell it from the job's other backfills, and are its id unless a deleted job of the same
            name has had one of that id.

    Raises:
        NotFound: when there is no such job.
        Invalid: for a range that is none, has no occurrence, or too many; for a schedule that names no instants.
        KeyReused: when there is a backfill of this id that was asked for otherwise.
    """
    definition = get_job(ports, key)
    # Of a job that was deleted and made again, what the one before was asked for has its ids.
    of_this_job = identity_of(f"{to_text(definition.created_at)} {identity}")
    known = {name: ports.backfills.get(key, name) for name in (identity, of_this_job)}
    there = next((one for one in known.values() if one and one.job_created_at == definition.created_at), None)
    if there is not None:
        return _same(there, asked)
    total = _checked(ports, definition, asked).total
    free = identity if known[identity] is None else of_this_job
    return begin(ports, definition, asked, total=total, identity=free, who=who)


def begin(ports: Ports, definition: Definition, asked: Asked, *, total: int, identity: str, who: str) -> Started:
    """Store a backfill of a range that is known to have `total` occurrences, and take its first step; see `start`."""
    key, now = definition.job.key, ports.clock()
    wanted = Backfill(
        job=key,
        id=identity,
        rule=_agenda(definition).encode(),
        start=asked.start,
        end=asked.end,
        order=asked.order,
        concurrency=asked.concurrency,
        ignore_overlap=asked.ignore_overlap,
        total=total,
        job_created_at=definition.created_at,
        created_at=now,
        created_by=who,
        next_at=floor(now) + replay.WATCH_EVERY,
    )
    stands = ports.backfills.create(wanted)
    if stands != wanted:
        return _same(stands, asked)
    with suppress(Unavailable):  # it is there, and its watchdog will begin it: to the caller it is done
        replay.step(ports, key, identity)
        stands = ports.backfills.get(key, identity) or stands
    return Started(backfill=stands, created=True)


def get(ports: Ports, key: JobKey, identity: str) -> Backfill:
    """A backfill; also of a deleted job. Raises NotFound."""
    found = ports.backfills.get(key, identity)
    if found is None:
        raise NotFound(f"there is no backfill {identity!r:.80} of job {key}, or it ended more than 30 days ago")
    return found


def cancel(ports: Ports, key: JobKey, identity: str, *, who: str) -> Backfill:
    """Take nothing more, and cancel what waits. Runs that have begun go on. Cancelling again changes nothing.

    Raises:
        NotFound: when there is no such backfill.
        Conflict: when it is done, or others keep changing it.
    """
    for _ in range(_TRIES):
        before = get(ports, key, identity)
        if before.state is BackfillState.DONE:
            raise Conflict(f"backfill {identity} of {key} is done: there is nothing left of it to cancel")
        if before.state is BackfillState.CANCELLED:
            return before
        after = replace(before, state=BackfillState.CANCELLED, cancelled_by=who, version=before.version + 1)
        if ports.backfills.save(before, after):
            with suppress(Unavailable):  # no more is taken; what waits is cancelled by its watchdog then
                replay.step(ports, key, identity)
            return ports.backfills.get(key, identity) or after
    raise Conflict(f"backfill {identity} of {key} was changed by others {_TRIES} times meanwhile; try again")


def named_by(ports: Ports, definition: Definition) -> Naming:
    """What a backfill of the job would replay.

    Raises:
        Invalid: for a schedule that names no instants.
    """
    key, rule = definition.job.key, _agenda(definition)
    problem = _unnamed(rule)
    if problem:
        raise Invalid(problem)
    calendars = calendars_of(key, rule)
    return replayed(rule, key.namespace, ports.calendars.get(calendars) if calendars else {})


def _agenda(definition: Definition) -> OccurrenceRule:
    """What the definition names, be the job paused or not."""
    return compiled(replace(definition.job, paused=False, paused_until=None))


def _checked(ports: Ports, definition: Definition, asked: Asked) -> Extent:
    problems = list(_range_problems(asked, ports.clock()))
    problem = _unnamed(_agenda(definition))
    if problem:
        problems.append(problem)
    if problems:
        raise Invalid(*problems)
    found = extent(named_by(ports, definition), asked.start, asked.end)
    if found is None:
        nothing = f"the schedule names no instant from {to_text(asked.start)} up to {to_text(asked.end)} that no calendar blocks"
        raise Invalid(FieldProblem("from", nothing, "give another range"))
    if not found.exact:
        raise Invalid(too_many("to", found))
    return found


def too_many(path: str, found: Extent) -> FieldProblem:
    """That a range has too many occurrences."""
    return FieldProblem(
        path,
        f"this would be about {found.total:,} occurrences; {MOST_OCCURRENCES:,} is the most",
        "narrow it, or split it",
    )


def _range_problems(asked: Asked, now: datetime) -> Iterator[FieldProblem]:
    if asked.start < EARLIEST:
        yield FieldProblem("from", f"{to_text(asked.start)} is too long ago", f"{to_text(EARLIEST)} is the earliest")
    if asked.end <= asked.start:
        yield FieldProblem(
            "to", f"{to_text(asked.end)} is not after from, {to_text(asked.start)}", "give a later instant"
        )
    elif asked.end > now:
        hint = f"give {to_text(floor(now))} at the latest; what is still to come, the schedule runs"
        yield FieldProblem("to", f"{to_text(asked.end)} is in the future", hint)


def _unnamed(rule: OccurrenceRule) -> FieldProblem | None:
    """That there is nothing to replay, where the schedule names no instants."""
    hint = "trigger the job instead"
    if rule.schedule.manual:
        return FieldProblem("", "the job's schedule is @manual: it names no instants to be replayed", hint)
    if rule.schedule.delay is not None:
        return FieldProblem(
            "", "the job's schedule is a fixed delay (@after): its instants come from the ends of its runs", hint
        )
    return None


def _same(there: Backfill, asked: Asked) -> Started:
    was = Asked(there.start, there.end, there.order, there.concurrency, there.ignore_overlap)
    if was != asked:
        raise KeyReused(
            f"this idempotency key made backfill {there.id} of {there.job}, with another range or other options; "
            "send the same request again, or another key for another backfill"
        )
    return Started(backfill=there, created=False)
