"""Trigger: a run asked for by hand, once per idempotency key."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import Any, NamedTuple

from minutehand.domain.errors import KeyReused, Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.job import Definition, JobKey, Overlap
from minutehand.domain.run import Run, RunKey
from minutehand.domain.timer import Deadline
from minutehand.usecases.definitions.manage import get
from minutehand.usecases.dispatching.send import SEND_WITHIN, send
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Payload


class Triggered(NamedTuple):
    """The run of an idempotency key; `created` is False when the key was used before."""

    run: Run
    created: bool


def trigger(
    ports: Ports,
    key: JobKey,
    *,
    idempotency_key: str,
    payload: Payload | None = None,
    ignore_overlap: bool = False,
) -> Triggered:
    """Run a job now, whatever its schedule and even while it is paused.

    Run, payload, record of the key and deadline are one transaction; sending removes the deadline. Asking twice is asking once; a job
    that was deleted and made again is another one, and knows nothing of what was asked before.

    Args:
        payload: handed to the target in place of the job's; None leaves the job's.
        ignore_overlap: start beside other runs of the job, whatever its overlap policy.

    Raises:
        NotFound: when there is no such job.
        KeyReused: when the key was used with another payload or other options.
    """
    definition = get(ports, key)
    now, since = ports.clock(), deleted_before(definition)
    # In the second in which the job is made again, a key that was used in it must not give the run that it made.
    identity = identity_of(f"{since} {idempotency_key}" if since else idempotency_key)
    run = Run(
        key=RunKey.triggered(key, now, identity),
        target=definition.job.target.type,
        revision=definition.revision,
        claimed_at=now,
        expires_at=floor(now) + definition.job.retention,
        own_payload=payload is not None,
        overlap=Overlap.ALLOW if ignore_overlap else None,
    )
    stands = made_and_sent(ports, run, idempotency_key=idempotency_key, payload=payload, since=since)
    if stands != run:
        _check_same(stands, run, payload, ports)
        return Triggered(run=stands, created=False)
    return Triggered(run=stands, created=True)


def made_and_sent(ports: Ports, run: Run, *, idempotency_key: str, payload: Payload | None, since: int) -> Run:
    """Make a run with all that belongs to it, and send it, unless the key has made one: the run as it stands; see `Runs.trigger`."""
    deadline = Deadline(run=run.key, next_at=floor(run.claimed_at) + SEND_WITHIN)
    stands = ports.runs.trigger(run, idempotency_key, deadline, payload, since)
    if stands == run:
        with suppress(Unavailable):  # the run is there and the deadline will have it sent: to the caller it is done
            if all(send([stands], ports, run.claimed_at)):
                ports.timers.settle(deadline)
    return stands


def deleted_before(definition: Definition) -> int:
    """The revision that deleted the job before it was made as it is; 0 where there is none, or longer ago than a key is remembered."""
    return max((revision.number for revision in definition.revisions if revision.deleted), default=0)


def identity_of(idempotency_key: str) -> str:
    """What an id holds of an idempotency key: 16 hex digits of its hash, since callers choose how long it is."""
    return hashlib.sha256(idempotency_key.encode()).hexdigest()[:16]


def _check_same(stands: Run, wanted: Run, payload: Payload | None, ports: Ports) -> None:
    """Refuse to pass the run of an earlier request off as what is asked for now."""
    differs = []
    if stands.overlap is not wanted.overlap:
        differs.append("another ignore_overlap")
    if stands.own_payload != wanted.own_payload or (payload and not _same(ports.runs.payload(stands.key), payload)):
        differs.append("another payload")
    if differs:
        raise KeyReused(
            f"this idempotency key made run {stands.key.run_id} of {stands.key.job}, with {' and '.join(differs)}; "
            "send the same request again, or another key for another run"
        )


def _same(one: Payload | None, other: Payload) -> bool:
    """Whether two payloads are one, told apart as JSON tells: `true` is not `1`."""
    return one is not None and _written(one.value) == _written(other.value)


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
