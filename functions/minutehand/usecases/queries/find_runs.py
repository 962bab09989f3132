"""Find runs: the runs of many jobs, newest first, with a bounded number of reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby, islice
from operator import attrgetter
from typing import NamedTuple

from minutehand.domain.errors import FieldProblem, Invalid, Unread, Unreadable, ignored
from minutehand.domain.instants import SECOND, floor, from_compact, from_text, to_compact
from minutehand.domain.job_filter import JobFilter
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.run_lists import Ended, RunLists
from minutehand.usecases.ports.stores import MOST_LOOKED_AT

MOST_HOURS = 60
"""Most hours of namespaces that are looked at for one page, and so most namespaces in a list by scheduled instant: each hour of each
has `QUERIES_OF_AN_HOUR`."""
MOST_ENDING = 300
"""Most namespaces in a list by end: each has a query."""
AT_ONCE = 100
"""Runs that are read at once where not all of them are wanted."""
_HOUR = timedelta(hours=1)
_AT, _RUN_ID = attrgetter("at"), attrgetter("run_id")


class RunQuery(NamedTuple):
    """Which runs to find.

    Attributes:
        start, end: whole seconds; the runs of instants in [start, end).
        states: the states of wanted runs; empty for all. If every one of them wants attention, the list is by the end of the runs,
            otherwise by their scheduled instants.
        labels: labels that the runs' jobs have now.
        target: the type of target that the runs have.
    """

    namespaces: Sequence[str]
    start: datetime
    end: datetime
    states: frozenset[RunState] = frozenset()
    labels: tuple[tuple[str, str], ...] = ()
    target: str | None = None

    @property
    def by_end(self) -> bool:
        """Whether the list is by the instants at which runs ended."""
        return bool(self.states) and all(state.wants_attention for state in self.states)

    @property
    def takes_all(self) -> bool:
        """Whether every run is wanted."""
        return not (self.states or self.labels or self.target)


class Place(NamedTuple):
    """A place in a list of runs, which goes on after it.

    Attributes:
        at: the run id, or the text of the end to the millisecond: texts in order of time.
        run: the last run that was looked at; None where every run of `at` or later was.
    """

    at: str
    run: RunKey | None = None

    @property
    def instant(self) -> datetime:
        """The instant of this place."""
        written = self.at.partition("~")[0]
        return from_text(written) if "-" in written else from_compact(written)

    def precedes(self, other: Place) -> bool:
        """Whether another place comes later in a list: it is older, or of the same instant and a later key."""
        if self.at != other.at:
            return self.at > other.at
        return self.run is not None and other.run is not None and self.run < other.run


class FoundRuns(NamedTuple):
    """A page of runs.

    Attributes:
        after: where the next page begins; None on the last.
        looked_until: every wanted run of a later instant is on this page or an earlier one.
    """

    runs: tuple[Run, ...]
    after: Place | None
    looked_until: datetime


def find_runs(
    ports: Ports, lists: RunLists, query: RunQuery, *, after: Place | None, limit: int, unreadable: Unread = ignored
) -> FoundRuns:
    """One page of runs, newest first and then by job. At most `MOST_LOOKED_AT` runs are looked at, and `MOST_HOURS` hours.

    A run that cannot be read is left out, after `unreadable` has been called.

    Raises:
        Invalid: with path `namespace`, if there are too many namespaces.
    """
    _refuse_too_many(query)
    places = _by_end(lists, query, after) if query.by_end else _by_time(lists, query, after, unreadable)
    reader = _Reader(ports, query, unreadable)
    runs: list[Run] = []
    last = after
    looked = 0
    while looked < MOST_LOOKED_AT:
        size = limit - len(runs) if query.takes_all else AT_ONCE
        chunk = [*islice(places, min(size, MOST_LOOKED_AT - looked))]
        if not chunk or (chunk[-1].run is None and len(chunk) == 1):
            return _found(query, runs, chunk[-1] if chunk else None)
        looked += len(chunk)
        wanted = reader.wanted([place.run for place in chunk if place.run])
        for place in chunk:
            if place.run is not None and place.run in wanted:
                runs.append(wanted[place.run])
                if len(runs) == limit:
                    return _found(query, runs, place)
        last = chunk[-1]
        if last.run is None:
            break
    return _found(query, runs, last)


def _found(query: RunQuery, runs: Sequence[Run], last: Place | None) -> FoundRuns:
    return FoundRuns(tuple(runs), last, query.start if last is None else max(last.instant, query.start))


def _refuse_too_many(query: RunQuery) -> None:
    most = MOST_ENDING if query.by_end else MOST_HOURS
    if len(query.namespaces) > most:
        other = "" if query.by_end else ", or a state that is listed by its end, such as failed"
        raise Invalid(
            FieldProblem(
                path="namespace",
                message=f"these are runs of {len(query.namespaces)} namespaces; {most} are the most of one list",
                hint=f"give one namespace{other}",
            )
        )


def _by_time(lists: RunLists, query: RunQuery, after: Place | None, unreadable: Unread) -> Iterator[Place]:
    """Runs after a place by scheduled instant. Where `MOST_HOURS` end the search, a place without a run is the last."""
    left = MOST_HOURS
    end = query.end if after is None else after.instant if after.run is None else after.instant + SECOND
    while query.start < end and query.namespaces:
        if left < len(query.namespaces):
            yield Place(to_compact(end))
            return
        left -= len(query.namespaces)
        begin = max((end - SECOND).replace(minute=0, second=0), query.start)
        keys = [
            (key for page in lists.by_time(name, begin, end, unreadable) for key in page) for name in query.namespaces
        ]
        for run_id, same in groupby(merge(*keys, key=_RUN_ID, reverse=True), key=_RUN_ID):
            yield from _after(after, (Place(run_id, key) for key in sorted(same)))
        end = begin


def _by_end(lists: RunLists, query: RunQuery, after: Place | None) -> Iterator[Place]:
    """Runs after a place by their ends."""
    end = query.end if after is None else floor(after.instant) + SECOND
    ended = [(each for page in lists.by_end(name, query.start, end) for each in page) for name in query.namespaces]
    for at, same in groupby(merge(*ended, key=_AT, reverse=True), key=_AT):
        yield from _after(after, (Place(_to_millisecond(at), each.run) for each in sorted(same, key=_run_of)))


def _run_of(ended: Ended) -> RunKey:
    return ended.run


def _after(after: Place | None, places: Iterator[Place]) -> Iterator[Place]:
    return (place for place in places if after is None or after.run is None or after.precedes(place))


def _to_millisecond(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Reader:
    """Reads runs, and chooses those that a query wants. It reads the labels of each job once."""

    def __init__(self, ports: Ports, query: RunQuery, unreadable: Unread) -> None:
        self._ports = ports
        self._query = query
        self._unreadable = unreadable
        self._labelled: dict[JobKey, bool] = {}

    def wanted(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """Of runs with these keys, those that exist and are wanted."""
        query = self._query
        found = look_at(self._ports, self._of_labelled_jobs(keys) if query.labels else keys, self._unreadable)
        return {
            key: run
            for key, run in found.items()
            if (not query.states or run.state in query.states) and query.target in (None, run.target)
        }

    def _of_labelled_jobs(self, keys: Sequence[RunKey]) -> Sequence[RunKey]:
        new = [job for job in dict.fromkeys(key.job for key in keys) if job not in self._labelled]
        entries = self._ports.definitions.entries(new) if new else {}
        chosen, now = JobFilter(labels=self._query.labels), self._ports.clock()
        self._labelled |= {job: job in entries and chosen.passes(entries[job].job, now) for job in new}
        return [key for key in keys if self._labelled[key.job]]


def look_at(ports: Ports, keys: Sequence[RunKey], unreadable: Unread) -> Mapping[RunKey, Run]:
    """The runs that exist, for half the read units. Calls `unreadable` for each that cannot be read."""
    if not keys:
        return {}
    try:
        found = ports.runs.look(keys)
        # A replica may lack a run that was just claimed. Most others that are missing were never claimed, or were removed.
        missing = [key for key in keys if key not in found]
        return {**found, **ports.runs.get(missing)} if missing else found
    except Unreadable as trouble:
        if len(keys) == 1:
            unreadable(trouble)
            return {}
    return {key: run for each in keys for key, run in look_at(ports, [each], unreadable).items()}
