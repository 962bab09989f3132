"""Cancel: end a run, at once where possible, else by a mark that its worker or target sees."""

from __future__ import annotations

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
    run = existing_run(ports, key)
    if run.state is RunState.CANCELLED:
        return run
    if run.state.finished:
        raise Conflict(f"run {key.run_id} of {key.job} has ended already: {run.state.value}")
    return cancel_active(ports, run, by=who)


def existing_run(ports: Ports, key: RunKey) -> Run:
    """A run by its key. Raises NotFound."""
    run = ports.runs.get([key]).get(key)
    if run is None:
        raise NotFound(f"there is no run {key.run_id} of job {key.job}, or its retention is over")
    return run


def cancel_active(ports: Ports, run: Run, *, by: str) -> Run:
    """Cancel a run that was just read; one that ends meanwhile stays as it ended."""
    definition = ports.definitions.get([run.key.job]).get(run.key.job)

    def update(before: Run) -> Run | Contended[Run]:
        if before.state.finished:
            return before
        # Whether heartbeats are due is read from the attempt: its job may have got its heartbeat later.
        has_heartbeats = before.state is RunState.WAITING and before.lease_until != before.deadline_at
        if before.state is RunState.RUNNING or has_heartbeats:
            after = asked_to_cancel(before, by=by)
            stored = before if after == before else ports.runs.move(before, after)
            return stored if stored == after else Contended(stored)
        after = cancelled(before, ports.clock(), by=before.cancelled_by or by)
        deadline = Deadline(run=before.key, next_at=floor(ports.clock()))
        stored = ports.runs.move_reminding(before, after, deadline)
        if stored != after:
            return Contended(stored)
        follow_up_under(deadline, stored, definition, ports)
        return stored

    done = retry_on_stored(run, update)
    if isinstance(done, Contended):
        raise too_many_updates(f"run {run.key.run_id} of {run.key.job}")
    return done
