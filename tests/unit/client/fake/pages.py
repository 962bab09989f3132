"""Lists, page by page."""

from __future__ import annotations

from typing import Any

from tests.unit.client.fake.server import RefusedError, Request


def page(items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
    """As many items as were asked for, after the one that the cursor names, and the cursor of the next page."""
    limit = int(request.query["limit"])
    if limit > 50:
        raise RefusedError(400, "limit is at most 50")
    key = next((each for each in ("run_id", "name", "id") if items and each in items[0]), "name")
    cursor = request.query.get("cursor")
    start = next((n + 1 for n, item in enumerate(items) if item[key] == cursor), 0)
    some = items[start : start + limit]
    return {"items": some, "next": some[-1][key] if start + limit < len(items) else None}
