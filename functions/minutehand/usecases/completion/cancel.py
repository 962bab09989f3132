"""Cancel a run: end it at once, or while a worker or a target is busy with it, mark it so that they stop."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from minutehand.domain.errors import Conflict, NotFound, Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.run_successors import asked_to_cancel, cancelled
from minutehand.domain.timer import Deadline
from minutehand.usecases.completion.follow_up import follow_up, follow_up_under
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.retries import Contended, retry_on_stored, too_many_updates

if TYPE_CHECKING:
    from minutehand.domain.actor import Actor
    from minutehand.domain.audit import AuditRecord


def cancel(ports: Ports, key: RunKey, *, who: Actor) -> Run:
    """Cancel a run. Cancelling it again changes nothing.

    A run that waits for its start, for a retry, or for a target without heartbeats ends at once. Any other is only marked: it ends
    when its worker next reads the mark (every 5 s of a call), or when its target next sends a heartbeat.

    Returns:
        The run as stored afterwards: cancelled, or still active and marked.

    Raises:
        NotFound: when there is no such run.
        Conflict: when it has ended already.
    """
    run = existing_run(ports, key)
    if run.state is RunState.CANCELLED:
        return run
    if run.state.finished:
        raise Conflict(f"run {key.run_id} of {key.job} has ended already: {run.state.value}")
    from minutehand.domain.audit import Action, audit_record  # noqa: PLC0415 - workers cancel runs too, and nobody asked them

    audit = audit_record(
        who,
        Action.CANCEL,
        ports.clock(),
        namespace=key.job.namespace,
        job=key.job.name,
        kept=ports.audit_retention,
        run_id=key.run_id,
    )
    return cancel_active(ports, run, by=who.name, audit=audit)


def existing_run(ports: Ports, key: RunKey) -> Run:
    """The run with this key. Raises NotFound when there is none."""
    run = ports.runs.get([key]).get(key)
    if run is None:
        raise NotFound(f"there is no run {key.run_id} of job {key.job}, or its retention is over")
    return run


def cancel_active(ports: Ports, run: Run, *, by: str, audit: AuditRecord | None = None) -> Run:
    """Cancel a run that was just read. A run that ends meanwhile by itself keeps that end. `audit` is stored with the change."""
    definition = ports.definitions.get([run.key.job]).get(run.key.job)

    def update(before: Run) -> Run | Contended[Run]:
        if before.state.finished:
            return before
        # The run's record says whether heartbeats are due. Its job does not: `heartbeat` may have been set after the attempt began.
        has_heartbeats = before.state is RunState.WAITING and (
            before.joins_at is not None or before.lease_until != before.deadline_at
        )
        if before.state is RunState.RUNNING or has_heartbeats:
            after = asked_to_cancel(before, by=by)
            stored = before if after == before else _mark(ports, before, after, audit)
            return stored if stored == after else Contended(stored)
        after = cancelled(before, definition, ports.clock(), by=before.cancelled_by or by)
        deadline = Deadline(run=before.key, next_at=floor(ports.clock()))
        stored = ports.runs.move_reminding(before, after, deadline, audit)
        if stored != after:
            return Contended(stored)
        follow_up_under(deadline, stored, definition, ports)
        return stored

    done = retry_on_stored(run, update)
    if isinstance(done, Contended):
        raise too_many_updates(f"run {run.key.run_id} of {run.key.job}")
    if done.state is RunState.WAITING and done.joins_at is not None:
        with suppress(Unavailable):  # the watch of the run does it later
            follow_up(done, definition, ports)
            return ports.runs.get([done.key]).get(done.key) or done
    return done


def _mark(ports: Ports, before: Run, after: Run, audit: AuditRecord | None) -> Run:
    return ports.runs.move(before, after) if audit is None else ports.runs.move_audited(before, after, audit)
