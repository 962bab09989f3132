"""How full the batches of messages are: what is due together shares the calls that carry it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.costs.units import MONTH
from minutehand.schedule import Schedule

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


def shares(jobs: Mapping[Schedule, int], runs: Mapping[Schedule, float], start: datetime) -> Mapping[Schedule, Share]:
    """The share of each schedule, when so many jobs have it.

    Messages are sent together that one tick claims, those of a minute; worked on together that are due in the same second, which
    supposes that a poller takes all that is there.

    runs: how often each is due in a month, which says how long a span can be looked at.
    """
    dense = sum(runs[schedule] for schedule in jobs)
    if not dense:
        return {}
    span = max(timedelta(seconds=1), min(_WEEK, MONTH * (MOST_INSTANTS / dense)))
    instants = {schedule: _instants(schedule, start, start + span) for schedule in jobs}
    seconds: Counter[datetime] = Counter()
    minutes: Counter[datetime] = Counter()
    for schedule, count in jobs.items():
        for at in instants[schedule]:
            seconds[at] += count
            minutes[at.replace(second=0)] += count
    return {
        schedule: Share(
            _mean(_part(minutes[at.replace(second=0)]) for at in found),
            _mean(_part(seconds[at]) for at in found),
            _mean(_part(seconds[at]) * _WAIT_SECONDS if at.second else 0.0 for at in found),
        )
        for schedule, found in instants.items()
        if found
    }


def _instants(schedule: Schedule, start: datetime, end: datetime) -> list[datetime]:
    return [] if schedule.manual or schedule.delay is not None else schedule.between(start, end, MOST_INSTANTS)


def _part(together: int) -> float:
    """What one of so many messages pays of the calls that they fill."""
    return math.ceil(together / BATCH) / together


def _mean(parts: Iterable[float]) -> float:
    found = list(parts)
    return sum(found) / len(found)
