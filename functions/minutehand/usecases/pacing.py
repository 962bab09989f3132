"""Pacing: the places of runs in minutes, where a namespace's quota limits how many runs begin in one."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.domain.errors import RunsQuotaReached
from minutehand.domain.instants import to_text
from minutehand.domain.quota import MINUTE, Place, held, minute_of

if TYPE_CHECKING:
    from minutehand.domain.namespace import Namespace
    from minutehand.usecases.ports.bundle import Ports

_TRIES = 4


def place_for(minute: datetime | None, namespace: str, most: int, ports: Ports, now: datetime) -> Place:
    """The place that a run has in `minute`, unless that is over; otherwise the next one.

    Raises:
        Unavailable: when the store does not answer. The place may then be lost, which delays other runs, but lets no more begin.
    """
    return held(minute, now) or take_place(namespace, most, ports, now)


def take_place(namespace: str, most: int, ports: Ports, now: datetime) -> Place:
    """Take the next place in a namespace's minutes. Raises as `place_for` does."""
    minute = minute_of(now)
    for _ in range(_TRIES):
        pace = ports.namespaces.take_place(namespace)
        last = pace.last(most)
        if last is not None and not pace.is_over(most, minute):
            return last
        # ◆ Counting begins anew only if nobody else did that meanwhile, as both would give out the first place, and only while no
        # place of this minute or a later one is given out, as those would be given out again.
        if ports.namespaces.restart_pace(namespace, pace.since, minute, most_taken=pace.places_before(minute, most)):
            return Place(minute, minute)
    return Place(None, minute + MINUTE)


def check_free(namespace: Namespace | None, ports: Ports, now: datetime) -> int | None:
    """How many runs of a namespace may begin in a minute; None without a quota, which costs nothing.

    Raises:
        RunsQuotaReached: when this minute has no place left.
    """
    most = None if namespace is None else namespace.quota.runs_per_minute
    if namespace is None or most is None:
        return None
    minute = minute_of(now)
    free_at = ports.namespaces.pace(namespace.name).free_at(minute, most)
    if free_at > minute:
        runs = f"{most:,} {'run' if most == 1 else 'runs'}"
        raise RunsQuotaReached(
            f"the quota of namespace {namespace.name} lets {runs} begin in a minute, and no place is free before {to_text(free_at)}; "
            "try again then, or ask the operator of the deployment, who sets the quota (an admin for all namespaces), for a higher one",
            free_at - now,
        )
    return most


def place_now(namespace: Namespace | None, ports: Ports, now: datetime) -> datetime | None:
    """Take a place for a run that is asked for now: its minute, or None without a quota. Raises as `check_free` does.

    If others take the last places of this minute first, the run gets one in a later minute, and waits for it.
    """
    most = check_free(namespace, ports, now)
    if namespace is None or most is None:
        return None
    return take_place(namespace.name, most, ports, now).minute
