"""Redrive: resend messages of runs that seem stuck, or run lost runs again, at a person's request.

Like the sweep, it decides nothing itself: a worker that receives a message does what the run's record calls for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, FieldProblem, Invalid, Unavailable
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import overlap_of_replay
from minutehand.domain.policies import Overlap
from minutehand.domain.run import ACTIVE, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.cancel import existing_run
from minutehand.usecases.definitions.manage import get
from minutehand.usecases.dispatching.send import reminder, resend
from minutehand.usecases.operations.trigger import create_and_send, deleted_before, identity_of
from minutehand.usecases.ports.bundle import Ports

PAGES = 10
"""Most pages of runs that one call for a whole namespace reads, to bound its time."""


class Redriven(NamedTuple):
    """The runs of one page that were sent again, or the active replacements of lost ones; `next` is the next page's cursor."""

    runs: Sequence[Run]
    next: str | None


def redrive(ports: Ports, job: JobKey, *, limit: int, cursor: str | None) -> Redriven:
    """Resend messages for one page of a job's active runs: those that should have begun or ended by now.

    Raises:
        Invalid: for a cursor that no page gave.
        Unavailable: when a store does not answer, or the queue does not take a message; repeating the call is safe.
    """
    page = ports.runs.page(job, limit, cursor, ACTIVE)
    now = ports.clock()
    return Redriven([run for run in page.items if run.wakes_at <= now and resend(run, now, ports)], page.next)


def redrive_one(ports: Ports, key: RunKey) -> Run:
    """Send one run's message again. The worker that receives it starts the run, takes it over, ends it, or repeats its follow-up.

    Raises:
        NotFound: when there is no such run.
        Conflict: when it is not yet time for a worker to start or check it.
        Unavailable: when no message could be sent.
    """
    run, now = existing_run(ports, key), ports.clock()
    if not run.state.finished and run.wakes_at > now:
        known = f"run {key.run_id} of {key.job} is {run.state.value} and not overdue"
        raise Conflict(f"{known}: a worker checks it at {to_text(floor(run.wakes_at))}")
    sent = all(ports.outbox.send([reminder(run, now)])) if run.state.finished else resend(run, now, ports)
    if not sent:
        raise Unavailable(f"no message could be sent for run {key.run_id} of {key.job}; try again")
    return run


def redrive_lost(ports: Ports, job: JobKey, *, limit: int, cursor: str | None) -> Redriven:
    """Create a replacement for each of a job's lost runs, on one page of them. Repeating the call creates no second one.

    The answer leaves out replacements that have ended. Lost runs of a deleted job of the same name are not replaced, nor are those
    whose own payload is gone.

    Raises:
        NotFound: when there is no such job.
        Invalid: for a cursor that no page gave.
    """
    definition = get(ports, job)
    page = ports.runs.page(job, limit, cursor, (RunState.LOST,))
    lost = [run for run in page.items if not _of_another_job(run, definition)]
    existing = ports.runs.get([_replacement_of(run.key) for run in lost]) if lost else {}
    new = [existing.get(_replacement_of(run.key)) or _replace(run, definition, ports) for run in lost]
    return Redriven([run for run in new if run is not None and not run.state.finished], page.next)


def redrive_lost_one(ports: Ports, key: RunKey) -> Run:
    """Create a run in place of a lost one, or return the one that was created before.

    Raises:
        NotFound: when there is no such run or job.
        Conflict: when the run was not lost, belongs to a deleted job of the same name, or its own payload is gone.
    """
    definition, run = get(ports, key.job), existing_run(ports, key)
    if run.state is not RunState.LOST:
        raise Conflict(f"run {key.run_id} of {key.job} was not lost: it is {run.state.value}")
    if _of_another_job(run, definition):
        raise Conflict(f"run {key.run_id} belongs to a deleted job {key.job}; the job of that name is a new one")
    replacement = _replacement_of(run.key)
    new = ports.runs.get([replacement]).get(replacement) or _replace(run, definition, ports)
    if new is None:
        gone = f"the payload of run {key.run_id} of {key.job} is gone, since its retention is over"
        raise Conflict(f"{gone}; trigger the job with a payload instead")
    return new


