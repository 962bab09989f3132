"""Tick: dispatch everything due within the look-ahead, as far as time allows. If much is due, further invocations take over some of
the shards (parts of the due index) and buckets (of packed timers)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple, Protocol, TypeVar

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.timer import Deadline, Due
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.ports.bundle import Ports

LEAST_AT_ONCE, MOST_AT_ONCE = 50, 250
"""Timers in a group. Their runs are claimed together and sent together, and then the timers are advanced together. The first groups are
small, so that every thread has one; later ones are a quarter of what came before, since large groups need fewer calls."""
SORTED_AT_ONCE = 1_000
"""Most timers that are read ahead of their groups, to bring together those of a namespace. No page is read ahead for them: each shard
and bucket has two in memory, which usually hold more."""
RESERVE = timedelta(seconds=15)
"""With less time left than this, a tick begins no further group of timers: those in progress may have to wait for a busy table."""
OPENING_RESERVE = RESERVE + timedelta(seconds=5)
"""With less time left than this, a tick dispatches what it has found, and leaves what it has not read to later ticks."""
HAND_OVER_LIMIT = timedelta(seconds=15)
"""A tick delegates parts to other invocations for at most this long, and dispatches the rest itself. A call takes milliseconds."""

T = TypeVar("T")
R = TypeVar("R")


class Parts(NamedTuple):
    """Parts of the timers, each of which is read by itself: shards of the due index, and buckets of packed timers."""

    shards: Sequence[int] = ()
    buckets: Sequence[int] = ()

    def __str__(self) -> str:
        named = (("shards", self.shards), ("buckets", self.buckets))
        return " and ".join(f"{kind} {', '.join(map(str, numbers))}" for kind, numbers in named if numbers)


HandOver = Callable[[Parts], None]
"""Asks another invocation to dispatch these parts. Raises `Unavailable` when the request may have failed."""


def _no_hand_over(_parts: Parts) -> None:
    raise Unavailable("no other invocation is configured to take parts of the timers")


class Parallel(Protocol):
    """Lazy map with bounded concurrency: like `map`, it reads no further ahead than it can run at once."""

    def __call__(self, do: Callable[[T], R], given: Iterable[T], /) -> Iterator[R]:
        """The results, in order."""


def tick(
    ports: Ports,
    *,
    parts: Parts,
    time_left: Callable[[], timedelta],
    parallel: Parallel = map,
    most: int = 1,
    hand_over: HandOver = _no_hand_over,
) -> DispatchReport:
    """Read all shards and buckets, and dispatch what is due. What does not fit into the time stays due for the next tick.

    A part is busy when more than one page of timers is due in it. Busy parts are shared among at most `most` invocations, this
    one included. Once a share cannot be handed over, this invocation dispatches it and all further ones itself.
    """
    report = DispatchReport()
    now = floor(ports.clock())
    try:
        ports.timers.record_tick(now.replace(second=0))
    except Unavailable as trouble:
        report.problems.append(f"the record that this tick ran could not be written: {trouble}")
    found = _open(ports, parts, time_left, parallel)
    busy = [part for part in found if part.is_busy]
    shares = [busy[turn::most] for turn in range(1, min(most, len(busy)))]
    until = time_left() - HAND_OVER_LIMIT if shares else timedelta(0)
    for share in shares:
        named = _named(share)
        if time_left() <= until:
            report.problems.append(f"{named} and further ones were not handed over: that takes too long")
            break
        try:
            hand_over(named)
        except Unavailable as trouble:
            report.problems.append(str(trouble))
            break  # where no invocation answers, asking for each share would take as long as dispatching it
        report.handed_over += len(share)
        found = [part for part in found if part not in share]
    return _dispatch(ports, found, report, time_left, parallel)


def share(
    ports: Ports, *, parts: Parts, time_left: Callable[[], timedelta], parallel: Parallel = map
) -> DispatchReport:
    """Dispatch the parts that a tick has handed over."""
    return _dispatch(ports, _open(ports, parts, time_left, parallel), DispatchReport(), time_left, parallel)


class _Part:
    """The due timers of a shard or a bucket, read a page ahead. At a page that cannot be read, or that time does not allow, the
    iteration ends, and `problem` says why: ◆ what was not read stays due, and says nothing about the timers."""

    def __init__(
        self, number: int, pages: Iterator[Sequence[Due]], time_left: Callable[[], timedelta], *, packed: bool
    ) -> None:
        self.number = number
        self.packed = packed
        self.problem: str | None = None
        self.is_read = False
        self.is_cut = False
        self._ended = False
        self._pages = pages
        self._time_left = time_left
        self._read: deque[Sequence[Due]] = deque()

    def open(self) -> _Part:
        """Read the first two pages, as far as time allows."""
        self._read_on(OPENING_RESERVE)
        self._read_on(OPENING_RESERVE)
        return self

    @property
    def is_busy(self) -> bool:
        """Whether more than one page of timers is due in the part."""
        return len(self._read) > 1

    def __iter__(self) -> Iterator[Due]:
        while self._read:
            yield from self._read.popleft()
            self._read_on(RESERVE)

    def _read_on(self, reserve: timedelta) -> None:
        """Read the next page in which something is due, unless less time than `reserve` is left."""
        while not self._ended:
            if self._time_left() < reserve:
                self.is_cut = True
                self._end("time ran out before it was read to its end")
                return
            try:
                page = next(self._pages, None)
            except Unavailable as trouble:
                self._end(trouble)
                return
            self.is_read = True
            if page:
                self._read.append(page)
                return
            self._ended = page is None

    def _end(self, problem: object) -> None:
        self._ended = True
        self.problem = f"{'bucket' if self.packed else 'shard'} {self.number}: {problem}"


def _open(ports: Ports, parts: Parts, time_left: Callable[[], timedelta], parallel: Parallel) -> list[_Part]:
    """The parts, their first pages read as far as time allows. ◆ They are read and dispatched in turn, from another one on in each minute:
    ticks that run out of time leave other timers due each time."""
    now = floor(ports.clock())
    until = now + ports.look_ahead
    timers = ports.timers
    shards = [_Part(number, _pages(timers.due, number, until), time_left, packed=False) for number in parts.shards]
    buckets = [
        _Part(number, _pages(timers.due_packed, number, until), time_left, packed=True) for number in parts.buckets
    ]
    mixed = [*_round_robin([shards, buckets])]
    begin = int(now.timestamp()) // 60 % len(mixed) if mixed else 0
    return [*parallel(_Part.open, (*mixed[begin:], *mixed[:begin]))]


def _pages(
    read: Callable[[int, datetime], Iterator[Sequence[Due]]], number: int, until: datetime
) -> Iterator[Sequence[Due]]:
    """Pages of due timers, the earliest of each page first; the store is not called before the first one is read."""
    for page in read(number, until):
        yield sorted(page, key=lambda timer: timer.next_at or until)


def _named(parts: Sequence[_Part]) -> Parts:
    return Parts(
        shards=[part.number for part in parts if not part.packed],
        buckets=[part.number for part in parts if part.packed],
    )


def _dispatch(
    ports: Ports,
    parts: Sequence[_Part],
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
        # Groups take timers from all parts in turn, which spreads the writes and, if time runs out, what stays due.
        due, taken = _by_namespace(_round_robin(parts)), 0
        while may_continue() and (group := list(islice(due, group_size(taken)))):
            taken += len(group)
            yield group

    for each in parallel(dispatch_group, groups()):
        report.add(each)
    report.problems += [part.problem for part in parts if part.problem]
    report.stopped_early = report.stopped_early or any(part.is_cut for part in parts)
    report.parts += len(parts)
    report.unread += sum(not part.is_read for part in parts)
    return report


def group_size(taken: int) -> int:
    """The number of timers in the group that follows so many."""
    return min(max(LEAST_AT_ONCE, taken // 4), MOST_AT_ONCE)


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
