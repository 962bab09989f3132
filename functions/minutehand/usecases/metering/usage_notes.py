"""Usage notes: what a run has used, noted in the write that reports it anyway. Loaded for jobs with `record_units` only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.definition import Definition
from minutehand.domain.run import Run, RunState, Usage
from minutehand.domain.usage import HEARTBEAT, UNNOTED, to_create, to_handle, to_report, to_report_later
from minutehand.usecases.dispatching.send import LONGEST_WAIT
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.meter import Meter, Recording, unrecorded
from minutehand.usecases.ports.stores import Clock, Governing


class BatchMetering:
    """Usage notes of one batch.

    Args:
        received: when the worker received the batch.
        looks_every: how often another thread looks whether a run was cancelled while its call is under way.
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
        """Count what is done about a message's run. The recording that this yields adds it to what the run has used before."""
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
        """The worker's time, the looks for a cancel that another thread makes, and what a worker that died could not note."""
        worked = Usage(worker_ms=(now - self._received) // self._batch // timedelta(milliseconds=1))
        if run.started_at is None or run.started_at < self._received:
            return worked.plus(UNNOTED) if run.state is RunState.RUNNING else worked
        looks = Usage(read=(now - run.started_at) // self._looks_every)
        taken_over = bool(run.attempts) and run.attempts[-1].state is RunState.RUNNING
        return worked.plus(looks, UNNOTED) if taken_over else worked.plus(looks)


def with_report(before: Run, after: Run, definition: Definition, now: datetime, *, stored: int) -> Run:
    """Add the usage to a run that its target reports through the API."""
    waited = timedelta(0) if before.started_at is None else before.wakes_at - before.started_at
    moves = before.state is RunState.WAITING and waited > LONGEST_WAIT
    reported = to_report_later(after, moves=moves, sent_later=_is_sent_later(after, now))
    used = (_kept(stored), reported, *((UNNOTED,) if before.state is RunState.RUNNING else ()))
    return replace(after, units=_so_far(before, definition).plus(*used))


def with_heartbeat(before: Run, after: Run, definition: Definition) -> Run:
    """Add the usage to a run whose target sends a heartbeat through the API."""
    return replace(after, units=_so_far(before, definition).plus(HEARTBEAT))


def _so_far(run: Run, definition: Definition) -> Usage:
    return run.units or to_create(run, definition)


def _kept(stored: int) -> Usage:
    return Usage(puts=int(stored > 0), stored_bytes=stored)


def _is_sent_later(after: Run, now: datetime) -> bool:
    """Whether a run is retried so much later that a deadline leads to it: no message can be delayed that long."""
    return after.state is RunState.RETRYING and after.wakes_at - now > LONGEST_WAIT
