"""Follow-up: after a run's end, start the runs that waited for it; before a retry, send its message. Any process may repeat it."""

from __future__ import annotations

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.overlap_lock import comes_by_itself, is_active, lock_of, needs_message, turn
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline
from minutehand.usecases.completion.trim import trim
from minutehand.usecases.dispatching.send import message_for, send
from minutehand.usecases.ports.bundle import Ports

_MOST_WOKEN = 10


def follow_up(run: Run, definition: Definition | None, ports: Ports) -> bool:
    """Send the message of a run's retry, or start what waited for its end. Returns whether all is done; then the run's message may
    be deleted.

    The function that ended a run calls this, and so does any function that receives a message of the run later.

    Raises:
        Unavailable: when a store does not answer.
    """
    if run.state is RunState.RETRYING:
        return all(send([run], ports, ports.clock()))
    if (whole := _several_nodes(run)) is not None:
        from minutehand.usecases.completion.join_nodes import step as join  # noqa: PLC0415 - few runs are on several nodes

        return join(ports, *whole)
    if not run.state.finished:
        return True
    released = definition is None or _release(run, definition, ports)
    if run.key.backfill is None:
        return released
    from minutehand.usecases.dispatching.replay import step  # noqa: PLC0415 - loads the schedule library, 11 ms

    return step(ports, run.key.job, run.key.backfill) and released


def _several_nodes(run: Run) -> tuple[RunKey, int] | None:
    """The run on several nodes, and its attempt, that this run is, while it goes on, or was a part of; None for any other run."""
    if run.share is not None:
        return (run.share.parent, run.share.attempt) if run.state.finished else None
    return (run.key, run.attempt) if run.state is RunState.WAITING and run.joins_at is not None else None


def follow_up_under(deadline: Deadline, run: Run, definition: Definition | None, ports: Ports) -> None:
    """Follow up a run whose end was stored with a deadline timer, then remove the timer. If a part fails, the timer stays and has a
    worker repeat the follow-up."""
    try:
        if follow_up(run, definition, ports):
            ports.timers.settle(deadline)
    except Unavailable:
        pass


def _release(run: Run, definition: Definition, ports: Ports) -> bool:
    """Start what waited for the run's end; returns whether all is done. Imports the schedule library only for jobs that need it."""
    started = woken = True
    if definition.job.fixed_delay:
        from minutehand.usecases.dispatching.fixed_delay import arm_next  # noqa: PLC0415 - loads the schedule library, 11 ms

        arm_next(run, ports)
    if definition.children:
        from minutehand.usecases.completion.child_runs import start_children  # noqa: PLC0415 - loads the schedule library, 11 ms

        started = start_children(run, definition, ports)
    if definition.job.overlap is not Overlap.ALLOW or definition.job.fixed_delay:
        woken = _wake(run, definition, ports)
    trim(run, definition, ports)
    return started and woken


def _wake(run: Run, definition: Definition, ports: Ports) -> bool:
    """Send a message to the run whose turn it is at the job's overlap lock; with `overlap: replace`, to the newest that wait, at
    most ten. Returns whether no message was refused."""
    key = lock_of(run.key.job)
    lock = ports.permits.get([key])[key]
    if run.key.run_id in lock.waiting:  # this run ended while it waited for the lock
        ports.permits.forget(key, [run.key.run_id])
    waiting = [RunKey(run.key.job, name) for name in lock.waiting if name != run.key.run_id]
    if not waiting:
        return True
    if lock.holder not in (None, run.key) and is_active(ports.runs.get([lock.holder]).get(lock.holder), ports.clock()):
        return True  # another run holds the lock by now, and its end wakes the others
    replaces = definition.job.overlap is Overlap.REPLACE
    waiting.sort(key=None if replaces else turn, reverse=replaces)
    for start in range(0, len(waiting), _MOST_WOKEN):
        chosen = waiting[start : start + _MOST_WOKEN]
        found = ports.runs.get(chosen)
        now = ports.clock()
        waits = [one for key_ in chosen if (one := found.get(key_)) is not None and needs_message(one, now)]
        ports.permits.forget(key, [one.run_id for one in chosen if one not in {run.key for run in waits}])
        if waits:
            called = [one for one in (waits if replaces else waits[:1]) if not comes_by_itself(one, now)]
            return not called or all(ports.outbox.send([message_for(one) for one in called]))
    return True
