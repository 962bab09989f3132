"""Tick: dispatch everything due within the look-ahead, as far as time allows. If much is due, further invocations take over some of
the shards (parts of the due index)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Protocol, TypeVar

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.timer import Deadline, Due
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.ports.bundle import Ports

AT_ONCE = 50
"""Most timers in a group. Their runs are claimed together and sent together, and then the timers are advanced together."""
SORTED_AT_ONCE = 20 * AT_ONCE
"""Most timers that are read ahead of their groups, to bring together those of a namespace. No page is read ahead for them: each shard
has two in memory, which usually hold more."""
RESERVE = timedelta(seconds=15)
"""With less time left than this, a tick begins no further group of timers: those in progress may have to wait for a busy table."""
HAND_OVER_LIMIT = timedelta(seconds=15)
"""A tick delegates shards to other invocations for at most this long, and dispatches the rest itself. A call takes milliseconds."""

T = TypeVar("T")
R = TypeVar("R")

HandOver = Callable[[Sequence[int]], None]
"""Asks another invocation to dispatch these shards. Raises `Unavailable` when the request may have failed."""


def _no_hand_over(_shards: Sequence[int]) -> None:
    raise Unavailable("no other invocation is configured to take shards")


class Parallel(Protocol):
    """Lazy map with bounded concurrency: like `map`, it reads no further ahead than it can run at once."""

    def __call__(self, do: Callable[[T], R], given: Iterable[T], /) -> Iterator[R]:
        """The results, in order."""


def tick(
    ports: Ports,
    *,
    shards: Sequence[int],
    time_left: Callable[[], timedelta],
    parallel: Parallel = map,
    most: int = 1,
    hand_over: HandOver = _no_hand_over,
) -> DispatchReport:
    """Read the shards of the due index and dispatch what is due. What does not fit into the time stays due for the next tick.

    A shard is busy when more than one page of timers is due in it. Busy shards are shared among at most `most` invocations, this
    one included. Once a share cannot be handed over, this invocation dispatches it and all further ones itself.
    """
    report = DispatchReport()
    now = floor(ports.clock())
    try:
        ports.timers.record_tick(now.replace(second=0))
    except Unavailable as trouble:
        report.problems.append(f"the record that this tick ran could not be written: {trouble}")
    found = _open(ports, shards, parallel)
    busy = [shard for shard in found if shard.is_busy]
    shares = [busy[turn::most] for turn in range(1, min(most, len(busy)))]
    until = time_left() - HAND_OVER_LIMIT if shares else timedelta(0)
    for share in shares:
        numbers = [shard.number for shard in share]
        if time_left() <= until:
            report.problems.append(f"shards {numbers} and further ones were not handed over: that takes too long")
            break
        try:
            hand_over(numbers)
        except Unavailable as trouble:
            report.problems.append(str(trouble))
            break  # where no invocation answers, asking for each share would take as long as dispatching it
        report.handed_over += len(share)
        found = [shard for shard in found if shard not in share]
    return _dispatch(ports, found, report, time_left, parallel)


def share(
    ports: Ports, *, shards: Sequence[int], time_left: Callable[[], timedelta], parallel: Parallel = map
) -> DispatchReport:
    """Dispatch the shards that a tick has handed over."""
    return _dispatch(ports, _open(ports, shards, parallel), DispatchReport(), time_left, parallel)


class _Shard:
    """The due timers of one shard, read a page ahead. At a page that cannot be read the iteration ends, and `problem` says why."""

    def __init__(self, number: int, pages: Iterator[Sequence[Due]]) -> None:
        self.number = number
        self.problem: str | None = None
        self.is_read = False
        self._pages = pages
        self._read: deque[Sequence[Due]] = deque()

    def open(self) -> _Shard:
        """Read the first two pages."""
        self._read_on()
        self._read_on()
        return self

    @property
    def is_busy(self) -> bool:
        """Whether more than one page of timers is due in the shard."""
        return len(self._read) > 1

    def __iter__(self) -> Iterator[Due]:
        while self._read:
            yield from self._read.popleft()
            self._read_on()

    def _read_on(self) -> None:
        try:
            self._read.extend(islice(self._pages, 1))
            # A failed read ends the iteration, so the next one raises nothing.
            self.is_read = self.is_read or self.problem is None
        except Unavailable as trouble:
            self.problem = f"shard {self.number}: {trouble}"


def _open(ports: Ports, shards: Sequence[int], parallel: Parallel) -> list[_Shard]:
    until = floor(ports.clock()) + ports.look_ahead
    return [*parallel(_Shard.open, (_Shard(number, _pages(ports, number, until)) for number in shards))]


def _pages(ports: Ports, shard: int, until: datetime) -> Iterator[Sequence[Due]]:
    """Pages of due timers; the store is not called before the first one is read."""
    yield from ports.timers.due(shard, until)


def _dispatch(
    ports: Ports,
    shards: Sequence[_Shard],
    report: DispatchReport,
    time_left: Callable[[], timedelta],
    parallel: Parallel,
) -> DispatchReport:
    def may_continue() -> bool:
        report.stopped_early = report.stopped_early or time_left() < RESERVE
        return not report.stopped_early

    def dispatch_group(group: Sequence[Due]) -> DispatchReport:
        own = DispatchReport()
        try:
            dispatch(group, ports=ports, look_ahead=ports.look_ahead, report=own, may_continue=may_continue)
        except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one group must not delay another
            own.failed(f"{len(group)} timers: {trouble!r}", trouble)
        return own

    def groups() -> Iterator[Sequence[Due]]:
        # Groups take timers from all shards in turn, which spreads the writes and, if time runs out, what stays due.
        due = _by_namespace(_round_robin(shards))
        while may_continue() and (group := list(islice(due, AT_ONCE))):
            yield group

    for each in parallel(dispatch_group, groups()):
        report.add(each)
    report.problems += [shard.problem for shard in shards if shard.problem]
    report.shards += len(shards)
    report.unread += sum(not shard.is_read for shard in shards)
    return report


def _round_robin(given: Iterable[Iterable[T]]) -> Iterator[T]:
    """The first element of each iterable, then the second of each, and so on."""
    left = deque(iter(each) for each in given)
    while left:
        each = left.popleft()
        for found in islice(each, 1):
            yield found
            left.append(each)


def _by_namespace(due: Iterator[Due]) -> Iterator[Due]:
    """The same timers, in each `SORTED_AT_ONCE` of them those of a namespace together, since one entry names the runs of one namespace.

    Namespaces come in the order of their first timers, so none is always last, and each one's timers keep their order.
    """
    while read := list(islice(due, SORTED_AT_ONCE)):
        found: defaultdict[str, list[Due]] = defaultdict(list)
        for timer in read:
            found[(timer.run if isinstance(timer, Deadline) else timer).job.namespace].append(timer)
        for timers in found.values():
            yield from timers
