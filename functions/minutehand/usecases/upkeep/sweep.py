"""The sweep: finds runs that should have begun or ended, and has a worker look at them. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.run import Run, RunKey
from minutehand.usecases.dispatching.send import OVERDUE, SWEPT_HOURS, overdue, try_resend
from minutehand.usecases.ports.bundle import Ports

SWEEP_EVERY = timedelta(minutes=2)
"""How often the sweep is called."""
AT_ONCE = 100
"""Runs that are read together, between two looks at the clock: a page of the index names some ten thousand."""
_SLACK = timedelta(minutes=1)
_RESERVE = timedelta(seconds=10)


def sweep(ports: Ports, *, time_left: Callable[[], timedelta], now: datetime | None = None) -> Sequence[RunKey]:
    """Send again what is overdue: a worker died before it could say how long its messages should stay hidden, a queue was
    purged, a message expired.

    Each run is looked at once soon after its instant, and a few times more as it ages: what was due a moment ago in all namespaces first,
    since the older hours may take longer than there is time for. Namespaces are begun at another one each time, so that sweeps that run
    short of time starve none. Answers the runs that were sent again.

    Args:
        now: when the sweep was called, if that was a while ago: what one looks at begins where the one before it ended.
    """
    now = now or ports.clock()
    namespaces = ports.definitions.namespaces()
    begin = int(now.timestamp() / SWEEP_EVERY.total_seconds()) % max(len(namespaces), 1)
    in_turn = [*namespaces[begin:], *namespaces[:begin]]
    sent_again: list[RunKey] = []
    for start, end in _spans(floor(now)):
        for namespace in in_turn:
            for keys in _few(ports.runs.within(namespace, start, end)):
                if time_left() < _RESERVE:
                    return sent_again
                for run in _readable(keys, ports):
                    if not overdue(run, now):
                        continue
                    if time_left() < _RESERVE:
                        return sent_again
                    if try_resend(run, now, ports):
                        sent_again.append(run.key)
    return sent_again


def _few(pages: Iterable[Sequence[RunKey]]) -> Iterator[Sequence[RunKey]]:
    """Pages of any length, a few at a time."""
    for page in pages:
        for first in range(0, len(page), AT_ONCE):
            yield page[first : first + AT_ONCE]


def _spans(now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """What is to be looked at now: what was due a moment ago, and in the first sweep of an hour the older hours too."""
    yield now - OVERDUE - SWEEP_EVERY - _SLACK, now - OVERDUE
    this_hour = now.replace(minute=0, second=0)
    if now - this_hour < SWEEP_EVERY:
        for age in SWEPT_HOURS:
            start = this_hour - timedelta(hours=age)
            yield start, start + timedelta(hours=1)


def _readable(keys: Sequence[RunKey], ports: Ports) -> list[Run]:
    """The runs that can be read, one by one when one call for all fails: the others must not wait for a bad one.

    They may be as they were a moment ago: what a run has become since keeps it from being sent again.
    """
    try:
        return list(ports.runs.look(keys).values())
    except Unavailable:
        return [] if len(keys) == 1 else [run for key in keys for run in _readable([key], ports)]
