"""Definitions as items of the Jobs table. The job itself is JSON, since no expression ever looks into it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import instant, number, read_instant, read_number, read_text, text
from minutehand.domain.instants import SECOND, from_text, to_text
from minutehand.domain.job import (
    MAX_CATCH_UP,
    ONE_TRY,
    Backoff,
    CatchUp,
    Definition,
    Dependency,
    Job,
    JobKey,
    Join,
    On,
    OnBlocked,
    Overlap,
    Retry,
    Revision,
)
from minutehand.domain.target import Target
from minutehand.targets.http.fields import HttpTarget, Mode

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem, Value

CHILDREN = "children"
"""The attribute that holds the jobs that depend on this one; their own saves change it."""


def encode(definition: Definition) -> Item:
    """The item of a definition, whole."""
    return {
        **keys.definition(definition.job.key),
        **_common(definition, definition.revisions),
        "payload": text(_json(definition.job.payload)),
        "deleted": {"BOOL": definition.deleted},
        **({CHILDREN: {"SS": sorted(map(str, definition.children))}} if definition.children else {}),
    }


def encode_listed(definition: Definition) -> Item:
    """The item of a job's entry in its namespace's list: no payload, and of the revisions the last."""
    return {**keys.listed(definition.job.key), **_common(definition, definition.revisions[-1:])}


def decode(item: ReadItem) -> Definition:
    """The definition of either item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    payload = json.loads(read_text(item, "payload")) if "payload" in item else None
    return Definition(
        job=_job(json.loads(read_text(item, "job")), payload),
        revision=read_number(item, "revision"),
        created_at=read_instant(item, "created_at"),
        updated_at=read_instant(item, "updated_at"),
        updated_by=read_text(item, "updated_by"),
        revisions=tuple(_revision(stored["M"]) for stored in item["revisions"]["L"]),
        deleted=item["deleted"]["BOOL"] if "deleted" in item else False,
        children=frozenset(map(JobKey.of, item[CHILDREN]["SS"])) if CHILDREN in item else frozenset(),
        made_anew=read_number(item, "made_anew") if "made_anew" in item else 0,
    )


