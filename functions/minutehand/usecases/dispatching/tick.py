"""The tick: everything that is due in the look-ahead, for as long as there is time, shared among several where it is much."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Protocol, TypeVar

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.timer import Due
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.dispatch_report import DispatchReport
from minutehand.usecases.ports.bundle import Ports

AT_ONCE = 50
"""Timers whose claims, messages and advances go together."""
RESERVE = timedelta(seconds=15)
"""A tick begins nothing further when it has less time than this: what is under way may have to wait for a busy table."""
HANDING_OVER = timedelta(seconds=15)
"""A tick asks others to take shards for so long, and then does what nobody has taken: most others are asked within milliseconds each."""

T = TypeVar("T")
R = TypeVar("R")

HandOver = Callable[[Sequence[int]], None]
"""Have another invocation dispatch these shards, from now on. `Unavailable` when nobody may have been asked."""


def _nobody(_shards: Sequence[int]) -> None:
    """Hand over to nobody."""
    raise Unavailable("there is nobody to hand shards over to")


class Parallel(Protocol):
    """What does one thing to many, several at a time; as `map` does, no further ahead than it can do at once."""

    def __call__(self, do: Callable[[T], R], given: Iterable[T], /) -> Iterator[R]:
        """What came of each."""


def tick(
    ports: Ports,
    *,
    shards: Sequence[int],
    time_left: Callable[[], timedelta],
    parallel: Parallel = map,
    most: int = 1,
    hand_over: HandOver = _nobody,
) -> DispatchReport:
    """Read the due shards and dispatch. What is not reached stays due, and the next tick finds it.

    Shards with so much that it takes more than one page are busy. Where several are, they are shared among at most
    so many invocations, this one among them; from the first that cannot be handed over on, it does them itself.
    """
    dispatched = DispatchReport()
    now = floor(ports.clock())
    try:
        ports.timers.record_tick(now.replace(second=0))
    except Unavailable as trouble:
        dispatched.problems.append(f"this tick's row: {trouble}")
    found = _looked(ports, shards, parallel)
    busy = [shard for shard in found if shard.is_busy]
    shares = [busy[turn::most] for turn in range(1, min(most, len(busy)))]
    until = time_left() - HANDING_OVER if shares else timedelta(0)
    for share in shares:
        numbers = [shard.number for shard in share]
        if time_left() <= until:
            dispatched.problems.append(f"shards {numbers} and further ones were not handed over: it takes too long")
            break
        try:
            hand_over(numbers)
        except Unavailable as trouble:
            dispatched.problems.append(str(trouble))
            break  # where nobody answers, asking for each share would take the time to do them
        dispatched.handed_over += len(share)
        found = [shard for shard in found if shard not in share]
    return _dispatch(ports, found, dispatched, time_left, parallel)


def share(
    ports: Ports, *, shards: Sequence[int], time_left: Callable[[], timedelta], parallel: Parallel = map
) -> DispatchReport:
    """Dispatch what a tick has handed over."""
    return _dispatch(ports, _looked(ports, shards, parallel), DispatchReport(), time_left, parallel)


class _Shard:
    """What is due in a shard, read page by page, one page ahead; where it cannot be read, that is a problem and its end."""

    def __init__(self, number: int, pages: Iterator[Sequence[Due]]) -> None:
        self.number = number
        self.problem: str | None = None
        self._pages = pages
        self._read: deque[Sequence[Due]] = deque()

    def look(self) -> _Shard:
        """Read two pages, if there are so many."""
        self._read_on()
        self._read_on()
        return self

    @property
    def is_busy(self) -> bool:
        """Whether it has more than a page."""
        return len(self._read) > 1

    def __iter__(self) -> Iterator[Due]:
        while self._read:
            yield from self._read.popleft()
            self._read_on()

    def _read_on(self) -> None:
        try:
            self._read.extend(islice(self._pages, 1))
        except Unavailable as trouble:
            self.problem = f"shard {self.number}: {trouble}"


def _looked(ports: Ports, shards: Sequence[int], parallel: Parallel) -> list[_Shard]:
    until = floor(ports.clock()) + ports.look_ahead
    return [*parallel(_Shard.look, (_Shard(number, _pages(ports, number, until)) for number in shards))]


def _pages(ports: Ports, shard: int, until: datetime) -> Iterator[Sequence[Due]]:
    """What is due in a shard; nothing is asked before the first page is."""
    yield from ports.timers.due(shard, until)


def _dispatch(
    ports: Ports,
    shards: Sequence[_Shard],
    dispatched: DispatchReport,
    time_left: Callable[[], timedelta],
    parallel: Parallel,
) -> DispatchReport:
    def goes_on() -> bool:
        dispatched.stopped_early = dispatched.stopped_early or time_left() < RESERVE
        return not dispatched.stopped_early

    def done(group: Sequence[Due]) -> DispatchReport:
        own = DispatchReport()
        try:
            dispatch(group, ports=ports, look_ahead=ports.look_ahead, dispatched=own, goes_on=goes_on)
        except Exception as trouble:  # noqa: BLE001 - whatever is wrong with one group must not delay another
            own.problems.append(f"{len(group)} timers: {trouble!r}")
        return own

    for each in parallel(done, _groups(shards, goes_on)):
        dispatched.add(each)
    dispatched.problems += [shard.problem for shard in shards if shard.problem]
    return dispatched


def _groups(shards: Sequence[_Shard], goes_on: Callable[[], bool]) -> Iterator[Sequence[Due]]:
    """What is due in groups, for as long as there is time: from each shard in turn, so that all of them share the writing
    and, where time is short, what is left."""
    due = _in_turn(shards)
    while goes_on() and (group := list(islice(due, AT_ONCE))):
        yield group


def _in_turn(given: Iterable[Iterable[T]]) -> Iterator[T]:
    """The first of each, then the second of each, and so on."""
    left = deque(iter(each) for each in given)
    while left:
        each = left.popleft()
        for found in islice(each, 1):
            yield found
            left.append(each)
