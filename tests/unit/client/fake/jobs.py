"""Jobs: saved, shown, listed, paused, and what is told of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.unit.client.fake import runs
from tests.unit.client.fake.documents import NEXT, coming_run, finding, make_coming, make_preview
from tests.unit.client.fake.pages import page
from tests.unit.client.fake.server import RefusedError, Request

if TYPE_CHECKING:
    from tests.unit.client.fake_api import FakeApi

DEFAULTS = {
    "description": "",
    "owner": "",
    "labels": {},
    "timezone": "UTC",
    "dialect": None,
    "calendars": [],
    "on_blocked": "skip",
    "start_at": None,
    "end_at": None,
    "max_runs": None,
    "jitter": None,
    "paused": False,
    "payload": None,
    "misfire_grace": "5m",
    "catch_up": "latest",
    "catchup_window": "24h",
    "timeout": "60s",
    "takeovers": 2,
    "retention": "30d",
}


def answer(
    api: FakeApi, request: Request, namespace: str, name: str, what: str | None, run_id: str | None
) -> tuple[int, Any]:
    key = f"{namespace}/{name}"
    if request.method == "PUT":
        expected = request.query.get("expected", "").split(",")
        return put(api, namespace, name, request.body, dry=request.query.get("dry_run") == "true", expected=expected)
    if key not in api.jobs:
        raise RefusedError(404, f"there is no job {key}")
    job = api.jobs[key]
    match request.method, what:
        case "GET", None:
            job["status"]["children"] = [other for other, found in api.jobs.items() if key in _parents(found)]
            return 200, job
        case "DELETE", None:
            del api.jobs[key]
            return 204, None
        case "POST", ("pause" | "resume"):
            return 200, _paused(api, key, what, request.body or {})
        case "POST", "redrive":
            return 200, runs.redrive(api, key, request)
        case "POST", "trigger":
            return runs.trigger(api, key, request.headers["idempotency-key"])
        case "GET", "next":
            idle = job["status"]["idle_because"]
            items = [] if idle else [coming_run(job["status"]["next_run_at"])]
            return 200, make_coming(*items, **{"idle_because": idle} | api.coming.get(key, {}))
        case "GET", "explain":
            asked = {name: request.query.get(name, NEXT) for name in ("from", "to")}
            items = [finding(request.query.get("at", NEXT))]
            whole = {"job": key, **asked, "items": items, "beside": [], "next": None}
            return 200, whole | api.explained.get(key, {})
        case "GET", "runs":
            return 200, runs.shown(api, key, run_id, request)
    raise RefusedError(405, "no such method")


def put(
    api: FakeApi, namespace: str, name: str, body: dict[str, Any], *, dry: bool, expected: list[str]
) -> tuple[int, Any]:
    errors: list[dict[str, Any]] = []
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,127}", name, re.ASCII):
        errors.append({"path": "name", "message": f"{name!r} is not a name", "hint": "use small letters and digits"})
    if str(body.get("schedule")).startswith("61"):
        errors.append({"path": "schedule", "message": "minute: 61 is out of range", "hint": "0 to 59", "column": 0})
    errors += [
        {"path": each, "message": "there is no such field", "hint": "remove it"}
        for each in sorted(
            body.keys() - DEFAULTS.keys() - {"namespace", "name", "schedule", "target", "status", "depends_on"}
        )
    ]
    key = f"{namespace}/{name}"
    errors += [
        {"path": f"depends_on[{n}].job", "message": f"there is no job {parent}", "hint": "save it first"}
        for n, parent in enumerate(_parents({"namespace": namespace} | body))
        if parent not in api.jobs and parent not in expected
    ]
    if errors:
        raise RefusedError(422, f"{len(errors)} fields are not valid", errors)
    before = api.jobs.get(key)
    kept = {"paused": before["paused"]} if before else {}
    job = {"namespace": namespace, "name": name} | DEFAULTS | kept | {k: v for k, v in body.items() if k != "status"}
    same = before is not None and job == {k: v for k, v in before.items() if k != "status"}
    revision = 1 if before is None else before["status"]["revision"] + (0 if same else 1)
    job["status"] = {
        "revision": revision,
        "updated_at": "2026-11-20T08:00:00Z",
        "updated_by": "admin",
        "next_run_at": None if job["paused"] else NEXT,
        "idle_because": "it is paused" if job["paused"] else None,
        "runs_left": job["max_runs"],
        "children": [other for other, found in api.jobs.items() if key in _parents(found)],
        "deleted_parents": [],
    }
    beside: dict[str, Any] = {"warnings": api.warnings.get(key, [])}
    if dry:
        beside["preview"] = api.previews.get(key, make_preview())
    else:
        api.jobs[key] = job
    return 201 if before is None and not dry else 200, job | beside


def _paused(api: FakeApi, key: str, what: str, body: dict[str, Any]) -> dict[str, Any]:
    job, until = api.jobs[key], body.get("until")
    job["paused"] = {"until": until} if until else what == "pause"
    because = f"paused until {until}" if until else "it is paused" if job["paused"] else None
    job["status"] |= {"next_run_at": NEXT if until or not because else None, "idle_because": because}
    if what == "pause":
        return job
    caught_up = api.backfills.get(key) if body.get("catch_up") else None
    return job | {"backfill": next(iter(caught_up.values())) if caught_up else None}


def _summary(job: dict[str, Any]) -> dict[str, Any]:
    kept = ("namespace", "name", "description", "owner", "labels", "schedule", "timezone", "paused", "status")
    return {key: job[key] for key in kept} | {"target_type": job["target"]["type"]}


def listed(api: FakeApi, namespace: str, request: Request) -> dict[str, Any]:
    found = [job for key, job in sorted(api.jobs.items()) if key.startswith(f"{namespace}/")]
    return page([_summary(job) for job in found], request)


def _parents(job: dict[str, Any]) -> list[str]:
    """The full names of the jobs that a job depends on."""
    names = [str(entry["job"]) for entry in job.get("depends_on", [])]
    return [name if "/" in name else f"{job['namespace']}/{name}" for name in names]
