"""Backfills of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.unit.client.fake.documents import NEXT, make_backfill
from tests.unit.client.fake.pages import page
from tests.unit.client.fake.server import RefusedError, Request

if TYPE_CHECKING:
    from tests.unit.client.fake_api import FakeApi


def answer(api: FakeApi, request: Request, key: str, identity: str | None, *, cancels: bool) -> tuple[int, Any]:
    kept = api.backfills.setdefault(key, {})
    if key not in api.jobs:
        raise RefusedError(404, f"there is no job {key}")
    if request.method == "POST" and identity is None:
        asked = dict(request.body)
        if asked.pop("dry_run", False):
            return 200, asked | {"occurrences": 60, "first": asked["from"], "last": asked["to"]}
        made = make_backfill(key, request.headers["idempotency-key"], **asked)
        return 202, kept.setdefault(made["id"], made)
    if identity is None:
        return 200, page(list(kept.values())[::-1], request)
    if identity not in kept:
        raise RefusedError(404, f"there is no backfill {identity} of {key}")
    if cancels:
        ends = {
            "state": "cancelled",
            "active": [],
            "remaining": 0,
            "finished_at": NEXT,
            "reason": "cancelled by ada",
        }
        kept[identity] |= ends
    return 200, dict(kept[identity])
