"""Trigger: start a run by request, once per idempotency key."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import NamedTuple

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, AuditRecord, audit_record
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, FieldProblem, Invalid, KeyReused, Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import destination_of
from minutehand.domain.policies import Overlap
from minutehand.domain.precondition import ALWAYS, Precondition
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.domain.stored_size import check_payload
from minutehand.domain.timer import Deadline
from minutehand.usecases import pacing
from minutehand.usecases.completion.cancel import existing_run
from minutehand.usecases.definitions.asked import version_of
from minutehand.usecases.definitions.manage import governed, same_json
from minutehand.usecases.dispatching.send import SEND_WITHIN
from minutehand.usecases.dispatching.watchlists import send_watched
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Payload


class Triggered(NamedTuple):
    """The run of an idempotency key; `created` is False when an earlier request created it."""

    run: Run
    created: bool


def trigger(
    ports: Ports,
    key: JobKey,
    *,
    idempotency_key: str,
    who: Actor,
    payload: Payload | None = None,
    ignore_overlap: bool = False,
    only_node: str = "",
    only_if: Precondition = ALWAYS,
) -> Triggered:
    """Run a job now, whatever its schedule, and even while it is paused.

    One transaction stores the run, its payload, a record of the key, a deadline timer and the record of who asked. The timer is removed once the message is
    sent. A repeated call creates no second run. Keys used for a deleted job of the same name do not count.

    Args:
        payload: replaces the job's payload; None keeps it.
        ignore_overlap: whether to start beside other runs of the job, whatever its overlap policy.
        only_node: the one node of the pool that may run it, whatever the job says; only for a target that agents run.
        only_if: which version of the job must be stored at this moment. The run itself has the definition at its start.

    Raises:
        Invalid: when the payload is too large to store, or no agent runs the job and `only_node` is given.
        NotFound: when there is no such job.
        ChangedMeanwhile: when the stored job is not as `only_if` demands.
        KeyReused: when the key was used with another payload or other options.
        RunsQuotaReached: when the namespace's quota lets no further run begin in this minute, also for a repeated call.
    """
    if payload is not None:
        check_payload(payload.value)
    definition, namespace = governed(ports, key)
    only_if.check(version_of(definition), f"job {key}")
    if only_node and destination_of(definition.job) is None:
        message = f"no agent runs {key}: its target is of type {definition.job.target.type}"
        raise Invalid(FieldProblem("node", message, "leave it out, or give the job a target of type command"))
    now, since = ports.clock(), deleted_before(definition)
    place = pacing.place_now(namespace, ports, now)
    # A job may be deleted and created again within a second: a key used before must not give the run of the deleted job.
    identity = identity_of(f"{since} {idempotency_key}" if since else idempotency_key)
    run = Run(
        key=RunKey.triggered(key, now, identity),
        target=definition.job.target.type,
        revision=definition.revision,
        claimed_at=now,
        expires_at=floor(now) + definition.job.retention,
        own_payload=payload is not None,
        overlap=Overlap.ALLOW if ignore_overlap else None,
        place=place,
        only_node=only_node,
    )
    audit = audit_record(
        who,
        Action.TRIGGER,
        now,
        namespace=key.namespace,
        job=key.name,
        kept=ports.audit_retention,
        run_id=run.key.run_id,
        ignore_overlap=ignore_overlap or None,
        own_payload=run.own_payload or None,
        node=only_node or None,
    )
    stored = create_and_send(ports, run, idempotency_key=idempotency_key, payload=payload, since=since, audit=audit)
    if stored != run:
        _check_same(stored, run, payload, ports)
    return Triggered(run=stored, created=stored == run)


def payload_of(ports: Ports, key: RunKey) -> Payload | None:
    """The payload of a run of its own; None for one that had the job's.

    Raises:
        NotFound: when there is no such run.
        Conflict: when the payload is gone.
    """
    run = existing_run(ports, key)
    found = ports.runs.payload(key) if run.own_payload else None
    if run.own_payload and found is None:
        gone = f"the payload of run {key.run_id} of {key.job} is gone, since its retention is over or it was purged"
        raise Conflict(f"{gone}; trigger the job with a payload instead")
    return found


def create_and_send(
    ports: Ports,
    run: Run,
    *,
    idempotency_key: str,
    payload: Payload | None,
    since: int,
    audit: AuditRecord | None = None,
) -> Run:
    """Create and send a run, unless its idempotency key has made one already. Returns the stored run. See `Runs.trigger`."""
    deadline = Deadline(run=run.key, next_at=floor(run.claimed_at) + SEND_WITHIN)
    stored = ports.runs.trigger(run, idempotency_key, deadline, payload, since, audit=audit)
    if stored == run:
        with suppress(Unavailable):  # the run is stored and its deadline timer will send it, so the call has succeeded
            if all(send_watched([stored], ports, run.claimed_at)):
                ports.timers.settle(deadline)
    return stored


def deleted_before(definition: Definition) -> int:
    """The revision that deleted an earlier job of this name; 0 for none, or when that is so long ago that its keys have expired."""
    return max((revision.number for revision in definition.revisions if revision.deleted), default=0)


def identity_of(idempotency_key: str) -> str:
    """The part of a run id made from an idempotency key: 16 hex digits of its hash, since keys may be of any length."""
    return hashlib.sha256(idempotency_key.encode()).hexdigest()[:16]


def _check_same(stored: Run, wanted: Run, payload: Payload | None, ports: Ports) -> None:
    """Refuse a key that an earlier request used with another payload or other options."""
    differs = []
    if stored.overlap is not wanted.overlap:
        differs.append("another ignore_overlap")
    if stored.only_node != wanted.only_node:
        differs.append("another node")
    kept = ports.runs.payload(stored.key) if payload and stored.own_payload else None
    if stored.own_payload != wanted.own_payload or (payload and not (kept and same_json(kept.value, payload.value))):
        differs.append("another payload")
    if differs:
        raise KeyReused(
            f"this idempotency key made run {stored.key.run_id} of {stored.key.job}, with {' and '.join(differs)}; "
            "repeat the same request, or use another key for another run"
        )
