"""Resuming: let a paused job run again, and replay what the pause kept from running, where that is wanted."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.backfill import Backfill, extent, latest
from minutehand.domain.errors import Conflict, Invalid
from minutehand.domain.instants import SECOND, floor, to_text
from minutehand.domain.job import CatchUp, JobKey
from minutehand.domain.revision_history import pause_around
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import Asked
from minutehand.usecases.ports.bundle import Ports


class Resumed(NamedTuple):
    """The job as it stands, and the backfill of what the pause kept from running; None where there is none."""

    saved: manage.Saved
    backfill: Backfill | None


class BlockedRange(NamedTuple):
    """The instants from `start` on and before `end`, in whole seconds, at which a job was paused."""

    start: datetime
    end: datetime


def resume(ports: Ports, key: JobKey, *, catch_up: CatchUp = CatchUp.SKIP, who: str) -> Resumed:
    """Let a paused job run again, from now on, and replay none, the latest or all of what was named while it was paused.

    What is replayed is what the definition names that the job is resumed with. Asking again is asking once: the backfill goes by
    the revision that resumed the job, so that one which a lost answer or a crash left out is made up for.

    Raises:
        NotFound: as `manage.resume`.
        Conflict: as `manage.resume`; also when it was resumed already, with another part of the pause to be replayed.
        Invalid: for more than a backfill may have, and for a schedule that names no instants; then the job stays paused.
    """
    if catch_up is CatchUp.SKIP:
        return Resumed(manage.resume(ports, key, who=who), None)
    definition = manage.get(ports, key)
    try:
        named = backfill.named_by(ports, definition)
    except Invalid as error:
        raise Invalid(*(problem._replace(path="catch_up") for problem in error.problems)) from None
    paused = _last_pause(ports, key)
    found = extent(named, *paused) if paused and catch_up is CatchUp.ALL else None
    if found is not None and not found.exact:
        problem = backfill.too_many("catch_up", found)
        raise Invalid(problem._replace(hint="resume it with skip or latest, and backfill the rest in parts"))
    saved = manage.resume(ports, key, who=who)
    return Resumed(saved, _caught_up(ports, saved, catch_up, who))


def _caught_up(ports: Ports, saved: manage.Saved, catch_up: CatchUp, who: str) -> Backfill | None:
    definition = saved.definition
    key, named = definition.job.key, backfill.named_by(ports, definition)
    paused = _last_pause(ports, key)
    if paused is None:
        return None
    if catch_up is CatchUp.LATEST:
        last = latest(named, paused.start, paused.end, 1)
        paused = BlockedRange(last[0], last[0] + SECOND) if last else paused
    found = extent(named, *paused)
    if found is None:
        return None
    identity = f"resume-{definition.revision}"
    there = ports.backfills.get(key, identity)
    if there is not None and BlockedRange(there.start, there.end) != paused:
        raise Conflict(
            f"what this pause of {key} kept from running was asked to be replayed from {to_text(there.start)} up to {to_text(there.end)} when "
            f"it was resumed, by backfill {identity}; replay the rest by a backfill of its own"
        )
    if there is not None:
        return there
    return backfill.begin(ports, definition, Asked(*paused), total=found.total, identity=identity, who=who).backfill


def _last_pause(ports: Ports, key: JobKey) -> BlockedRange | None:
    """When the job was last paused, up to now at most; None when it was not, as it stands or before its newest revision.

    A pause that was edited meanwhile is one.
    """
    history = [revision for page in ports.definitions.history(key) for revision in page][::-1]
    if not history:
        return None
    newest, now = history[-1], floor(ports.clock())
    resumed = not newest.paused_at(newest.effective_from + SECOND)
    place, until = (len(history) - 2, newest.effective_from) if resumed else (len(history) - 1, now)
    if place < 0 or not history[place].paused_at(newest.effective_from if resumed else newest.effective_from + SECOND):
        return None
    by_itself = history[place].paused_until
    if by_itself is not None:  # the instant at which a pause ends by itself is no longer in it
        until = min(until, by_itself - SECOND)
    return BlockedRange(pause_around(history, place).begun.effective_from + SECOND, until + SECOND)
