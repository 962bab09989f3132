"""How full the batches of messages are: what is due together shares the calls that carry it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.tools.costs.timetable import Timetable
from minutehand.tools.costs.units import MONTH, YEAR, later

BATCH = 10
"""Messages that SQS takes, hands over or deletes in one call, and that a worker is handed at most (template.yaml, BatchSize)."""
MOST_INSTANTS = 50_000
"""So many occurrences, of schedules that differ, are looked at; enough for a week of five schedules that are due each minute."""
_WEEK = timedelta(days=7)
_WAIT_SECONDS = 0.5
"""How long a worker waits for an instant that is not on the minute: between nothing and a second (usecases/ports/messages.py)."""


class Share(NamedTuple):
    """Which part of a call one message of a job pays, on average: of the call that sends it, and of the batch a worker gets. waits: the
    seconds that a worker waits for its instant, of which it pays that part too."""

    sent: float
    worked: float
    waits: float = 0.0


ALONE = Share(1.0, 1.0)


def shares(
    jobs: Mapping[Timetable, int], runs: Mapping[Timetable, float], start: datetime
) -> Mapping[Timetable, Share]:
    """The share of each timetable, when so many jobs have it.

    Messages are sent together that one tick claims, those of a minute; worked on together that are due in the same second, which
    supposes that a poller takes all that is there. Of what is not due in the span that is looked at, its first instant is, beside those
    of all others that are not.

    runs: how often each is due in a month, which says how long a span can be looked at.
    """
    dense = sum(runs[timetable] for timetable in jobs)
    if not dense:
        return {}
    span = max(timedelta(seconds=1), min(_WEEK, MONTH * (MOST_INSTANTS / dense)))
    instants = {timetable: _instants(timetable, start, span) for timetable in jobs}
    seconds: Counter[datetime] = Counter()
    minutes: Counter[datetime] = Counter()
    for timetable, count in jobs.items():
        for at in instants[timetable]:
            seconds[at] += count
            minutes[_minute(at)] += count
    return {
        timetable: Share(
            _mean(_part(minutes[_minute(at)]) for at in found),
            _mean(_part(seconds[at]) for at in found),
            _mean(_part(seconds[at]) * _WAIT_SECONDS if at.second else 0.0 for at in found),
        )
        for timetable, found in instants.items()
        if found
    }


def _instants(timetable: Timetable, start: datetime, span: timedelta) -> list[datetime]:
    if timetable.schedule.manual or timetable.schedule.delay is not None:
        return []
    return timetable.between(start, later(start, span), MOST_INSTANTS) or timetable.between(
        start, later(start, YEAR), 1
    )


def _minute(at: datetime) -> datetime:
    return at.replace(second=0) if at.second else at


def _part(together: int) -> float:
    """What one of so many messages pays of the calls that they fill."""
    return math.ceil(together / BATCH) / together


def _mean(parts: Iterable[float]) -> float:
    found = list(parts)
    return sum(found) / len(found)
