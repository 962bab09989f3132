"""Renewal: after a change of time zone data, each timer is put where the new data put it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from minutehand.domain.job import Definition
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.timer import Timer
from minutehand.schedule import TZDATA_VERSION
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Move, Renewal

JOBS_AT_ONCE = 100
"""Jobs looked at between two looks at the clock, and two records of how far the renewal has come."""
_RESERVE = timedelta(seconds=10)


def renew(ports: Ports, *, time_left: Callable[[], timedelta], version: str = TZDATA_VERSION) -> int:
    """Move the timers whose instants the data of this version put elsewhere, as many as there is time for.

    A timer knows how far east of UTC its clocks were when its instant was computed. Where they no longer are, the occurrence
    keeps its time of day and gets the instant that the clocks now give it: nothing is doubled and nothing is lost, since all
    that comes before it on those clocks has been dispatched, and nothing after it. Planning does the same with a timer that
    comes due first; this is for those whose new instant is the earlier one. Answers how many timers were moved.
    """
    stood = ports.timers.renewal()
    if stood is not None and stood.version == version and stood.done:
        return 0
    place = stood if stood is not None and stood.version == version else Renewal(version=version)
    moved = 0
    for namespace in sorted(ports.definitions.namespaces()):
        if namespace < place.namespace:
            continue
        if namespace > place.namespace:
            place = Renewal(version=version, namespace=namespace)
        while True:
            if time_left() < _RESERVE:
                return moved
            page = ports.definitions.page(namespace, JOBS_AT_ONCE, place.cursor)
            moves = [move for definition in page.items if (move := _move(definition, ports))]
            ports.timers.advance(moves)
            moved += len(moves)
            place = place._replace(cursor=page.next)
            ports.timers.record_renewal(place)
            if page.next is None:
                break
    ports.timers.record_renewal(Renewal(version=version, done=True))
    return moved


def _move(definition: Definition, ports: Ports) -> Move | None:
    """The move of a job's timer; None where it stands right, or no clock matters to it."""
    schedule = definition.revisions[-1].rule
    try:
        if schedule is None or rule_of(schedule).schedule.offset_at(definition.updated_at) is None:
            return None
        timer = ports.timers.get(definition.job.key)
        if not isinstance(timer, Timer) or timer.next_at is None:
            return None
        rule = rule_of(timer.rule)
        renewed = rule.renewed(timer.next_at, timer.offset)
    except ValueError:  # a schedule that cannot be read is the tick's to set aside
        return None
    if renewed == timer.next_at:
        return None
    return Move(timer.job, timer.revision, old=timer.next_at, new=renewed, offset=rule.schedule.offset_at(renewed))