def _common(definition: Definition, revisions: Sequence[Revision]) -> Item:
    return {
        "job": text(_json(_plain(definition.job))),
        "revision": number(definition.revision),
        "created_at": instant(definition.created_at),
        "updated_at": instant(definition.updated_at),
        "updated_by": text(definition.updated_by),
        "revisions": {"L": [_encode_revision(revision) for revision in revisions]},
        **({"made_anew": number(definition.made_anew)} if definition.made_anew else {}),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain(job: Job) -> dict[str, Any]:
    return {
        "namespace": job.key.namespace,
        "name": job.key.name,
        "description": job.description,
        "owner": job.owner,
        "labels": job.labels,
        "schedule": job.schedule,
        "timezone": job.timezone,
        "dialect": job.dialect,
        "paused": job.paused,
        **_limits(job),
        "target": _plain_target(job.target),
        "misfire_grace": job.misfire_grace // SECOND,
        "catch_up": job.catch_up.value,
        "catchup_window": job.catchup_window // SECOND,
        "timeout": job.timeout // SECOND,
        **_policies(job),
        "takeovers": job.takeovers,
        "retention": job.retention // SECOND,
    }


def _plain_target(target: Target) -> dict[str, Any]:
    if not isinstance(target, HttpTarget):
        raise TypeError(f"targets of type {target.type} have no stored form yet")
    return {
        "type": target.type,
        "method": target.method,
        "url": target.url,
        "headers": target.headers,
        **_answering(target),
    }


def _answering(target: HttpTarget) -> dict[str, Any]:
    """When a target answers, where that is not as usual."""
    mode = {} if target.mode is Mode.AUTO else {"mode": target.mode.value}
    return mode | ({} if target.heartbeat is None else {"heartbeat": target.heartbeat // SECOND})


def _policies(job: Job) -> dict[str, Any]:
    """The policies that are not as usual, so that a plain job stays small."""
    policies = {
        "paused_until": to_text(job.paused_until) if job.paused_until else None,
        "max_catch_up": job.max_catch_up if job.max_catch_up != MAX_CATCH_UP else None,
        "run_timeout": job.run_timeout // SECOND if job.run_timeout else None,
        "retry": _plain_retry(job.retry) if job.retry != ONE_TRY else None,
        "overlap": job.overlap.value if job.overlap is not Overlap.ALLOW else None,
        "depends_on": [(str(parent.job), parent.on.value) for parent in job.depends_on] or None,
        "join": job.join.value if job.join is not Join.ALL else None,
        "join_window": job.join_window // SECOND if job.join_window else None,
        "max_concurrency": job.max_concurrency,
        "retention_count": job.retention_count,
        "record_units": job.record_units or None,
    }
    return {name: value for name, value in policies.items() if value is not None}


def _read_policies(plain: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a job that `_policies` wrote."""
    return {
        "paused_until": from_text(plain["paused_until"]) if "paused_until" in plain else None,
        "max_catch_up": plain.get("max_catch_up", MAX_CATCH_UP),
        "run_timeout": timedelta(seconds=plain["run_timeout"]) if "run_timeout" in plain else None,
        "retry": _retry(plain["retry"]) if "retry" in plain else ONE_TRY,
        "overlap": Overlap(plain.get("overlap", Overlap.ALLOW.value)),
        "depends_on": tuple(Dependency(JobKey.of(name), On(on)) for name, on in plain.get("depends_on", ())),
        "join": Join(plain.get("join", Join.ALL.value)),
        "join_window": timedelta(seconds=plain["join_window"]) if "join_window" in plain else None,
        "max_concurrency": plain.get("max_concurrency"),
        "retention_count": plain.get("retention_count"),
        "record_units": plain.get("record_units", False),
    }


def _plain_retry(retry: Retry) -> dict[str, Any]:
    backoff = retry.backoff
    return {
        "max_attempts": retry.max_attempts,
        "initial": backoff.initial // SECOND,
        "factor": backoff.factor,
        "max": backoff.max // SECOND,
        "jitter": backoff.jitter,
        "retry_on": retry.retry_on,
        "give_up_on": retry.give_up_on,
    }


def _retry(plain: dict[str, Any]) -> Retry:
    backoff = Backoff(
        initial=timedelta(seconds=plain["initial"]),
        factor=plain["factor"],
        max=timedelta(seconds=plain["max"]),
        jitter=plain["jitter"],
    )
    return Retry(plain["max_attempts"], backoff, tuple(plain["retry_on"]), tuple(plain["give_up_on"]))


def _limits(job: Job) -> dict[str, Any]:
    """What limits the schedule, where anything does."""
    limits = {
        "calendars": job.calendars or None,
        "on_blocked": job.on_blocked.value if job.calendars else None,
        "start_at": to_text(job.start_at) if job.start_at else None,
        "end_at": to_text(job.end_at) if job.end_at else None,
        "max_runs": job.max_runs,
        "jitter": job.jitter // SECOND or None,
    }
    return {name: value for name, value in limits.items() if value is not None}


def _job(plain: dict[str, Any], payload: Any) -> Job:
    return Job(
        key=JobKey(namespace=plain["namespace"], name=plain["name"]),
        description=plain["description"],
        owner=plain["owner"],
        labels=_pairs(plain["labels"]),
        schedule=plain["schedule"] if isinstance(plain["schedule"], str) else tuple(plain["schedule"]),
        timezone=plain["timezone"],
        dialect=plain["dialect"],
        paused=plain["paused"],
        calendars=tuple(plain.get("calendars", ())),
        on_blocked=OnBlocked(plain.get("on_blocked", OnBlocked.SKIP.value)),
        start_at=from_text(plain["start_at"]) if "start_at" in plain else None,
        end_at=from_text(plain["end_at"]) if "end_at" in plain else None,
        max_runs=plain.get("max_runs"),
        jitter=timedelta(seconds=plain.get("jitter", 0)),
        target=_target(plain["target"]),
        payload=payload,
        misfire_grace=timedelta(seconds=plain["misfire_grace"]),
        catch_up=CatchUp(plain["catch_up"]),
        catchup_window=timedelta(seconds=plain["catchup_window"]),
        timeout=timedelta(seconds=plain["timeout"]),
        **_read_policies(plain),
        takeovers=plain["takeovers"],
        retention=timedelta(seconds=plain["retention"]),
    )


def _target(plain: dict[str, Any]) -> HttpTarget:
    if plain["type"] != "http":
        raise ValueError(f"{plain['type']!r} is no type of target that this version knows")
    return HttpTarget(
        method=plain["method"],
        url=plain["url"],
        headers=_pairs(plain["headers"]),
        mode=Mode(plain.get("mode", Mode.AUTO.value)),
        heartbeat=timedelta(seconds=plain["heartbeat"]) if "heartbeat" in plain else None,
    )


def _pairs(plain: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in plain)


def _encode_revision(revision: Revision) -> Value:
    stored: Item = {"number": number(revision.number), "effective_from": instant(revision.effective_from)}
    if revision.rule is not None:
        stored["schedule"] = text(revision.rule)
    if revision.deleted:
        stored["deleted"] = {"BOOL": True}
    if revision.paused_until is not None:
        stored["paused_until"] = instant(revision.paused_until)
    return {"M": stored}


def _revision(stored: Any) -> Revision:
    return Revision(
        number=int(stored["number"]["N"]),
        effective_from=from_text(stored["effective_from"]["S"]),
        rule=stored["schedule"]["S"] if "schedule" in stored else None,
        deleted="deleted" in stored,
        paused_until=from_text(stored["paused_until"]["S"]) if "paused_until" in stored else None,
    )
