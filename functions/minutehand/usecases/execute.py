"""Execute: a worker's batch, from the messages to the reports."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol, TypeVar

from minutehand.domain.deciding import LEASE_MARGIN, Done, Skip, Start, Wait, decide
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Definition
from minutehand.domain.run import Run, RunError, RunState
from minutehand.usecases.ports import Inbox, Outcome, Output, Received, Target
from minutehand.usecases.report import ended, lost, no_takeover_left, skipped
from minutehand.usecases.world import World

HAND_BACK = timedelta(seconds=10)
"""How long a message stays hidden when the stores did not answer."""
TIME_TO_REPORT = timedelta(seconds=5)
"""What is left of a lease when the call must have ended."""
_TRIES = 4


T = TypeVar("T")


class Parallel(Protocol):
    """Does the same to each of several things, side by side, and gives the results in order."""

    def __call__(self, do: Callable[[Received], Handled], what: Sequence[Received], /) -> Iterable[Handled]: ...


class Handled(NamedTuple):
    """What became of one message.

    Attributes:
        deletable: whether the run is finished, so that the message may go.
        run: as it stands now, where known.
        started: whether this worker made an attempt.
        problem: what went wrong on our side; empty when nothing did.
    """

    received: Received
    deletable: bool
    run: Run | None = None
    started: bool = False
    problem: str = ""


class Worker(NamedTuple):
    """What a worker has besides the world: its inbox, its target, its marks, its threads and its time."""

    inbox: Inbox
    call: Target
    nonce: Callable[[], str]
    parallel: Parallel
    time_left: Callable[[], timedelta]


def execute(batch: Sequence[Received], *, world: World, worker: Worker) -> Sequence[Handled]:
    """Start, call and report each run of a batch; one answer for each message, in order.

    All are hidden past the longest limit among them first, so that a dead worker is noticed after its jobs' limit, not
    after the queue's. What one call for all cannot read is read one by one: one unreadable run fails alone.
    """
    try:
        runs = world.runs.get([m.run for m in batch])
        definitions = world.definitions.get(sorted({m.run.job for m in batch}))
        limits = [definitions[m.run.job].job.timeout for m in batch if m.run.job in definitions]
        worker.inbox.hide(batch, max(limits, default=SECOND) + 2 * LEASE_MARGIN)
    except Unavailable as trouble:
        if len(batch) == 1:
            return [_handed_back(batch[0], worker, HAND_BACK, problem=str(trouble))]
        return list(worker.parallel(lambda one: execute([one], world=world, worker=worker)[0], batch))

    def handle(message: Received) -> Handled:
        try:
            return _handle(message, runs.get(message.run), definitions.get(message.run.job), world, worker)
        except Unavailable as trouble:
            return Handled(received=message, deletable=False, problem=str(trouble))
        except Exception as trouble:  # noqa: BLE001 - one poisonous run must not fail the others of its batch
            return Handled(received=message, deletable=False, problem=f"{type(trouble).__name__}: {trouble}")

    if len(batch) == 1:
        return [handle(batch[0])]
    return list(worker.parallel(handle, batch))


def _handle(message: Received, run: Run | None, definition: Definition | None, world: World, worker: Worker) -> Handled:
    for _ in range(_TRIES):
        now = world.clock()
        decision = decide(run, definition, now=now)
        if isinstance(decision, Done) or run is None:
            return Handled(received=message, deletable=True, run=run)
        if isinstance(decision, Wait):
            return _handed_back(message, worker, decision.until - now, run=run)
        if isinstance(decision, Start) and definition is not None:
            if worker.time_left() < definition.job.timeout + LEASE_MARGIN:
                return _handed_back(message, worker, timedelta(0), run=run)
            started = _started(run, decision, definition.job.timeout, worker.nonce(), now)
            run = _moved(run, started, world)
            if run == started:
                return _attempt(message, started, definition, world, worker)
            continue
        after = skipped(run, decision, now) if isinstance(decision, Skip) else lost(run, no_takeover_left(run), now)
        run = _moved(run, after, world)
        if run == after:
            return Handled(received=message, deletable=True, run=after)
    return _handed_back(message, worker, HAND_BACK, run=run, problem="others kept moving the run")


def _attempt(message: Received, run: Run, definition: Definition, world: World, worker: Worker) -> Handled:
    lease_left = (run.lease_until or run.starts_at) - world.clock()
    timeout = min(definition.job.timeout, lease_left - TIME_TO_REPORT)
    if timeout <= timedelta(0):
        late = f"attempt {run.attempt} took so long to start that its lease is at its end; the next one takes over"
        return _handed_back(message, worker, max(lease_left, SECOND), run=run, problem=late)
    after, output = ended(run, _outcome(worker, run, definition, timeout), world.clock())
    if output is not None:
        after = replace(after, detailed=_kept(run, output, world))
    stands = _moved(run, after, world)
    if stands != after:
        fenced = (
            f"attempt {run.attempt} reported too late: the run is at attempt {stands.attempt}, {stands.state.value}"
        )
        return Handled(received=message, deletable=False, run=stands, started=True, problem=fenced)
    return Handled(received=message, deletable=True, run=after, started=True)


def _outcome(worker: Worker, run: Run, definition: Definition, timeout: timedelta) -> Outcome:
    job = definition.job
    try:
        return worker.call(job.target, run=run, payload=job.payload, timeout=timeout)
    except Exception as trouble:  # noqa: BLE001 - a target that raises has failed, and the record says how
        stack = "".join(traceback.format_exception(trouble))
        return Outcome(
            state=RunState.FAILED, error=RunError(type=type(trouble).__name__, message=str(trouble), stack=stack)
        )


def _kept(run: Run, output: Output, world: World) -> bool:
    """Keep the whole output; a report without it is better than none."""
    try:
        _again(lambda: world.runs.keep_output(run.key, run.attempt, output))
    except Unavailable:
        return False
    return True


def _started(run: Run, decision: Start, timeout: timedelta, nonce: str, now: datetime) -> Run:
    return replace(
        run,
        state=RunState.RUNNING,
        attempt=decision.attempt,
        takeovers=run.takeovers + decision.takeover,
        nonce=nonce,
        lease_until=now + timeout + LEASE_MARGIN,
        started_at=now,
        lateness=run.lateness if run.lateness is not None else now - run.starts_at,
    )


def _moved(before: Run, after: Run, world: World) -> Run:
    return _again(lambda: world.runs.move(before, after))


def _again(call: Callable[[], T]) -> T:
    """Call until the store answers, a few times: a repeated write finds its own mark and counts as done."""
    for _ in range(_TRIES - 1):
        try:
            return call()
        except Unavailable:
            continue
    return call()


def _handed_back(
    message: Received, worker: Worker, hidden: timedelta, *, run: Run | None = None, problem: str = ""
) -> Handled:
    """The message stays, to come again when `hidden` is over; if hiding fails, it comes when its old hiding is over."""
    try:
        worker.inbox.hide([message], hidden)
    except Unavailable as trouble:
        problem = problem or str(trouble)
    return Handled(received=message, deletable=False, run=run, problem=problem)
