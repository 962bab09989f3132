"""How much of an SQS call, of a worker's batch and of an entry one run costs, since runs that are due together share them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.tools.costs.timetable import Timetable
from minutehand.tools.costs.units import MONTH, YEAR, later

BATCH = 10
"""Maximum messages of one SQS call, and of one batch of a worker (template.yaml, BatchSize)."""
NAMED = 30
"""Jobs whose runs of a minute one entry names, if their names have 25 characters (domain/run_entry.py)."""
MOST_INSTANTS = 50_000
"""Maximum number of sampled occurrences of different schedules; enough for a week of five schedules that are due each minute."""
_WEEK = timedelta(days=7)
_WAIT_SECONDS = 0.5
"""Average seconds that a worker waits for a run whose instant is not on the minute: the message may arrive a second early
(usecases/ports/messages.py)."""


class Share(NamedTuple):
    """Average share of one message in the call that sends it (`sent`) and in the worker's batch that runs it (`worked`). waits: the
    message's share of the seconds that the worker waits for the batch's instant. listed: a run's share of what lists it by time,
    which is one write unit: an entry, or its own place in the index `by_time`."""

    sent: float
    worked: float
    waits: float = 0.0
    listed: float = 1.0


ALONE = Share(1.0, 1.0)
Due = tuple[str, Timetable]
"""A namespace, and a timetable of jobs in it."""


def shares(jobs: Mapping[Due, int], runs: Mapping[Timetable, float], start: datetime) -> Mapping[Due, Share]:
    """The share of each timetable, given how many jobs of each namespace have it.

    One tick sends the messages of a minute together; a worker's batch holds messages of the same second, assuming that one of
    Lambda's SQS pollers takes all of them. An entry names runs of one namespace and minute. A timetable without an instant in the
    sampled span is sampled by its first instant.

    runs: occurrences a month of each timetable; the more there are, the shorter the sampled span.
    """
    timetables = dict.fromkeys(timetable for _, timetable in jobs)
    dense = sum(runs[timetable] for timetable in timetables)
    if not dense:
        return {}
    span = max(timedelta(seconds=1), min(_WEEK, MONTH * (MOST_INSTANTS / dense)))
    instants = {timetable: _instants(timetable, start, span) for timetable in timetables}
    seconds: Counter[datetime] = Counter()
    minutes: Counter[datetime] = Counter()
    groups: Counter[tuple[str, datetime]] = Counter()
    members: Counter[tuple[str, datetime]] = Counter()
    for (namespace, timetable), count in jobs.items():
        for at in instants[timetable]:
            seconds[at] += count
            minutes[_minute(at)] += count
            groups[namespace, _minute(at)] += count
        for minute in {_minute(at) for at in instants[timetable]}:
            members[namespace, minute] += count
    return {
        (namespace, timetable): Share(
            _mean(_part(minutes[_minute(at)]) for at in found),
            _mean(_part(seconds[at]) for at in found),
            _mean(_part(seconds[at]) * _WAIT_SECONDS if at.second else 0.0 for at in found),
            _mean(_listed(members[namespace, _minute(at)], groups[namespace, _minute(at)]) for at in found),
        )
        for namespace, timetable in jobs
        if (found := instants[timetable])
    }


def _listed(jobs: int, runs: int) -> float:
    """The share of one run in the entries of the runs of so many jobs in a minute. A minute's first second is dispatched with the
    minute before, so a minute with other seconds has an entry more."""
    return (math.ceil(jobs / NAMED) + (runs > jobs)) / runs


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
