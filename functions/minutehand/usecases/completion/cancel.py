"""Cancel: end a run, at once where possible, else by a mark that its worker or target sees."""

from __future__ import annotations

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.instants import floor
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.run_successors import asked_to_cancel, cancelled
from minutehand.domain.timer import Deadline
from minutehand.usecases.completion.follow_up import follow_up_under
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import Contended, retry_on_stored, too_many_updates


def cancel(ports: Ports, key: RunKey, *, who: str) -> Run:
    """Cancel a run. Cancelling it again changes nothing.

    A run that waits for its start, for a retry, or for an answer without heartbeats ends at once; any other ends when its worker
    or its target next looks.

    Returns:
        The run as it is stored then: cancelled, or active and marked.

    Raises:
        NotFound: when there is no such run.
        Conflict: when it has ended already.
    """
    run = ports.runs.get([key]).get(key)
    if run is None:
        raise NotFound(f"there is no run {key.run_id} of job {key.job}, or its retention is over")
    if run.state is RunState.CANCELLED:
        return run
    if run.state.finished:
        raise Conflict(f"run {key.run_id} of {key.job} has ended already: {run.state.value}")
    return cancel_active(ports, run, by=who)


def cancel_active(ports: Ports, run: Run, *, by: str) -> Run:
    """Cancel a run that was just read; one that ends meanwhile stays as it ended."""
    definition = ports.definitions.get([run.key.job]).get(run.key.job)
    done = retry_on_stored(run, lambda stored: _cancel(ports, stored, definition, by))
    if isinstance(done, Contended):
        raise too_many_updates(f"run {run.key.run_id} of {run.key.job}")
    return done


def _cancel(ports: Ports, run: Run, definition: Definition | None, by: str) -> Run | Contended[Run]:
    if run.state.finished:
        return run
    # Whether heartbeats are due is read from the attempt: its job may have got its heartbeat later.
    has_heartbeats = run.state is RunState.WAITING and run.lease_until != run.deadline_at
    if run.state is RunState.RUNNING or has_heartbeats:
        after = asked_to_cancel(run, by=by)
        stored = run if after == run else ports.runs.move(run, after)
        return stored if stored == after else Contended(stored)
    after = cancelled(run, ports.clock(), by=run.cancelled_by or by)
    deadline = Deadline(run=run.key, next_at=floor(ports.clock()))
    stored = ports.runs.move_reminding(run, after, deadline)
    if stored != after:
        return Contended(stored)
    follow_up_under(deadline, stored, definition, ports)
    return stored
