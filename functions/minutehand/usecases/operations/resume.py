"""Resume a paused job, and optionally replay the occurrences of the pause."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.backfill import Backfill, extent, latest
from minutehand.domain.errors import Conflict, Invalid
from minutehand.domain.instants import SECOND, floor, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.domain.precondition import ALWAYS, Precondition
from minutehand.domain.revision_history import pause_around
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.ports.bundle import Ports


class Resumed(NamedTuple):
    """The resumed job, and the backfill of the pause's occurrences; None where there is none."""

    saved: manage.Saved
    backfill: Backfill | None


class PausedRange(NamedTuple):
    """Instants from `start` on and before `end` at which a job was paused; UTC, whole seconds."""

    start: datetime
    end: datetime


def resume(
    ports: Ports,
    key: JobKey,
    *,
    catch_up: CatchUp = CatchUp.SKIP,
    who: Actor,
    only_if: Precondition = ALWAYS,
) -> Resumed:
    """Let a paused job run again, and replay none, the latest or all of the occurrences during its pause.

    These occurrences are read from the stored definition once the job is resumed. The backfill's id contains the number of the
    revision that resumed the job, so that a repeated call creates a backfill that a crash prevented, but no second one.

    Raises:
        NotFound: when there is no such job.
        ChangedMeanwhile: when the stored definition is not as `only_if` demands.
        Conflict: when other edits of the job kept coming first; also when the job was resumed before with another part of its
            pause to replay.
        Invalid: for more occurrences than a backfill may have, and for a manual job or one with a fixed delay, which have no
            occurrences to replay. The job then stays paused.
    """
    if catch_up is CatchUp.SKIP:
        return Resumed(manage.resume(ports, key, who=who, only_if=only_if), None)
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
    saved = manage.resume(ports, key, who=who, only_if=only_if)
    return Resumed(saved, _caught_up(ports, saved, catch_up, who))


def _caught_up(ports: Ports, saved: manage.Saved, catch_up: CatchUp, who: Actor) -> Backfill | None:
    definition = saved.definition
    key, named = definition.job.key, backfill.named_by(ports, definition)
    paused = _last_pause(ports, key)
    if paused is None:
        return None
    if catch_up is CatchUp.LATEST:
        last = latest(named, paused.start, paused.end, 1)
        paused = PausedRange(last[0], last[0] + SECOND) if last else paused
    found = extent(named, *paused)
    if found is None:
        return None
    identity = f"resume-{definition.revision}"
    existing = ports.backfills.get(key, identity)
    if existing is None:
        spec = BackfillSpec(*paused)
        return backfill.begin(ports, definition, spec, total=found.total, identity=identity, who=who).backfill
    if PausedRange(existing.start, existing.end) != paused:
        raise Conflict(
            f"{key} was resumed with another catch_up: backfill {identity} replays its pause from {to_text(existing.start)} up to "
            f"{to_text(existing.end)}; start another backfill for the rest"
        )
    return existing


def _last_pause(ports: Ports, key: JobKey) -> PausedRange | None:
    """The job's last pause, up to now; None unless the job is paused or its newest revision ended a pause.

    A job that was edited while it was paused still has had one pause, not two.
    """
    history = [revision for page in ports.definitions.history(key) for revision in page][::-1]
    if not history:
        return None
    newest, now = history[-1], floor(ports.clock())
    resumed = not newest.paused_at(newest.effective_from + SECOND)
    index, until = (len(history) - 2, newest.effective_from) if resumed else (len(history) - 1, now)
    if index < 0 or not history[index].paused_at(newest.effective_from if resumed else newest.effective_from + SECOND):
        return None
    paused_until = history[index].paused_until
    if paused_until is not None:  # the instant at which a pause ends by itself is not part of it
        until = min(until, paused_until - SECOND)
    return PausedRange(pause_around(history, index).begun.effective_from + SECOND, until + SECOND)
