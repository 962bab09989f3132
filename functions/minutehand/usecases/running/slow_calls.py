"""Slow calls: noticed while they are under way, stored for their jobs, and remembered by the process for their namespaces.

A worker takes its next batch only when the slowest call of this one has ended. So slow calls have workers and a queue of their own, the
slow lane, and a worker of the quick lane moves runs that may be slow there before it starts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.lanes import SLOW, SUSPICION, is_slow, may_be_slow, slow_until_after
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.running.cancel_watch import Background


def at_once(do: Callable[[], None]) -> None:
    """A `Background` that does not return before the function does."""
    do()


class SlowCalls:
    """The namespaces of which this process saw a slow call in the quick lane lately. Safe for many threads."""

    def __init__(self) -> None:
        self._last: dict[str, datetime] = {}

    def saw(self, namespace: str, now: datetime) -> None:
        """Remember a slow call, and forget the namespaces whose time is over."""
        self._last = {name: at for name, at in self._last.items() if now - at < SUSPICION} | {namespace: now}

    def suspects(self, definition: Definition, now: datetime) -> bool:
        """Whether a run of this job is to go through the slow lane: for the job's own calls, or for those of its namespace."""
        last = self._last.get(definition.job.key.namespace)
        return is_slow(definition) or (last is not None and now - last < SUSPICION and may_be_slow(definition.job))


def move_slow(
    batch: Sequence[Received],
    runs: Mapping[RunKey, Run],
    definitions: Mapping[JobKey, Definition],
    slow_calls: SlowCalls | None,
    ports: Ports,
) -> set[Received]:
    """Send the runs of a batch that belong in the slow lane there; return those whose messages the slow lane's queue has accepted.

    Only what a worker could start now is moved: the rest costs no call. The caller deletes the messages that were moved, after this.
    """
    if slow_calls is None:
        return set()
    now = ports.clock()
    wanted: dict[Received, Message] = {}
    for message in batch:
        run, definition = runs.get(message.run), definitions.get(message.run.job)
        if run is None or definition is None or run.state.finished or run.wakes_at > now:
            continue
        if slow_calls.suspects(definition, now):
            wanted[message] = Message(run.key, message.attempt, run.target, now, slow=True)
    accepted = ports.outbox.send([*wanted.values()]) if wanted else ()
    return {message for message, taken in zip(wanted, accepted, strict=True) if taken}


class Timing:
    """The time that one call takes, and what it says about the job's lane.

    The job is marked as slow when a call has taken `SLOW`, not when it ends: a job that starts each second then occupies only a few
    workers of the quick lane.
    """

    def __init__(
        self, definition: Definition, ports: Ports, slow_calls: SlowCalls | None, background: Background
    ) -> None:
        self._job, self._revision = definition.job, definition.revision
        self._stored = definition.slow_until
        self._ports = ports
        self._slow_calls = slow_calls
        self._background = background
        self._began = ports.clock()

    def asking(self, cancelled: Callable[[], bool]) -> Callable[[], bool]:
        """The function `cancelled`, which callers ask about once a second, with a look at the time."""

        def asked() -> bool:
            now = self._ports.clock()
            if self._is_slow(now) and self._wanted(now) != self._stored:
                self._settle(now, self._background)
            return cancelled()

        return asked

    def ended(self, now: datetime) -> None:
        """Store what the call, which ended at `now`, says about the lane, if that changes it."""
        if self._is_slow(now) and self._slow_calls:
            self._slow_calls.saw(self._job.key.namespace, now)
        if self._wanted(now) != self._stored:
            self._settle(now, at_once)

    def _is_slow(self, now: datetime) -> bool:
        return may_be_slow(self._job) and now - self._began > SLOW

    def _wanted(self, now: datetime) -> datetime | None:
        return slow_until_after(self._stored, now - self._began, now) if may_be_slow(self._job) else self._stored

    def _settle(self, now: datetime, background: Background) -> None:
        self._stored = wanted = self._wanted(now)

        def store() -> None:
            with suppress(Unavailable):  # the next call is timed too
                self._ports.definitions.set_lane(self._job.key, self._revision, wanted)

        background(store)
