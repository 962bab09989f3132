"""Renewal: move timers after an update of time zone data."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from minutehand.domain.definition import Definition
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.timer import Timer
from minutehand.schedule import TZDATA_VERSION
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Move, Renewal
from minutehand.usecases.upkeep.rests import Upkept

JOBS_AT_ONCE = 100
"""Jobs per step; the time left is checked and the progress recorded between steps."""
_RESERVE = timedelta(seconds=10)


def renew(ports: Ports, *, time_left: Callable[[], timedelta], version: str = TZDATA_VERSION) -> Upkept:
    """Move the timers whose next instant differs under this version's data, as far as time allows.

    A timer stores the UTC offset with which its instant was computed. If the new data give another offset, the occurrence keeps its
    time of day and moves to another instant. No occurrence runs twice or is lost: those at earlier local times have been
    dispatched, and those at later ones have not. Planning does the same for a timer that is due; the renewal also covers timers
    whose new instant is earlier.
    """
    last = ports.timers.renewal()
    if last is not None and last.version == version and last.done:
        return Upkept(0, more=False)
    progress = last if last is not None and last.version == version else Renewal(version=version)
    moved = 0
    for namespace in sorted(ports.definitions.namespaces()):
        if namespace < progress.namespace:
            continue
        if namespace > progress.namespace:
            progress = Renewal(version=version, namespace=namespace)
        while True:
            if time_left() < _RESERVE:
                return Upkept(moved, more=True)
            page = ports.definitions.page(namespace, JOBS_AT_ONCE, progress.cursor)
            moves = [move for definition in page.items if (move := _move(definition, ports))]
            ports.timers.advance(moves)
            moved += len(moves)
            progress = progress._replace(cursor=page.next)
            ports.timers.record_renewal(progress)
            if page.next is None:
                break
    ports.timers.record_renewal(Renewal(version=version, done=True))
    return Upkept(moved, more=False)


def _move(definition: Definition, ports: Ports) -> Move | None:
    """The move of a job's timer; None when its instant is right, or its schedule depends on no time zone."""
    encoded = definition.revisions[-1].rule
    try:
        if encoded is None or rule_of(encoded).schedule.offset_at(definition.updated_at) is None:
            return None
        timer = ports.timers.get(definition.job.key)
        if not isinstance(timer, Timer) or timer.next_at is None:
            return None
        rule = rule_of(timer.rule)
        renewed = rule.renewed(timer.next_at, timer.offset)
    except ValueError:  # the tick sets aside a timer whose rule cannot be read
        return None
    if renewed == timer.next_at:
        return None
    offset = rule.schedule.offset_at(renewed)
    return Move(timer.job, timer.revision, old=timer.next_at, new=renewed, offset=offset, packed=timer.packed)
