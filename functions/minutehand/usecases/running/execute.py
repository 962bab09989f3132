"""Execute: a worker's batch, from the messages to the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from minutehand.domain.concurrency import Full, looks_again
from minutehand.domain.deadlines import call_limit, ends_by
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND
from minutehand.domain.job import Definition
from minutehand.domain.overlap_lock import CLOCKS_DIFFER, Permit, Queue
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_decisions import LEASE_MARGIN, Close, Decision, Done, Lose, Miss, Skip, Start, Wait, decide
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.completion.follow_up import follow_up
from minutehand.usecases.completion.report import (
    Recording,
    answered_later,
    closed,
    is_same_attempt,
    lost,
    missed,
    recording_of,
    reported,
    skipped,
)
from minutehand.usecases.dispatching.send import message_for, send
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.stores import Governing
from minutehand.usecases.ports.target import Call, told_of_the_run
from minutehand.usecases.retry_when_unavailable import retry_when_unavailable
from minutehand.usecases.running.attempt import call_of, outcome_of
from minutehand.usecases.running.early_messages import early, wait_until
from minutehand.usecases.running.parent_results import parents_results
from minutehand.usecases.running.payloads import meant_for
from minutehand.usecases.running.start import Granted, Mark, admitted, started
from minutehand.usecases.running.worker import Handled, Worker

HAND_BACK = timedelta(seconds=10)
"""How long a message stays hidden when the stores did not answer."""
TIME_TO_REPORT = timedelta(seconds=5)
"""What is left of a lease when the call must have ended."""
READ_ANEW_AFTER = timedelta(seconds=10)
"""How long an attempt lasts for the definition to be read again before what follows from its end is done."""
_TRIES = 4


def execute(batch: Sequence[Received], *, ports: Ports, worker: Worker) -> Sequence[Handled]:
    """Start, call and report each run of a batch; one answer for each message, in order.

    All are hidden past the longest limit among them first, so that a dead worker is noticed after its jobs' limit, not
    after the queue's. What one call for all cannot read is read one by one: one unreadable run fails alone.

    What came a moment before its instant waits for it, and nothing is read for it before: what somebody changes in that moment
    counts. Messages that have nothing to wait for do not wait with it.
    """
    received = ports.clock()

    def alone(message: Received) -> Handled:
        return execute([message], ports=ports, worker=worker)[0]

    later = early(batch, received)
    if later and len(later) == len(batch):
        first = min(message.run.scheduled_for for message in later)
        wait_until(first, ports.clock, worker.sleep)
        later = [message for message in later if message.run.scheduled_for > first]
    prompt = [message for message in batch if message not in later]
    try:
        runs = ports.runs.get([m.run for m in prompt])
        governing = ports.definitions.governing(sorted({m.run.job for m in prompt}))
        limits = [call_limit(definition.job) for definition in governing.definitions.values()]
        worker.inbox.hide(prompt, max(limits, default=SECOND) + 2 * LEASE_MARGIN)
    except Unavailable as trouble:
        if len(batch) == 1:
            return [_handed_back(batch[0], worker, HAND_BACK, problem=str(trouble))]
        return list(worker.parallel(alone, batch))

    recording = recording_of(prompt, governing, worker.meter, clock=ports.clock, received=received)

    def handle(message: Received) -> Handled:
        try:
            if message in later:
                return alone(message)
            with recording(message) as record:
                return _handle(message, runs.get(message.run), governing, ports, worker, record=record)
        except Unavailable as trouble:
            return Handled(received=message, deletable=False, problem=str(trouble))
        except Exception as trouble:  # noqa: BLE001 - one poisonous run must not fail the others of its batch
            return Handled(received=message, deletable=False, problem=f"{type(trouble).__name__}: {trouble}")

    if len(batch) == 1:
        return [handle(batch[0])]
    return list(worker.parallel(handle, batch))


def _handle(
    message: Received, run: Run | None, governing: Governing, ports: Ports, worker: Worker, *, record: Recording
) -> Handled:
    if run is None:
        return Handled(received=message, deletable=True)
    definition, namespace = governing.of(run.key.job)
    for turn in range(_TRIES):
        if definition is not None and run.revision > definition.revision:
            # It was claimed anew meanwhile: judged by what was there before, it would be superseded by its own revision.
            definition = ports.definitions.get([run.key.job]).get(run.key.job)
        now = ports.clock()
        decision: Decision | Queue | Full = decide(run, definition, namespace, now=now)
        if isinstance(decision, Start) and definition is not None:
            if worker.time_left() < call_limit(definition.job) + LEASE_MARGIN:
                return _handed_back(message, worker, timedelta(0), run=run)
            # Before the start: a store that does not answer costs no attempt.
            definition = meant_for(run, definition, ports)
            admission = admitted(run, definition, namespace, ports, now)
            if isinstance(admission, Granted):
                parents = parents_results(run, ports)
                token = worker.token()
                wanted = started(run, decision, definition.job, Mark(attempt_nonce(token), worker.name, now))
                stands = _start(run, wanted, admission.permits, ports)
                if stands is not None and is_same_attempt(stands, wanted):
                    call = call_of(stands, definition.job, token, worker.callbacks)._replace(parents=parents)
                    holds = bool(admission.permits)
                    return _attempt(message, call, definition, ports, worker, record=record, holds=holds)
                if stands is not None or turn < _TRIES - 2:  # None: somebody took a permit, and another may be free
                    run = stands or run
                    continue
                admission = Full()
            decision = admission
        if isinstance(decision, Done):
            return _followed(message, run, definition, ports, worker)
        if isinstance(decision, Wait | Queue):
            return _waits(message, run, decision, ports, worker)
        looks = looks_again(run, now, of=message.receipt)
        after = _waiting(run, looks) if isinstance(decision, Full) else _closed(run, decision, definition, now)
        after = record(run, after)
        run = _moved(run, after, ports)
        if run == after and isinstance(decision, Full):
            return _comes_again(message, run, looks, ports, worker)
        if run == after:
            return _followed(message, run, definition, ports, worker)
    return _handed_back(message, worker, HAND_BACK, run=run, problem="others kept moving the run")


def _waits(message: Received, run: Run, decision: Wait | Queue, ports: Ports, worker: Worker) -> Handled:
    if isinstance(decision, Queue):
        return _comes_again(message, run, decision.until, ports, worker)
    if run.state in (RunState.WAITING, RunState.RETRYING):
        # Heartbeats, or looks for a slot, put it off again and again: a message of its own each time wears none out.
        return Handled(received=message, deletable=all(send([run], ports, ports.clock())), run=run)
    if run.state is RunState.QUEUED and run.retry_at is not None and ports.clock() + CLOCKS_DIFFER < run.retry_at:
        return Handled(received=message, deletable=True, run=run)  # another message of it comes then
    return _handed_back(message, worker, max(decision.until - ports.clock(), SECOND), run=run)


def _waiting(run: Run, until: datetime) -> Run:
    """The run that looks for a slot again. One whose worker died stays as it is: it is known by that."""
    return run if run.state is RunState.RUNNING else replace(run, retry_at=until)


def _comes_again(message: Received, run: Run, until: datetime, ports: Ports, worker: Worker) -> Handled:
    """The run waits for the lock or a slot, by a message of its own each time: one that was handed back too often would be a dead letter.
    Of one that waits for a slot, all other messages are known by its `retry_at` as one too many, and go."""
    if not all(ports.outbox.send([message_for(run, no_earlier_than=until)])):
        return _handed_back(message, worker, until - ports.clock(), run=run, problem="its next look could not be sent")
    return Handled(received=message, deletable=True, run=run)


def _start(run: Run, wanted: Run, permits: Sequence[Permit], ports: Ports) -> Run | None:
    return (
        retry_when_unavailable(lambda: ports.runs.start(run, wanted, permits))
        if permits
        else _moved(run, wanted, ports)
    )


def _moved(before: Run, after: Run, ports: Ports) -> Run:
    return retry_when_unavailable(lambda: ports.runs.move(before, after))


def _attempt(
    message: Received,
    call: Call,
    definition: Definition,
    ports: Ports,
    worker: Worker,
    *,
    record: Recording,
    holds: bool,
) -> Handled:
    run = call.run
    now = ports.clock()
    lease_left = (run.lease_until or run.starts_at) - now
    over_at = ends_by(run, definition.job)
    timeout = min(call.timeout, lease_left - TIME_TO_REPORT, *(() if over_at is None else (over_at - now,)))
    if timeout <= timedelta(0):
        late = f"attempt {run.attempt} took so long to start that its time is over; whoever comes next sees to the run"
        return _handed_back(message, worker, max(lease_left, SECOND), run=run, problem=late)
    with worker.watch.over(run) as cancelled:
        outcome = outcome_of(worker.call, definition.job.target, call._replace(timeout=timeout, cancelled=cancelled))
    outcome = told_of_the_run(outcome, call, definition.job)
    if outcome.state is RunState.WAITING:
        # Before it waits, something leads back to it. It arrives when nothing has been heard in time.
        if not all(send([answered_later(run, outcome, definition.job, ports.clock())], ports, ports.clock())):
            return _handed_back(
                message, worker, HAND_BACK, run=run, problem="the deadline of the answer could not be set"
            )
    stands = reported(run, outcome, definition, ports, record, holds=holds)
    if not is_same_attempt(stands, run):
        fenced = (
            f"attempt {run.attempt} reported too late: the run is at attempt {stands.attempt}, {stands.state.value}"
        )
        return Handled(received=message, deletable=False, run=stands, started=True, problem=fenced)
    return _followed(message, stands, definition, ports, worker, started=True)


def _followed(
    message: Received,
    run: Run,
    definition: Definition | None,
    ports: Ports,
    worker: Worker,
    *,
    started: bool = False,
) -> Handled:
    """The message goes once all that follows from how the run stands is done."""
    try:
        newest = _newest(run, definition, ports) if started else definition
        done = retry_when_unavailable(lambda: follow_up(run, newest, ports))
        problem = "" if done else "what follows from the run's end could not all be done"
    except Unavailable as trouble:
        done, problem = False, str(trouble)
    if not done:
        back = _handed_back(message, worker, HAND_BACK, run=run, problem=problem)
        return back._replace(started=started)
    return Handled(received=message, deletable=True, run=run, started=started)


def _newest(run: Run, definition: Definition | None, ports: Ports) -> Definition | None:
    """The definition by which what follows from an attempt goes: who depends on the job, and what its delay is, may have changed while a
    long call was under way. After a short one it is not read again."""
    if run.started_at is None or ports.clock() - run.started_at < READ_ANEW_AFTER:
        return definition
    return ports.definitions.get([run.key.job]).get(run.key.job)


def _closed(run: Run, decision: Decision, definition: Definition | None, now: datetime) -> Run:
    """The run as a decision ends it, or its attempt."""
    match decision:
        case Skip():
            return skipped(run, decision, now)
        case Close():
            return closed(run, decision, now)
        case Miss():
            return missed(run, decision, definition, now)
        case Lose():
            return lost(run, decision.why, now)
        case _:
            raise ValueError(f"{decision} ends no run")


def _handed_back(
    message: Received, worker: Worker, hidden: timedelta, *, run: Run | None = None, problem: str = ""
) -> Handled:
    """The message stays, to come again when `hidden` is over; if hiding fails, it comes when its old hiding is over."""
    try:
        worker.inbox.hide([message], max(hidden, timedelta(0)))
    except Unavailable as trouble:
        problem = problem or str(trouble)
    return Handled(received=message, deletable=False, run=run, problem=problem)
