"""Simulated ticks: each minute, due timers are read, claimed, sent and advanced, by one invocation or several."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.capacity import model
from benchmarks.capacity.events import Events, Timers, size
from benchmarks.capacity.settings import Settings
from benchmarks.capacity.store import Store

CLAIMING, SENDING, ADVANCING = 0.4, 0.2, 0.4
"""Shares of an occurrence's processor time."""


Send = Callable[[Timers], None]
"""Receives sent messages."""


class Ticks:
    """All ticks, until nothing is due or the last one has run.

    Args:
        due: the timers of each bucket.

    Attributes:
        most: the most invocations that shared a tick.
    """

    def __init__(
        self, settings: Settings, events: Events, store: Store, due: Sequence[Sequence[Timers]], send: Send
    ) -> None:
        self.settings, self.events, self.store, self.send = settings, events, store, send
        self._due = [sorted(timers) for timers in due]
        self.claimed = self.under_way = self.most = 0
        self.last_claim = float("-inf")

    @property
    def left(self) -> int:
        """Occurrences that were not sent."""
        return sum(one.many for timers in self._due for one in timers if not one.sent)

    def minute(self, last: float) -> None:
        """A tick, and those after it until `last`."""
        now = self.events.now
        if now > last or not (any(self._due) or self.under_way):
            return
        self.events.at(now + model.TICK_EVERY, self.minute, last)
        until = now + self.settings.look_ahead
        found = [self._taken(bucket, until) for bucket in range(len(self._due))]
        page = max(1, self.settings.tick_share // len(found))
        # Two pages of each bucket. Later pages are read while others are dispatched, in a tenth of the time.
        read = now + self.events.latency(model.QUERY, 2 * -(-len(found) // model.THREADS))
        read += self.settings.resting * self.settings.look_time
        busy = [timers for timers in found if size(timers) > page]
        mine = [timers for timers in found if size(timers) <= page]
        self._begin(read, mine + busy[:: self.settings.ticks])
        shares = [busy[turn :: self.settings.ticks] for turn in range(1, self.settings.ticks)]
        self.most = max(self.most, 1 + sum(map(bool, shares)))
        for share in shares:
            if share:
                self._begin(read + self.events.latency(model.HANDING_OVER) + model.COLD_START, share)

    def _taken(self, bucket: int, until: float) -> list[Timers]:
        timers = self._due[bucket]
        end = next((n for n, one in enumerate(timers) if one.due > until), len(timers))
        self._due[bucket] = timers[end:]
        self.under_way += size(timers[:end])
        return timers[:end]

    def _begin(self, instant: float, found: Sequence[list[Timers]]) -> None:
        invocation = Invocation(self, instant, found)
        for _ in range(model.THREADS):
            self.events.at(instant, invocation.next_group)

    def put_back(self, timers: Iterable[Timers]) -> None:
        """Leave timers due for the next tick, the oldest first."""
        for one in timers:
            insort(self._due[one.bucket], one)
            self.under_way -= one.many


class Invocation:
    """One invocation of the tick: a share of a processor, some threads, and some buckets."""

    def __init__(self, ticks: Ticks, begins: float, found: Sequence[list[Timers]]) -> None:
        self._ticks, self._events, self._store = ticks, ticks.events, ticks.store
        self._cpu = model.TICK_CPU / ticks.settings.tick_processor
        self._free = begins
        self._ends = begins + model.WORKING
        self._groups = _groups(found)

    def next_group(self) -> None:
        """Start a thread's next group. Near the time limit, the rest stays due."""
        if self._events.now > self._ends:
            for left in self._groups:
                self._ticks.put_back(left)
        elif group := next(self._groups, None):
            self._after(group, 0, model.STATEMENT_BATCH, model.GROUP, self._enter, group)

    def _enter(self, group: list[Timers]) -> None:
        """Claim a group once its entries are stored, by a call of their own."""
        self._after(group, CLAIMING, model.STATEMENT_BATCH, 25, self._claim, group, [], 1)

    def _after(
        self, timers: list[Timers], part: float, latency: float, batch: int, do: Callable[..., None], *arguments: object
    ) -> None:
        """Call `do` after the processor time and the calls of these timers."""
        many = size(timers)
        self._free = max(self._free, self._events.now) + part * self._cpu * many
        self._events.at(self._free + self._events.latency(latency, -(-many // batch)), do, *arguments)

    def _retry(
        self, tries: int, refused: list[Timers], part: float, do: Callable[..., None], *arguments: object
    ) -> None:
        """Retry throttled timers after a pause; they need processor time again."""
        pause = self._events.dice.uniform(0, model.FIRST_PAUSE * 2 ** (tries - 1))
        self._free = max(self._free, self._events.now) + part * self._cpu * size(refused)
        waited = max(self._events.now + pause, self._free)
        self._events.at(waited + self._events.latency(model.STATEMENT_BATCH, -(-size(refused) // 25)), do, *arguments)

    def _claim(self, wanted: list[Timers], claimed: list[Timers], tries: int) -> None:
        now = self._events.now
        if tries == 1:
            claimed = [one for one in wanted if one.sent]
            self._store.claim_again(size(claimed), now)
            wanted = [one for one in wanted if not one.sent]
        written = self._store.claim(size(wanted), now) if wanted else 0
        if written:
            self._ticks.claimed += written
            self._ticks.last_claim = now
        mine, refused = _split(wanted, written)
        claimed = [*claimed, *mine]
        if refused and tries < model.TRIES:
            self._retry(tries, refused, CLAIMING, self._claim, refused, claimed, tries + 1)
            return
        self._ticks.put_back(refused)
        if claimed:
            self._after(claimed, SENDING, model.SEND, 10, self._send, claimed)
        else:
            self.next_group()

    def _send(self, timers: list[Timers]) -> None:
        for one in timers:
            self._ticks.send(one)
        self._after(timers, ADVANCING, model.STATEMENT_BATCH, 25, self._advance, timers, 1)

    def _advance(self, timers: list[Timers], tries: int) -> None:
        refused: list[Timers] = []
        for one in timers:
            written = self._store.advance(one.bucket, one.many, self._events.now)
            self._ticks.under_way -= written
            if written < one.many:
                refused.append(one.only(one.many - written))
        if refused and tries < model.TRIES:
            self._retry(tries, refused, ADVANCING, self._advance, refused, tries + 1)
            return
        self._ticks.put_back(one._replace(sent=True) for one in refused)
        self.next_group()


def _groups(found: Sequence[list[Timers]]) -> Iterator[list[Timers]]:
    """Groups of timers, with a share of each bucket."""
    left = deque(deque(timers) for timers in found if timers)
    while left:
        group: list[Timers] = []
        room = model.GROUP
        each = max(1, room // len(left))
        while left and room:
            bucket = left.popleft()
            one = bucket.popleft()
            took = min(room, each, one.many)
            group.append(one.only(took))
            room -= took
            if took < one.many:
                bucket.appendleft(one.only(one.many - took))
            if bucket:
                left.append(bucket)
        yield group


def _split(timers: Sequence[Timers], count: int) -> tuple[list[Timers], list[Timers]]:
    """The first so many, and the rest."""
    taken: list[Timers] = []
    left: list[Timers] = []
    for one in timers:
        mine = min(one.many, count)
        count -= mine
        if mine:
            taken.append(one.only(mine))
        if mine < one.many:
            left.append(one.only(one.many - mine))
    return taken, left
