"""Sweep: send runs again that should have begun or ended, or have started other runs, so that a worker checks them. The sweep itself
decides nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from operator import attrgetter

from minutehand.domain import errors
from minutehand.domain.errors import Unavailable, Unread
from minutehand.domain.instants import SECOND, doubling, floor
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.child_runs import without_children
from minutehand.usecases.dispatching.send import (
    LONGEST_RESEND_WAIT,
    OVERDUE,
    Failed,
    ignored,
    overdue,
    overdue_at,
    reminder,
    resend_each,
)
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.sweeps import MOST_IN_A_LIST, Span, SweepProgress, Watchlist
from minutehand.usecases.retries import read_each

SWEEP_EVERY = timedelta(minutes=1)
"""Interval of the sweep."""
FIRST_SPAN = timedelta(days=14)
"""How far back the first sweep of a stack looks: as long as the queue keeps messages."""
LOOK_EVERY = timedelta(minutes=15)
"""Longest time between two looks at an active run. What happens in between may have a worker check the run sooner than was known."""
AT_ONCE = 100
"""Runs that are read together; the time left is checked in between."""
MOST_KEYS = 50_000
"""Most keys of a span that are read before any of its runs is, to bound memory; a span with more is divided."""
FOLLOWED_UP = timedelta(seconds=10)
"""Time in which the worker that ended a run starts the runs of its children."""
_HOUR = timedelta(hours=1)
_NEWEST = timedelta(minutes=10)
_EARLY = timedelta(seconds=20)
"""How long before the expected start of a later sweep its watchlists are due, since sweeps do not start exactly on time."""
_RESERVE = timedelta(seconds=10)
"""Time kept for writing watchlists and the progress."""


def sweep(
    ports: Ports,
    *,
    time_left: Callable[[], timedelta],
    failed: Failed = ignored,
    unreadable: Unread = errors.ignored,
) -> Sequence[RunKey]:
    """Send overdue runs again: their worker died before it hid their message for as long as needed, the queue was purged, or the
    message expired.

    Every run is looked at a minute after its instant. A run that is still active then goes on a watchlist, and is looked at again
    when it may be overdue, until it has ended. Every hour of runs is looked at once more an hour later, in case the index did not
    name a run in time. What time does not allow is left to the next sweep.

    A sweep first looks at the newest runs and the watchlists; after an outage of the sweep then at the hour in which it stopped, whose
    runs were under way; then at the rest, newest first.

    ◆ The watchlists are stored before the progress and before the lists that they replace are removed: if this process dies, or
    another sweep does the same, runs are looked at twice rather than never.

    Args:
        failed: called with each run that could not be read or sent, and why.
        unreadable: called for each entry of runs that cannot be read: those of its runs that no other entry names are not looked at.

    Returns:
        The keys of the runs that were resent.

    Raises:
        Unavailable: when a store does not answer; the next sweep repeats all of it.
    """
    now = ports.clock()
    before = ports.sweeps.progress() or SweepProgress(until=floor(now) - FIRST_SPAN)
    until = max(before.until, floor(now) - OVERDUE)
    new = hours([Span(before.until, until)])
    newest = [span for span in new if span.end > until - _NEWEST]
    older = new[len(newest) :]
    later = [*older[-1:], *older[:-1], *hours(before.left), *hours([second_look(before.until, until)])]
    looks = _Looks(ports, now, time_left, failed, unreadable)
    left = looks.through(newest)
    done = looks.again()
    left += looks.through(later)
    looks.keep()
    for watchlist in done:
        ports.sweeps.drop(watchlist)
    progress = SweepProgress(until, joined(left), before.version + 1)
    # Without a run, once an hour: the next sweep looks at the same empty minutes again, by the same queries.
    if looks.seen or progress.left != before.left or _hour(until) != _hour(before.until):
        ports.sweeps.record(progress)
    return looks.resent


class _Looks:
    """The looks of one sweep.

    Attributes:
        resent: the keys of the runs that were resent.
        seen: the keys of all runs that were looked at.
    """

    def __init__(
        self,
        ports: Ports,
        now: datetime,
        time_left: Callable[[], timedelta],
        failed: Failed,
        unreadable: Unread,
    ) -> None:
        self.resent: list[RunKey] = []
        self._ports = ports
        self._now = now
        self._time_left = time_left
        self._failed = failed
        self._unreadable = unreadable
        self._namespaces = ports.definitions.namespaces()
        self.seen: set[RunKey] = set()
        self._watched: defaultdict[tuple[datetime, int], list[RunKey]] = defaultdict(list)

    def through(self, spans: Sequence[Span]) -> list[Span]:
        """Look at the runs of these spans, in this order, the newest of each first. Returns what time did not allow."""
        left: list[Span] = []
        todo = [*reversed(spans)]
        while todo:
            span = todo.pop()
            keys = self._keys(span)
            if keys is None:
                left.append(span)
                continue
            if len(keys) > MOST_KEYS and span.end - span.start > SECOND:
                middle = floor(span.start + (span.end - span.start) / 2)
                todo += [Span(span.start, middle), Span(middle, span.end)]
                continue
            keys.sort(key=attrgetter("run_id"), reverse=True)
            looked = self._at(keys)
            if looked < len(keys):
                left.append(Span(span.start, keys[looked].scheduled_for + SECOND))
        return left

    def again(self) -> Sequence[Watchlist]:
        """Look at the runs of the watchlists that are due, as far as time allows. Returns the lists that were finished."""
        done: list[Watchlist] = []
        for page in self._ports.sweeps.due(self._now):
            for watchlist in page:
                if self._at(watchlist.runs, watchlist.resends) < len(watchlist.runs):
                    return done
                done.append(watchlist)
        return done

    def keep(self) -> None:
        """Store the watchlists of the runs that are to be looked at again."""
        for (look_at, resends), keys in self._watched.items():
            for first in range(0, len(keys), MOST_IN_A_LIST):
                self._ports.sweeps.watch(Watchlist(look_at, tuple(keys[first : first + MOST_IN_A_LIST]), resends))

    def _keys(self, span: Span) -> list[RunKey] | None:
        """The keys of all runs in a span, or of more than `MOST_KEYS`; None when time is short."""
        keys: list[RunKey] = []
        for namespace in self._namespaces if span.end > span.start else ():
            if self._time_left() < _RESERVE:
                return None
            for page in self._ports.runs.within(namespace, span.start, span.end, self._unreadable):
                keys += page
                if len(keys) > MOST_KEYS and span.end - span.start > SECOND:
                    return keys
        return keys

    def _at(self, keys: Sequence[RunKey], resends: int = 0) -> int:
        """Look at runs in this order, as far as time allows. Returns the number of those looked at."""
        for first in range(0, len(keys), AT_ONCE):
            if self._time_left() < _RESERVE:
                return first
            new = [key for key in keys[first : first + AT_ONCE] if key not in self.seen]
            self.seen.update(new)
            if new:
                self._look(new, resends)
        return len(keys)

    def _look(self, keys: Sequence[RunKey], resends: int) -> None:
        # The runs read may be stale, which is safe: the conditional write of a resend fails for a run that has changed since, and one
        # that seems active is looked at again. One that seems not to exist is read consistently.
        runs, unread = read_each(self._ports.runs.look, keys)
        if missing := [key for key in keys if key not in runs and key not in unread]:
            found, unfound = read_each(self._ports.runs.get, missing)
            runs |= found
            unread |= unfound
        counts = {run.key: 0 if moved_since_resend(run) else max(resends, 1) for run in runs.values()}
        stuck = [run for run in runs.values() if overdue(run, self._now, wait=resend_wait(counts[run.key]))]
        sent = resend_each(stuck, self._now, self._ports, self._failed) if stuck else ()
        self.resent += [run.key for run in stuck if run.key in sent]
        self._look_at_ended([run for run in runs.values() if run.state.finished and run.has_children], resends)
        for run in runs.values():
            if run.key in sent:
                self._watch(run.key, self._now, counts[run.key] + 1)
            elif not run.state.finished:
                self._watch(run.key, self._next_look(run, counts[run.key]), counts[run.key])
        for key, trouble in unread.items():
            self._failed(key, trouble)
            self._watch(key, self._now, resends)

    def _look_at_ended(self, parents: Sequence[Run], resends: int) -> None:
        """Have a worker follow up ended runs again that have not started the runs of their children. The ends of the last seconds are
        looked at by the next sweep."""
        settled = [run for run in parents if run.finished_at is None or run.finished_at + FOLLOWED_UP <= self._now]
        for run in parents:
            if run not in settled:
                self._watch(run.key, self._now, resends)
        try:
            left = without_children(settled, self._ports) if settled else ()
            messages = [reminder(run, self._now) for run in settled if run.key in left]
            sent = self._ports.outbox.send(messages) if messages else ()
        except Unavailable as trouble:
            for run in settled:
                self._failed(run.key, trouble)
                self._watch(run.key, self._now, resends)
            return
        for message, accepted in zip(messages, sent, strict=True):
            self._watch(message.run, self._now + resend_wait(resends if accepted else 0), resends + accepted)
            if accepted:
                self.resent.append(message.run)
            else:
                self._failed(message.run, Unavailable("the queue did not take the message"))

    def _next_look(self, run: Run, resends: int) -> datetime:
        """When to look again at an active run that is not sent now."""
        if run.state is RunState.RUNNING:
            return self._now  # its attempt may end long before the lease does, and then the next attempt is due
        if run.resent_at is None or not resends:
            return overdue_at(run)
        # A worker may have the message now, and die. Looks at ever longer intervals find that, and are few for a run that waits in a
        # long queue.
        return min(run.resent_at + resend_wait(resends), self._now + (self._now - run.resent_at))

    def _watch(self, key: RunKey, at: datetime, resends: int) -> None:
        """Have the first sweep that starts after `at` look at a run, but not later than `LOOK_EVERY` from now."""
        sweeps = max(-((self._now - min(at, self._now + LOOK_EVERY)) // SWEEP_EVERY), 1)
        self._watched[floor(self._now + sweeps * SWEEP_EVERY - _EARLY), resends].append(key)


def resend_wait(resends: int) -> timedelta:
    """Minimum time to the next resend of a run that was resent so often in a row.

    A run whose new message is lost too is overdue again a minute later. The wait then doubles each time, up to a day, so that resends
    do not multiply in a queue that is hours long."""
    return doubling(OVERDUE, LONGEST_RESEND_WAIT, resends)


def moved_since_resend(run: Run) -> bool:
    """Whether a run was never resent, or is due later than its last resend: then a worker has handled it since."""
    return run.resent_at is None or overdue_at(run) - OVERDUE > run.resent_at


def second_look(before: datetime, until: datetime) -> Span:
    """The hours of runs to look at once more when the first look goes on from `before` to `until`; empty unless an hour begins in
    between."""
    start, end = (_hour(one) - _HOUR for one in (before, until))
    return Span(start, min(end, max(before, start)))


def _hour(instant: datetime) -> datetime:
    """The full hour at or before an instant of whole seconds."""
    return instant.replace(minute=0, second=0)


def hours(spans: Sequence[Span]) -> list[Span]:
    """Spans divided at the hours, at which the index `by_time` and the entries begin new partitions; latest first."""

    def parts(span: Span) -> Iterator[Span]:
        end = span.end
        while end > span.start:
            start = max(_hour(end - SECOND), span.start)
            yield Span(start, end)
            end = start

    return [part for span in sorted(spans, reverse=True) for part in parts(span)]


def joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The same instants in as few spans as possible, latest first."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and found[-1].end >= span.start:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(reversed(found))
