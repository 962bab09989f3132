"""How much of an SQS call and of a worker's batch one message costs, since messages that are due together share them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.tools.costs.timetable import Timetable
from minutehand.tools.costs.units import MONTH, YEAR, later

BATCH = 10
"""Maximum messages of one SQS call, and of one batch of a worker (template.yaml, BatchSize)."""
MOST_INSTANTS = 50_000
"""Maximum number of sampled occurrences of different schedules; enough for a week of five schedules that are due each minute."""
_WEEK = timedelta(days=7)
_WAIT_SECONDS = 0.5
"""Average seconds that a worker waits for a run whose instant is not on the minute: the message may arrive a second early
(usecases/ports/messages.py)."""


class Share(NamedTuple):
    """Average share of one message in the call that sends it (`sent`) and in the worker's batch that runs it (`worked`). waits: the
    message's share of the seconds that the worker waits for the batch's instant."""

    sent: float
    worked: float
    waits: float = 0.0


ALONE = Share(1.0, 1.0)


def shares(
    jobs: Mapping[Timetable, int], runs: Mapping[Timetable, float], start: datetime
) -> Mapping[Timetable, Share]:
    """The share of each timetable, given how many jobs have it.

    One tick sends the messages of a minute together; a worker's batch holds messages of the same second, assuming that one of
    Lambda's SQS pollers takes all of them. A timetable without an instant in the sampled span is sampled by its first instant.

    runs: occurrences a month of each timetable; the more there are, the shorter the sampled span.
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
    """The share of one message in the calls that carry `together` messages, up to ten in a call."""
    return math.ceil(together / BATCH) / together


def _mean(parts: Iterable[float]) -> float:
    found = list(parts)
    return sum(found) / len(found)
