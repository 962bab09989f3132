"""Following up: what a run's end, or its retry, sets in motion. Every part may be repeated, by anyone."""

from __future__ import annotations

from minutehand.domain.job import Definition, Overlap
from minutehand.domain.overlap_lock import is_active, lock_of, turn, waits_still
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.usecases.dispatching.send import message_for, send
from minutehand.usecases.ports.bundle import Ports

_MOST_WOKEN = 10


def follow_up(run: Run, definition: Definition | None, ports: Ports) -> bool:
    """Do what follows from how a run stands; whether all of it is done, so that the message that led here may go.

    A run that is finished is followed up by whoever ended it, and again by whoever still meets a message of it.

    Raises:
        Unavailable: when a store does not answer.
    """
    if run.state is RunState.RETRYING:
        return all(send([run], ports, ports.clock()))
    if not run.state.finished:
        return True
    released = definition is None or _release(run, definition, ports)
    if run.key.backfill is None:
        return released
    from minutehand.usecases.dispatching.replay import step  # noqa: PLC0415 - most runs are none of a backfill

    return step(ports, run.key.job, run.key.backfill) and released


def _release(run: Run, definition: Definition, ports: Ports) -> bool:
    """Let those go on that waited for the run's end. What a job does not use, a worker does not load."""
    started = woken = True
    if definition.job.fixed_delay:
        from minutehand.usecases.dispatching.fixed_delay import arm_next  # noqa: PLC0415 - see above

        arm_next(run, ports)
    if definition.children:
        from minutehand.usecases.completion.child_runs import start_children  # noqa: PLC0415 - see above

        started = start_children(run, definition, ports)
    if definition.job.overlap is not Overlap.ALLOW or definition.job.fixed_delay:
        woken = _wake(run, definition, ports)
    if definition.job.retention_count is not None:
        from minutehand.usecases.completion.trim import trim  # noqa: PLC0415 - see above

        trim(run, definition, ports)
    return started and woken


def _wake(run: Run, definition: Definition, ports: Ports) -> bool:
    """Tell who waits for the job's lock that it may be free: whose turn it is, or all where the newest is to replace the others."""
    key = lock_of(run.key.job)
    lock = ports.permits.get([key])[key]
    if run.key.run_id in lock.waiting:  # it ended while it waited
        ports.permits.forget(key, [run.key.run_id])
    waiting = [RunKey(run.key.job, name) for name in lock.waiting if name != run.key.run_id]
    if not waiting:
        return True
    if lock.holder not in (None, run.key) and is_active(ports.runs.get([lock.holder]).get(lock.holder), ports.clock()):
        return True  # one of them has started: its end wakes the others, however often this one's is met again
    replaces = definition.job.overlap is Overlap.REPLACE
    waiting.sort(key=None if replaces else turn, reverse=replaces)
    for start in range(0, len(waiting), _MOST_WOKEN):
        chosen = waiting[start : start + _MOST_WOKEN]
        found = ports.runs.get(chosen)
        now = ports.clock()
        waits = [one for key_ in chosen if (one := found.get(key_)) is not None and waits_still(one, now)]
        ports.permits.forget(key, [one.run_id for one in chosen if one not in {run.key for run in waits}])
        if waits:
            return all(ports.outbox.send([message_for(one) for one in (waits if replaces else waits[:1])]))
    return True