def redrive_namespace(ports: Ports, namespace: str, *, lost: bool, limit: int, cursor: str | None) -> Redriven:
    """Do what `redrive` does, or with `lost` what `redrive_lost` does, for all jobs of a namespace, by name.

    One call goes through `PAGES` pages of runs at most, so a page may be short or empty without being the last.

    Raises:
        Invalid: for a cursor that no page gave.
        Unavailable: when a store does not answer.
    """
    runs: list[Run] = []
    jobs_cursor, name, runs_cursor = _cursors_in(cursor)
    for _ in range(PAGES):
        jobs = ports.definitions.page(namespace, 1, jobs_cursor or None)
        if not jobs.items:
            return Redriven(runs, None)
        job = jobs.items[0].job.key
        # The job that the last page ended in may be deleted by now.
        resume_at = (runs_cursor or None) if job.name == name else None
        found = (redrive_lost if lost else redrive)(ports, job, limit=limit - len(runs), cursor=resume_at)
        runs += found.runs
        if found.next is not None:
            name, runs_cursor = job.name, found.next
        elif jobs.next is None:
            return Redriven(runs, None)
        else:
            jobs_cursor, name, runs_cursor = jobs.next, "", ""
        if len(runs) >= limit:
            break
    return Redriven(runs, f"{jobs_cursor}:{name}:{runs_cursor}")


def lost_runs_of(runs: Collection[RunKey]) -> Mapping[RunKey, RunKey]:
    """Those of the runs that replace a lost one, each with the run that it replaces. Reads nothing: a replacement is found if the lost
    run is also among the runs, or if the job's schedule named it."""
    named = {RunKey.scheduled(run.job, run.scheduled_for) for run in runs if run.triggered_by_hand}
    return {new: lost for lost in {*runs, *named} if (new := _replacement_of(lost)) in runs}


def _cursors_in(cursor: str | None) -> tuple[str, str, str]:
    """The parts of a namespace's cursor: the cursor of its jobs, the name of the job that the last page ended in, and the cursor of that
    job's runs; empty where there is none."""
    if cursor is None:
        return "", "", ""
    match cursor.split(":"):
        case [jobs_cursor, name, runs_cursor]:
            return jobs_cursor, name, runs_cursor
    raise Invalid(FieldProblem("cursor", "this is not a cursor", "send `next` of the previous page, unchanged"))


def _of_another_job(run: Run, definition: Definition) -> bool:
    """Whether a run belongs to a deleted job of the same name. While the definition still lists the deletion, the run's revision
    tells; later the time of its claim does."""
    return run.revision < deleted_before(definition) or run.claimed_at < definition.created_at


def _replacement_of(lost: RunKey) -> RunKey:
    """Key of the run that replaces a lost one. The same lost run always gives the same key, so it is replaced once at most."""
    return RunKey.triggered(lost.job, lost.scheduled_for, identity_of(_idempotency_key(lost)))


def _idempotency_key(lost: RunKey) -> str:
    return f"redrive {lost.run_id}"


def _replace(lost: Run, definition: Definition, ports: Ports) -> Run | None:
    """Create and send a run with the lost run's payload and parents, starting now. None when its own payload is gone.

    The new run is kept at least as long as the lost one, so that a repeated call finds it and creates no second one.
    """
    payload = ports.runs.payload(lost.key) if lost.own_payload else None
    if lost.own_payload and payload is None:
        return None
    job, now = definition.job, ports.clock()
    run = Run(
        key=_replacement_of(lost.key),
        target=job.target.type,
        revision=definition.revision,
        claimed_at=now,
        expires_at=max(floor(now) + job.retention, lost.expires_at),
        start_delay=max(floor(now) - lost.scheduled_for, timedelta(0)),
        own_payload=lost.own_payload,
        overlap=overlap_of_replay(job, beside=lost.overlap is Overlap.ALLOW),
        parents=lost.parents,
        shadow=lost.shadow,
        only_node=lost.only_node,
    )
    return create_and_send(
        ports, run, idempotency_key=_idempotency_key(lost.key), payload=payload, since=deleted_before(definition)
    )
