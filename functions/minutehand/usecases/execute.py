"""Execute: a worker's batch, from the messages to the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from minutehand.domain.deciding import LEASE_MARGIN, Done, Lose, Skip, Start, Wait, decide
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Definition
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.usecases.ports import Inbox, Outcome, Output, Received, Target
from minutehand.usecases.world import World

PREVIEW = 256
"""Bytes of a body or message kept in the run's own record; the whole is kept beside it."""
HAND_BACK = timedelta(seconds=10)
"""How long a message stays hidden when the stores did not answer."""
_TRIES = 4


T = TypeVar("T")


class Parallel(Protocol):
    """Does the same to each of several things, side by side, and gives the results in order."""

    def __call__(self, do: Callable[[Received], Handled], what: Sequence[Received], /) -> Iterable[Handled]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Handled:
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Worker:
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
            return _handed_back(message, worker, decision.until - now + SECOND, run=run)
        if isinstance(decision, Start) and definition is not None:
            if worker.time_left() < definition.job.timeout + LEASE_MARGIN:
                return _handed_back(message, worker, timedelta(0), run=run)
            started = _started(run, decision, definition.job.timeout, worker.nonce(), now)
            run = _moved(run, started, world)
            if run == started:
                return _attempt(message, started, definition, world, worker)
            continue
        ended = closed(run, decision, now)
        run = _moved(run, ended, world)
        if run == ended:
            return Handled(received=message, deletable=True, run=ended)
    return _handed_back(message, worker, HAND_BACK, run=run, problem="others kept moving the run")


def closed(run: Run, decision: Skip | Lose | Start, now: datetime) -> Run:
    """The run after a decision that ends it without an attempt."""
    if isinstance(decision, Skip):
        return replace(
            run, state=RunState.SKIPPED, skip_reason=decision.reason, revision=decision.revision, finished_at=now
        )
    error = RunError(
        type="WorkerLost",
        message=f"attempt {run.attempt} ended without a report, after {run.takeovers} take-overs; none is left",
    )
    return replace(run, state=RunState.LOST, error=error, finished_at=now)


def _attempt(message: Received, run: Run, definition: Definition, world: World, worker: Worker) -> Handled:
    outcome = worker.call(
        definition.job.target, run=run, payload=definition.job.payload, timeout=definition.job.timeout
    )
    ended, output = _ended(run, outcome, world.clock())
    if output is not None:
        _again(lambda: world.runs.keep_output(run.key, run.attempt, output))
    stands = _moved(run, ended, world)
    if stands != ended:
        fenced = (
            f"attempt {run.attempt} reported too late: the run is at attempt {stands.attempt}, {stands.state.value}"
        )
        return Handled(received=message, deletable=False, run=stands, started=True, problem=fenced)
    return Handled(received=message, deletable=True, run=ended, started=True)


def _started(run: Run, decision: Start, timeout: timedelta, nonce: str, now: datetime) -> Run:
    return replace(
        run,
        state=RunState.RUNNING,
        attempt=decision.attempt,
        takeovers=run.takeovers + decision.takeover,
        nonce=nonce,
        lease_until=now + timeout + LEASE_MARGIN,
        started_at=now,
        lateness=run.lateness if run.lateness is not None else now - run.scheduled_for,
    )


def _ended(run: Run, outcome: Outcome, now: datetime) -> tuple[Run, Output | None]:
    """The run with its outcome, cut to what its record holds, and the whole where that was too long."""
    result, error = outcome.result, outcome.error
    short_result = result and Result(type=result.type, status=result.status, body=_cut(result.body))
    short_error = error and RunError(type=error.type, message=_cut(error.message))
    whole = short_result == result and short_error == error
    output = None if whole else Output(result=result, error=error, expires_at=run.expires_at)
    ended = replace(
        run, state=outcome.state, finished_at=now, result=short_result, error=short_error, detailed=not whole
    )
    return ended, output


def _cut(text: str) -> str:
    return text.encode()[:PREVIEW].decode(errors="ignore")


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
