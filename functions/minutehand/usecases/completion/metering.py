"""Metering: a run of a job that asks for it is noted what it has used, in the write that reports it anyway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from minutehand.domain.job import Definition
from minutehand.domain.run import Run, RunState
from minutehand.domain.usage import HEARTBEAT, UNNOTED, Usage, to_look, to_make, to_report, to_report_later
from minutehand.usecases.completion.cancel_watch import EVERY
from minutehand.usecases.completion.report import Recording, unrecorded
from minutehand.usecases.dispatching.send import LONGEST_WAIT
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.stores import Clock, Governing

_MILLISECOND = timedelta(milliseconds=1)


class Count(Protocol):
    """What one thread has asked of the stores."""

    def used(self) -> Usage:
        """`write`, `read` and `calls`, so far."""


class Meter(Protocol):
    """Counts what the stores are asked."""

    def counting(self) -> AbstractContextManager[Count]:
        """Count what this thread asks of them from now until the end."""

    def weight(self, run: Run) -> int:
        """Write units of a run's record as it is, without its places in indexes."""


class Metering:
    """Metering of one batch.

    Args:
        received: when the worker had it in its hands.
    """

    def __init__(
        self, batch: Sequence[Received], governing: Governing, meter: Meter, *, clock: Clock, received: datetime
    ) -> None:
        self._governing = governing
        self._meter = meter
        self._clock = clock
        self._received = received
        self._batch = len(batch)
        self._jobs = Counter(message.run.job for message in batch)
        self._namespaces = Counter(message.run.job.namespace for message in batch)

    @contextmanager
    def over(self, message: Received) -> Iterator[Recording]:
        """Count what is done about a message's run; what this gives notes it, together with all before, on the run about to be written."""
        job = message.run.job
        definition, _ = self._governing.of(job)
        if definition is None or not definition.job.record_units:
            yield unrecorded
            return
        looked = to_look(batch=self._batch, of_job=self._jobs[job], of_namespace=self._namespaces[job.namespace])

        with self._meter.counting() as count:

            def record(before: Run, after: Run, /, *, stored: int = 0) -> Run:
                now = self._clock()
                weight = max(self._meter.weight(before), self._meter.weight(after))
                reported = to_report(after, weight, sent_later=_is_sent_later(after, now))
                used = (looked, count.used(), self._worked(before, now), _kept(stored), reported)
                return replace(after, units=_so_far(before, definition).plus(*used))

            yield record

    def _worked(self, run: Run, now: datetime) -> Usage:
        """The worker's time; its looks whether somebody asks for the end of a call under way, which another thread makes; and what a
        worker could not note that died."""
        worked = Usage(worker_ms=(now - self._received) // self._batch // _MILLISECOND)
        if run.started_at is None or run.started_at < self._received:
            return worked.plus(UNNOTED) if run.state is RunState.RUNNING else worked
        looks = Usage(read=(now - run.started_at) // EVERY)
        taken_over = bool(run.attempts) and run.attempts[-1].state is RunState.RUNNING
        return worked.plus(looks, UNNOTED) if taken_over else worked.plus(looks)


def with_report(before: Run, after: Run, definition: Definition, now: datetime, *, stored: int) -> Run:
    """The run about to be written as its target reports it through the API, noted what it has used."""
    waited = timedelta(0) if before.started_at is None else before.wakes_at - before.started_at
    moves = before.state is RunState.WAITING and waited > LONGEST_WAIT
    reported = to_report_later(after, moves=moves, sent_later=_is_sent_later(after, now))
    used = (_kept(stored), reported, *((UNNOTED,) if before.state is RunState.RUNNING else ()))
    return replace(after, units=_so_far(before, definition).plus(*used))


def with_heartbeat(before: Run, after: Run, definition: Definition) -> Run:
    """The run about to be written because its target is alive, noted what it has used."""
    return replace(after, units=_so_far(before, definition).plus(HEARTBEAT))


def _so_far(run: Run, definition: Definition) -> Usage:
    return run.units or to_make(run, definition)


def _kept(stored: int) -> Usage:
    return Usage(puts=int(stored > 0), stored_bytes=stored)


def _is_sent_later(after: Run, now: datetime) -> bool:
    """Whether a run is tried again so much later that no message can wait for it, but a deadline."""
    return after.state is RunState.RETRYING and after.wakes_at - now > LONGEST_WAIT
