"""Settings of namespaces, and pauses of all their jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.unit.client.fake.documents import NEXT
from tests.unit.client.fake.server import Request

if TYPE_CHECKING:
    from tests.unit.client.fake_api import FakeApi


def answer(api: FakeApi, request: Request, name: str, what: str | None) -> dict[str, Any]:
    fresh = {"paused": False, "paused_until": None, "pauses": [], "revision": 0, "updated_at": None}
    document = {"namespace": name, "max_concurrency": None, "status": fresh | {"updated_by": None}}
    found = api.namespaces.get(name, document)
    status = found["status"]
    if request.method == "GET":
        return found
    if request.method == "PUT":
        found["max_concurrency"] = request.body["max_concurrency"]
    elif what == "pause":
        until = (request.body or {}).get("until")
        pause = {"from": NEXT, "by": "admin", "to": until, "resumed_by": None}
        status |= {"paused": True, "paused_until": until, "pauses": [pause, *status["pauses"]]}
    else:
        status["pauses"][0] |= {"to": NEXT, "resumed_by": "admin"}
        status |= {"paused": False, "paused_until": None}
    status |= {"revision": status["revision"] + 1, "updated_at": "2026-11-20T08:00:00Z", "updated_by": "admin"}
    api.namespaces[name] = found
    return found
