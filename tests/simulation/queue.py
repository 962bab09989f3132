"""A queue that behaves like SQS: at least once, out of order, late, with visibility, a receive count and a dead-letter queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Message, Received
from tests.simulation.engine import Engine, Process

VISIBILITY = timedelta(minutes=30)
EARLY = 0.9
"""Most seconds by which the only message of a run comes early: with the clocks, less than the 3 s that workers allow."""
MOST_RECEIVED = 4
"""Messages that are received at once."""
MOST_HELD = 1_000
"""Messages in one queue; with more they multiply. A history has some hundred runs."""


@dataclass
class Held:
    run: RunKey
    attempt: int
    visible_at: datetime
    receipt: str = ""
    received: int = 0
    not_before: datetime | None = None


class SimulatedQueue:
    """Delivers visible messages in batches; a message received too often goes to `bury`. Without `deliver`, a consumer has to `receive`.

    Attributes:
        most_busy: most batches in the hands of consumers at once; None for no limit. Consumers of a queue with a limit call `done`.
        visibility: how long a message is hidden that was received.
    """

    most_busy: int | None = None
    visibility = VISIBILITY

    def __init__(
        self, engine: Engine, deliver: Callable[[Sequence[Received]], None] | None = None, *, most_receives: int,
        bury: Callable[[RunKey, int], None] | None = None,
    ) -> None:  # fmt: skip
        self._busy = 0
        self.engine = engine
        self.deliver = deliver
        self.bury = bury
        self.most_receives = most_receives
        self.held: list[Held] = []
        self.overflowed = False
        self.starts: dict[RunKey, tuple[datetime, datetime]] = {}
        """When the first message of each run was sent, and from when on it was to arrive, which may be before it was sent."""
        self._receipts = 0

    def add(self, run: RunKey, attempt: int, delay: float, not_before: datetime | None = None) -> None:
        """Add a message. It may come late, or a little early; a copy of it may come at any time before."""
        random = self.engine.random
        late = random.uniform(5, 90) if self.engine.chance(0.01) else random.uniform(0, 0.3)
        early = min(random.uniform(0, EARLY), delay) if self.engine.chance(0.05) else 0
        self._hold(run, attempt, delay + late - early, not_before)
        if self.engine.chance(0.05):
            self._hold(
                run,
                attempt,
                max(delay - random.choice([random.uniform(0, 4), random.uniform(0, delay)]), 0),
                not_before,
            )

    def _hold(self, run: RunKey, attempt: int, delay: float, not_before: datetime | None) -> None:
        if len(self.held) == MOST_HELD:
            self.overflowed = True
            return
        entry = Held(
            run=run, attempt=attempt, visible_at=self.engine.now + timedelta(seconds=delay), not_before=not_before
        )
        self.held.append(entry)
        self._wake(entry.visible_at)

    def lose(self, which: Callable[[RunKey], bool]) -> list[RunKey]:
        """Lose the messages of these runs, as far as no worker has received them yet; returns the runs."""
        lost = [entry for entry in self.held if not entry.received and which(entry.run)]
        self.held = [entry for entry in self.held if entry not in lost]
        return [entry.run for entry in lost]

    def _wake(self, instant: datetime) -> None:
        if self.deliver:
            self.engine.at(instant, self._poll)

    def _poll(self) -> None:
        if not self.visible() or (self.most_busy is not None and self._busy >= self.most_busy):
            return
        received = self.receive()
        if received and self.deliver:
            self._busy += 1
            self.deliver(received)
        if self.visible():
            self._wake(self.engine.now + timedelta(milliseconds=10))

    def visible(self) -> list[Held]:
        """The messages that can be received now."""
        return [entry for entry in self.held if entry.visible_at <= self.engine.now]

    def receive(self, most: int = MOST_RECEIVED) -> Sequence[Received]:
        """Take some of the visible messages, and hide them."""
        now, visible = self.engine.now, self.visible()
        received = []
        for entry in visible[: min(self.engine.random.randint(1, MOST_RECEIVED), most)] if visible else ():
            entry.received += 1
            if self.bury and entry.received > self.most_receives:
                self.held.remove(entry)
                self.bury(entry.run, entry.attempt)
                continue
            self._receipts += 1
            entry.receipt = str(self._receipts)
            twice = self.engine.chance(0.02)
            entry.visible_at = now + (timedelta(seconds=self.engine.random.uniform(0, 5)) if twice else self.visibility)
            self._wake(entry.visible_at)
            received.append(
                Received(
                    run=entry.run,
                    attempt=entry.attempt,
                    receipt=entry.receipt,
                    receives=entry.received,
                    not_before=entry.not_before,
                )
            )
        return received

    def done(self) -> None:
        """A consumer has ended, and can take the next batch."""
        self._busy -= 1
        if self.most_busy is not None:
            self._wake(self.engine.now)

    def delete(self, receipt: str) -> None:
        """Delete by a receipt; an old one may or may not work, as in SQS."""
        self.held = [entry for entry in self.held if entry.receipt != receipt]

    def hide(self, receipt: str, duration: timedelta) -> None:
        for entry in self.held:
            if entry.receipt == receipt:
                entry.visible_at = self.engine.now + duration
                self._wake(entry.visible_at)

    def holds(self, run: RunKey) -> bool:
        return any(entry.run == run for entry in self.held)


class SimulatedOutbox:
    """The port `Outbox`: delays are counted in whole seconds on the sender's own clock."""

    def __init__(self, process: Process, queue: SimulatedQueue, slow: SimulatedQueue) -> None:
        self._process = process
        self._queue = queue
        self._slow = slow

    def send(self, messages: Sequence[Message]) -> Sequence[bool]:
        engine = self._process.engine
        accepted = []
        for message in messages:
            if engine.chance(0.005):
                accepted.append(False)
                continue
            now = self._process.clock()
            self._queue.starts.setdefault(message.run, (now, message.not_before))
            delay = max(0, min(900, message.whole_seconds(self._process.clock())))
            for _ in range(2 if engine.chance(0.01) else 1):
                queue = self._slow if message.slow else self._queue
                queue.add(message.run, message.attempt, delay, message.not_before if message.retries else None)
            accepted.append(not engine.chance(0.005))
        return accepted


class SimulatedInbox:
    """The port `Inbox`."""

    def __init__(self, queue: SimulatedQueue) -> None:
        self._queue = queue

    def hide(self, received: Sequence[Received], duration: timedelta) -> None:
        for one in received:
            self._queue.hide(one.receipt, duration)
