"""Calendars of a namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.unit.client.fake.pages import page
from tests.unit.client.fake.server import RefusedError, Request

if TYPE_CHECKING:
    from tests.unit.client.fake_api import FakeApi


def answer(api: FakeApi, request: Request, namespace: str, name: str | None) -> tuple[int, Any]:
    if name is None:
        found = [each for key, each in sorted(api.calendars.items()) if key.startswith(f"{namespace}/")]
        kinds = ("dates", "weekly", "periods")
        kept = ("namespace", "name", "description", "status")
        items = [{k: c[k] for k in kept} | {"entries": {k: len(c[k]) for k in kinds}} for c in found]
        return 200, page(items, request)
    key = f"{namespace}/{name}"
    before = api.calendars.get(key)
    if request.method == "PUT":
        return _put(api, namespace, name, before, request)
    if before is None:
        raise RefusedError(404, f"there is no calendar {key}")
    if request.method == "GET":
        return 200, before
    if before["status"]["jobs"]:
        raise RefusedError(409, f"{before['status']['jobs']} jobs name the calendar {key}")
    del api.calendars[key]
    return 204, None


def _put(api: FakeApi, namespace: str, name: str, before: dict[str, Any] | None, request: Request) -> tuple[int, Any]:
    errors = [
        {"path": f"dates[{place}]", "message": f"{text} is not a date", "hint": "write 2026-12-25", "column": 0}
        for place, text in enumerate(request.body.get("dates", []))
        if "-02-30" in text
    ]
    if errors:
        raise RefusedError(422, f"{len(errors)} fields are not valid", errors)
    said: dict[str, Any] = {"namespace": namespace, "name": name, "description": ""}
    said |= {kind: sorted(set(request.body.get(kind, []))) for kind in ("dates", "weekly", "periods")}
    said["description"] = request.body.get("description", "")
    was = before["status"] if before else {"revision": 0, "jobs": 0}
    changed = before is None or said != {k: v for k, v in before.items() if k != "status"}
    status = {"updated_at": "2026-11-20T08:00:00Z", "updated_by": "admin", "jobs": was["jobs"]}
    calendar = said | {"status": status | {"revision": was["revision"] + changed}}
    if request.query.get("dry_run") != "true":
        api.calendars[f"{namespace}/{name}"] = calendar
    return 201 if before is None else 200, calendar
