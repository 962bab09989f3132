"""Add a run's usage to its record, in the write that reports the run anyway. Imported for jobs with `record_units` only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.definition import Definition
from minutehand.domain.run import Run, RunState, Usage
from minutehand.usecases.dispatching.send import LONGEST_WAIT
from minutehand.usecases.metering.usage import HEARTBEAT, UNNOTED, to_create, to_handle, to_report, to_report_later
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.meter import Meter, Recording, unrecorded
from minutehand.usecases.ports.stores import Clock, Governing


class BatchMetering:
    """Counts the usage of the runs in one batch of messages.

    Args:
        received: when the worker received the batch.
        looks_every: how often another thread reads a run during its call, to see whether it was cancelled.
    """

    def __init__(
        self,
        batch: Sequence[Received],
        governing: Governing,
        meter: Meter,
        *,
        clock: Clock,
        received: datetime,
        looks_every: timedelta,
    ) -> None:
        self._governing = governing
        self._meter = meter
        self._clock = clock
        self._received = received
        self._looks_every = looks_every
        self._batch = len(batch)
        self._jobs = Counter(message.run.job for message in batch)
        self._namespaces = Counter(message.run.job.namespace for message in batch)

    @contextmanager
    def over(self, message: Received) -> Iterator[Recording]:
        """Count the requests made for a message's run. The yielded `Recording` adds them to the run's usage so far."""
        job = message.run.job
        definition, _ = self._governing.of(job)
        if definition is None or not definition.job.record_units:
            yield unrecorded
            return
        looked = to_handle(batch=self._batch, of_job=self._jobs[job], of_namespace=self._namespaces[job.namespace])

        with self._meter.counting() as count:

            def record(before: Run, after: Run, /, *, stored: int = 0) -> Run:
                now = self._clock()
                weight = max(self._meter.weight(before), self._meter.weight(after))
                reported = to_report(after, weight, sent_later=_is_sent_later(after, now))
                used = (looked, count.used(), self._worked(before, now), _kept(stored), reported)
                return replace(after, units=_so_far(before, definition).plus(*used))

            yield record

    def _worked(self, run: Run, now: datetime) -> Usage:
        """Usage of a message besides its counted requests: its share of the worker's time, plus the reads of another thread that
        checks for a cancel, plus an estimate for an attempt whose worker died before it could record its usage."""
        worked = Usage(worker_ms=(now - self._received) // self._batch // timedelta(milliseconds=1))
        if run.started_at is None or run.started_at < self._received:
            return worked.plus(UNNOTED) if run.state is RunState.RUNNING else worked
        looks = Usage(read=(now - run.started_at) // self._looks_every)
        taken_over = bool(run.attempts) and run.attempts[-1].state is RunState.RUNNING
        return worked.plus(looks, UNNOTED) if taken_over else worked.plus(looks)


def with_report(before: Run, after: Run, definition: Definition, now: datetime, *, stored: int) -> Run:
    """The run `after` with the usage of its target's report through the API added."""
    waited = timedelta(0) if before.started_at is None else before.wakes_at - before.started_at
    moves = before.state is RunState.WAITING and waited > LONGEST_WAIT
    reported = to_report_later(after, moves=moves, sent_later=_is_sent_later(after, now))
    used = (_kept(stored), reported, *((UNNOTED,) if before.state is RunState.RUNNING else ()))
    return replace(after, units=_so_far(before, definition).plus(*used))


def with_heartbeat(before: Run, after: Run, definition: Definition) -> Run:
    """The run `after` with the usage of its target's heartbeat through the API added."""
    return replace(after, units=_so_far(before, definition).plus(HEARTBEAT))


def _so_far(run: Run, definition: Definition) -> Usage:
    return run.units or to_create(run, definition)


def _kept(stored: int) -> Usage:
    return Usage(puts=int(stored > 0), stored_bytes=stored)


def _is_sent_later(after: Run, now: datetime) -> bool:
    """Whether a run's retry is so far ahead that a deadline timer sends its message, since no message can be delayed that long."""
    return after.state is RunState.RETRYING and after.wakes_at - now > LONGEST_WAIT
