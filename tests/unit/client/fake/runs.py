"""Runs of a job, and what they left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.unit.client.fake.pages import page
from tests.unit.client.fake.server import RefusedError, Request

if TYPE_CHECKING:
    from tests.unit.client.fake_api import FakeApi

ACTIVE = {"queued", "running", "waiting", "retrying"}


def shown(api: FakeApi, key: str, run_id: str | None, request: Request) -> dict[str, Any]:
    """One run, or a page of those in a state."""
    runs = api.runs.get(key, {})
    if run_id is None:
        return page(_in_state(runs, request.query.get("state")), request)
    if run_id not in runs:
        raise RefusedError(404, f"there is no run {run_id} of {key}")
    return runs[run_id]


def _in_state(runs: dict[str, dict[str, Any]], state: str | None) -> list[dict[str, Any]]:
    states = ACTIVE if state == "active" else {state}
    found = [runs[each] for each in sorted(runs, reverse=True)]
    return found if state is None else [run for run in found if run["state"] in states]


def redrive(api: FakeApi, key: str, request: Request) -> dict[str, Any]:
    wanted = {"lost"} if request.body.get("lost") else ACTIVE
    one = request.body.get("run_id")
    there = [run for run in api.runs.get(key, {}).values() if one in {None, run["run_id"]}]
    if one is not None and there[0]["state"] not in wanted:
        raise RefusedError(409, f"run {one} of {key} is {there[0]['state']}")
    found = [run for run in there if run["state"] in wanted]
    if request.body.get("lost"):
        found = [_anew(api.runs[key], run) for run in found]
    return page(found, request)


def _anew(runs: dict[str, dict[str, Any]], lost: dict[str, Any]) -> dict[str, Any]:
    run_id = f"{lost['run_id']}~trigger-anew"
    return runs.get(run_id, lost | {"run_id": run_id, "state": "queued"})


def cancel(api: FakeApi, key: str, run_id: str) -> tuple[int, Any]:
    run = api.runs.get(key, {}).get(run_id)
    if run is None:
        raise RefusedError(404, f"there is no run {run_id} of {key}")
    if run["state"] in ACTIVE:
        run["cancelled_by"] = "admin"
        run["state"] = "cancelled" if run["state"] != "running" else "running"
    if run["state"] not in {"cancelled", "running"}:
        raise RefusedError(409, f"run {run_id} of {key} has ended already: {run['state']}")
    return 200, run


def trigger(api: FakeApi, key: str, idempotency_key: str) -> tuple[int, Any]:
    if idempotency_key in api.keys:
        return 200, api.runs[key][api.keys[idempotency_key]]
    run_id = f"20261120T085903Z~trigger-{len(api.keys)}"
    api.keys[idempotency_key] = run_id
    return 202, api.add_run(key, run_id, "queued")


def output(api: FakeApi, job: str, run_id: str, request: Request) -> tuple[int, Any]:
    attempt = int(request.query["attempt"]) if "attempt" in request.query else None
    if (run_id, attempt) not in api.outputs:
        raise RefusedError(404, f"attempt {attempt} of run {run_id} of job {job} has left no output")
    output = {"run_id": run_id, "job": job, "attempt": attempt or 1, "bytes": 4, "truncated": False, "cut": False}
    return 200, output | {"text": "pong", "url": None} | api.outputs[run_id, attempt]
