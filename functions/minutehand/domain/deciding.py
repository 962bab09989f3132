"""Deciding: what a worker, or the drain, does about a run it was told of. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from minutehand.domain.agenda import Agenda, agenda_of
from minutehand.domain.blocking import unblocked
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Definition, OnBlocked
from minutehand.domain.run import Run, RunState, SkipReason

LEASE_MARGIN = timedelta(seconds=15)
"""How long a lease outlasts the attempt's limit: time to end the call, to report, and for clocks to differ."""


class Start(NamedTuple):
    """Start this attempt; `takeover` when it replaces one whose worker died."""

    attempt: int
    takeover: bool


class Skip(NamedTuple):
    """Record that a policy keeps the run from starting; `revision` is the one that judged."""

    reason: SkipReason
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Lose:
    """Record the run as lost: its worker died, and no take-overs are left."""


class Wait(NamedTuple):
    """Not now: look again at `until`."""

    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """Nothing is left to do; the message may go."""


Decision = Start | Skip | Lose | Wait | Done


def decide(
    run: Run | None,
    definition: Definition | None,
    *,
    now: datetime,
    calendars: Mapping[CalendarKey, Calendar] = MappingProxyType({}),
) -> Decision:
    """What to do about a run; `definition` and `run` were read consistently.

    `calendars` holds those that the definition names, where they may move occurrences to other days.
    """
    if run is None or run.state.finished:
        return Done()
    if run.state is RunState.RUNNING:
        return _decide_running(run, definition, now)
    if now < run.starts_at:
        return Wait(until=run.starts_at)
    return _judge(run, definition, calendars) or Start(attempt=run.attempt + 1, takeover=False)


def _decide_running(run: Run, definition: Definition | None, now: datetime) -> Decision:
    if run.lease_until is not None and now < run.lease_until:
        return Wait(until=run.lease_until)
    if definition is None or definition.deleted or run.takeovers >= definition.job.takeovers:
        return Lose()
    return Start(attempt=run.attempt + 1, takeover=True)


def _judge(run: Run, definition: Definition | None, calendars: Mapping[CalendarKey, Calendar]) -> Skip | None:
    """The policy that keeps a queued run from starting, if there is one.

    A run that a person asked for is stopped by a delete alone. Of scheduled ones, the revision in effect at
    `scheduled_for` decides: if it names the instant, the run goes ahead under the newest definition.
    """
    if definition is None or definition.deleted:
        return Skip(reason=SkipReason.DELETED, revision=definition.revision if definition else run.revision)
    if not run.key.named_by_schedule:
        return None
    if definition.job.paused:
        return Skip(reason=SkipReason.PAUSED, revision=definition.revision)
    governing = definition.in_effect_at(run.scheduled_for)
    if governing is None:
        return None
    if governing.schedule is None:
        stopped_by = SkipReason.DELETED if governing.deleted else SkipReason.PAUSED
        return Skip(reason=stopped_by, revision=definition.revision)
    # Who claimed a run under the very revision that governs it has asked that revision already.
    if run.revision != governing.number and not _names(agenda_of(governing.schedule), run, calendars):
        return Skip(reason=SkipReason.SUPERSEDED, revision=definition.revision)
    return None


def _names(agenda: Agenda, run: Run, calendars: Mapping[CalendarKey, Calendar]) -> bool:
    """Whether an agenda names a run's instant, be it because a calendar has moved an occurrence there."""
    if agenda.names(run.scheduled_for):
        return True
    if not agenda.calendars or agenda.on_blocked is OnBlocked.SKIP:
        return False
    moved = unblocked(agenda, run.key.job.namespace, calendars)
    return moved.next(run.scheduled_for - SECOND) == run.scheduled_for
