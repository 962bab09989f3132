"""Stretches: what calendars block of an agenda, told as people would tell it. Pure, and for previews alone."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.agenda import Agenda
from minutehand.domain.blocking import Unblocked
from minutehand.domain.instants import SECOND

MOST_STRETCHES = 20
"""Blocked stretches that are told of at most: the first ones."""
MOST_COUNTED = 1000
"""Occurrences of a blocked stretch that are counted at most."""
# Stretches that lie next to each other are told as one: so many are looked at.
_MOST_LOOKS = 5_000


class Stretch(NamedTuple):
    """Occurrences in a row that one calendar blocks.

    Attributes:
        first: the first of them.
        until: from when on the calendar may block no more.
        times: how many they are; None for more than MOST_COUNTED.
        moved_to: where the first of them runs instead; None when it does not.
    """

    first: datetime
    until: datetime
    calendar: str
    times: int | None
    moved_to: datetime | None


def stretches(named: Unblocked, after: datetime, until: datetime) -> list[Stretch]:
    """What calendars block of after < t <= until, in order: the first MOST_STRETCHES stretches."""
    agenda = named.agenda
    found: list[Stretch] = []
    goes_on = False
    instant = agenda.next(after)
    for _ in range(_MOST_LOOKS):
        if instant is None or instant > until:
            break
        calendar, end = named.blocker(instant), named.open_from(instant)
        if calendar is None:
            goes_on, instant = False, agenda.next(instant)
            continue
        if goes_on and found[-1].calendar == calendar:
            found[-1] = found[-1]._replace(until=end, times=_counted(agenda, instant, end, found[-1].times))
        elif len(found) == MOST_STRETCHES:
            break
        else:
            times = _counted(agenda, instant, end, 0)
            found.append(Stretch(instant, end, calendar, times, named.moved_to(instant)))
        goes_on, instant = True, agenda.next(end - SECOND)
    return found


def _counted(agenda: Agenda, first: datetime, until: datetime, so_far: int | None) -> int | None:
    if so_far is None:
        return None
    times = so_far + len(agenda.between(first - SECOND, until - SECOND, MOST_COUNTED + 1 - so_far))
    return times if times <= MOST_COUNTED else None
