"""Join nodes: the steps of a run on several nodes, which start its runs on nodes and join their ends. Any process may repeat any step,
after a crash anywhere.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.domain.instants import to_text
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import Run, RunError, RunState
from minutehand.domain.run_decisions import Close, deleting_revision
from minutehand.domain.run_key import RunKey
from minutehand.domain.run_successors import asked_to_cancel, cancelled, decided
from minutehand.domain.share_decisions import child_run, never_begun
from minutehand.domain.spread import Step, plan_step
from minutehand.usecases.dispatching.send import message_for, overdue, resend_each
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim
from minutehand.usecases.retries import CONTENDED, Contended, retry_on_conflict

RESEND_AFTER = timedelta(minutes=10)
"""Minimum time between two resends of a run on a node, so that resends do not lengthen a queue that is merely long."""


class Stop(NamedTuple):
    """Why nothing more of a run is to start: who asked for that, and whether it is because the run's time is over."""

    by: str
    late: bool = False


def step(ports: Ports, parent: RunKey, attempt: int, *, watch: bool = False) -> bool:
    """Start the runs of further nodes, up to `max_parallel` at once; or end the run, when those that were started have ended.

    ◆ The step stores which nodes it takes, if the spread is as it was read; then it claims their runs and sends them. If it dies in
    between, the next step claims missing runs, and the watch sends runs that were claimed but not sent.

    ◆ Before a run ends that has not taken all its nodes, the spread is closed, so that no other step takes any.

    Args:
        watch: whether the watch makes this call. Then overdue runs are sent again.

    Returns:
        False when the step must be repeated: too many concurrent updates, or a run was not both claimed and sent.

    Raises:
        Unavailable: when a store does not answer; repeating the step is safe.
    """

    def update() -> bool | Contended[None]:
        before = ports.spreads.get(parent, attempt)
        run = ports.runs.get([parent]).get(parent)
        if run is None or run.state is not RunState.WAITING or run.attempt != attempt:
            return True
        if before is None:  # somebody deleted it: nothing can say any more which runs this one waits for
            gone = RunError(ErrorType.NODES_FAILED, "the list of its nodes is gone from the store")
            return _report(ports, run, Outcome(RunState.FAILED, error=gone, final=True), None)
        definition = ports.definitions.get([parent.job]).get(parent.job)
        children = before.children
        found = ports.runs.get([*children.values()]) if children else {}
        now = ports.clock()
        stop = why_stopped(run, definition, now)
        if stop is not None:
            found = {key: _stopped(one, definition, stop, ports) for key, one in found.items()}
        planned = plan_step(before, found, stopped=stop is not None)
        if planned.after != before:
            after = replace(planned.after, version=before.version + 1)
            if not ports.spreads.save(before, after):
                return CONTENDED
            if after.closed:
                return CONTENDED  # look again: nobody takes a node from now on
        sent = _claim(planned, run, definition, ports, now, stop=stop)
        if planned.outcome is not None:
            return _report(ports, run, planned.outcome, stop)
        if planned.closed and planned.unclaimed:
            return CONTENDED if sent else False
        if watch:
            resend_each([one for one in found.values() if overdue(one, now, wait=RESEND_AFTER)], now, ports)
        return sent

    try:
        return retry_on_conflict(update, f"run {parent.run_id} of {parent.job}")
    except Conflict:
        return False


def why_stopped(run: Run, definition: Definition | None, now: datetime) -> Stop | None:
    """Why nothing more of a run on several nodes may start; None if it goes on."""
    if run.cancelled_by:
        return Stop(run.cancelled_by)
    if definition is None or deleting_revision(run, definition) is not None:
        return Stop("the delete of the job")
    if run.deadline_at is not None and now >= run.deadline_at:
        return Stop(f"the end of the time of run {run.key.run_id}", late=True)
    return None


def _stopped(run: Run, definition: Definition | None, stop: Stop, ports: Ports) -> Run:
    """End the run of a node, or ask its agent to. Returns it as stored.

    When the time of the whole run is over, so is every lease of its parts: no agent may go on, and no report counts.
    """
    if run.state.finished:
        return run
    now = ports.clock()
    if run.state in (RunState.QUEUED, RunState.RETRYING):
        return ports.runs.move(run, cancelled(run, definition, now, by=run.cancelled_by or stop.by))
    if stop.late and run.lease_until is not None and now >= run.lease_until:
        error = RunError(ErrorType.ANSWER_MISSED, f"no answer by {to_text(run.lease_until)}")
        return ports.runs.move(run, decided(run, Close(RunState.TIMED_OUT, error), definition, now))
    after = asked_to_cancel(run, by=stop.by)
    return run if after == run else ports.runs.move(run, after)


def _claim(
    planned: Step, parent: Run, definition: Definition | None, ports: Ports, now: datetime, *, stop: Stop | None
) -> bool:
    """Claim a step's missing runs, and send those that this call claimed. Returns whether no claim and no message failed. A run
    that another process claimed is sent by that process."""
    if not planned.unclaimed:
        return True
    wanted = [child_run(planned.after, node, parent, definition, now) for node in planned.unclaimed]
    if planned.closed:
        by = stop.by if stop is not None else f"run {parent.key.run_id}, which cannot succeed any more"
        return Claim.FAILED not in ports.runs.claim([never_begun(run, now, by=by) for run in wanted])
    claims = ports.runs.claim(wanted)
    ours = [run for run, claim in zip(wanted, claims, strict=True) if claim is Claim.CLAIMED]
    sent = ports.outbox.send([message_for(run) for run in ours]) if ours else []
    return all(sent) and Claim.FAILED not in claims


def _report(ports: Ports, run: Run, outcome: Outcome, stop: Stop | None) -> bool:
    """End the run on several nodes. Another process may have done so."""
    from minutehand.usecases.completion.answers import Witness, report  # noqa: PLC0415 - it follows up what it ends, as this does

    if stop is not None and stop.late and outcome.state is RunState.FAILED:
        outcome = outcome._replace(state=RunState.TIMED_OUT)
    try:
        ended = report(ports, Witness(run.key, run.attempt, run.nonce), outcome, read=run)
    except (Conflict, NotAllowed):
        return False
    ports.tell_end(ended)
    return True
