"""Sweep: send runs again that should have begun or ended, so that a worker checks them. The sweep itself decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.run import RunKey
from minutehand.usecases.dispatching.send import OVERDUE, SWEPT_HOURS, overdue, resend
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import read_each

SWEEP_EVERY = timedelta(minutes=2)
"""Interval of the sweep."""
AT_ONCE = 100
"""Runs that are read together; the time left is checked in between. A page of the index `by_time` has about ten thousand keys."""
_SLACK = timedelta(minutes=1)
_RESERVE = timedelta(seconds=10)


Failed = Callable[[RunKey, Unavailable], None]
"""Takes each run that could not be read or sent, and why."""


def _ignore(_run: RunKey, _trouble: Unavailable) -> None:
    pass


def sweep(
    ports: Ports, *, time_left: Callable[[], timedelta], now: datetime | None = None, failed: Failed = _ignore
) -> Sequence[RunKey]:
    """Send overdue runs again: their worker died before it hid their message for as long as needed, the queue was purged, or the
    message expired.

    Each run is checked soon after its instant, and again at the ages of `SWEPT_HOURS`. Recent runs of all namespaces come first, since
    older hours may take longer than time allows. Each sweep begins with another namespace, so that none starves when time is short.

    Args:
        now: when the sweep was invoked, if that was a while ago, so that its range begins where the previous sweep's ended.

    Returns:
        The keys of the runs that were resent.
    """
    now = now or ports.clock()
    namespaces = ports.definitions.namespaces()
    begin = int(now.timestamp() / SWEEP_EVERY.total_seconds()) % max(len(namespaces), 1)
    in_turn = [*namespaces[begin:], *namespaces[:begin]]
    resent: list[RunKey] = []
    pages = (
        page
        for start, end in _spans(floor(now))
        for namespace in in_turn
        for page in ports.runs.within(namespace, start, end)
    )
    for keys in _batches(pages):
        if time_left() < _RESERVE:
            return resent
        # The runs read may be stale, which is safe: the conditional write of a resend fails for a run that has changed since.
        runs, unread = read_each(ports.runs.look, keys)
        for key, trouble in unread.items():
            failed(key, trouble)
        for run in runs.values():
            if not overdue(run, now):
                continue
            if time_left() < _RESERVE:
                return resent
            try:
                if resend(run, now, ports):
                    resent.append(run.key)
            except Unavailable as trouble:
                failed(run.key, trouble)
    return resent


def _batches(pages: Iterable[Sequence[RunKey]]) -> Iterator[Sequence[RunKey]]:
    """The keys of pages of any length, at most `AT_ONCE` together."""
    for page in pages:
        for first in range(0, len(page), AT_ONCE):
            yield page[first : first + AT_ONCE]


def _spans(now: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Ranges of instants whose runs are checked now: the recent one, and in the first sweep of an hour the older hours."""
    yield now - OVERDUE - SWEEP_EVERY - _SLACK, now - OVERDUE
    this_hour = now.replace(minute=0, second=0)
    if now - this_hour < SWEEP_EVERY:
        for age in SWEPT_HOURS:
            start = this_hour - timedelta(hours=age)
            yield start, start + timedelta(hours=1)
