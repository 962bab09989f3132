"""The API's contract, spoken over dictionaries by a small real HTTP server."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from tests.unit.client.fake import backfills, calendars, jobs, namespaces, runs
from tests.unit.client.fake.documents import make_run
from tests.unit.client.fake.server import RefusedError, Request, Server

TOKEN = "mh_secret_token"


class FakeApi(Server):
    """`jobs`, `runs` and `outputs` (by run id and attempt) are the store, `coming`, `explained`, `warnings` and `previews` what is told of a job besides, `allowed` the methods that the token's role may use."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: dict[str, dict[str, Any]] = {}
        self.calendars: dict[str, dict[str, Any]] = {}
        self.namespaces: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, dict[str, dict[str, Any]]] = {}
        self.outputs: dict[tuple[str, int | None], dict[str, Any]] = {}
        self.backfills: dict[str, dict[str, dict[str, Any]]] = {}
        self.keys: dict[str, str] = {}
        self.shards: dict[str, Any] = {"shards": 8, "read": 8, "state": "settled", "left": 0, "empty_since": None}
        self.coming: dict[str, dict[str, Any]] = {}
        self.explained: dict[str, dict[str, Any]] = {}
        self.warnings: dict[str, list[dict[str, Any]]] = {}
        self.previews: dict[str, dict[str, Any]] = {}
        self.allowed = {"GET", "PUT", "POST", "DELETE"}

    def add_job(self, name: str, **fields: Any) -> dict[str, Any]:
        namespace, _, short = name.partition("/")
        document = {
            "schedule": "@hourly",
            "target": {"type": "http", "method": "POST", "url": "https://example.com/hook"},
        }
        jobs.put(self, namespace, short, document | fields, dry=False, expected=[])
        return self.jobs[name]

    def add_run(self, job: str, run_id: str, state: str = "succeeded", **more: Any) -> dict[str, Any]:
        run = make_run(job, run_id, state, **more)
        self.runs.setdefault(job, {})[run_id] = run
        return run

    def answer(self, request: Request) -> tuple[int, Any]:
        if request.path == "/stage/v1/health":
            return 200, {"status": "ok", "version": "0.1.0"}
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            raise RefusedError(401, "the token is missing or unknown")
        if request.method not in self.allowed:
            raise RefusedError(403, f"this token's role may not {request.method}")
        if request.path == "/stage/v1/shards":
            return 200, self.shards
        namespace_alone = re.fullmatch(r"/stage/v1/namespaces/([^/]+)(?:/(pause|resume))?", request.path)
        if namespace_alone is not None:
            return 200, namespaces.answer(self, request, unquote(namespace_alone[1]), namespace_alone[2])
        calendar = re.fullmatch(r"/stage/v1/namespaces/([^/]+)/calendars(?:/([^/]+))?", request.path)
        if calendar is not None:
            return calendars.answer(self, request, *calendar.groups())
        backfill = re.fullmatch(
            r"/stage/v1/namespaces/([^/]+)/jobs/([^/]+)/backfills(?:/([^/]+)(/cancel)?)?", request.path
        )
        if backfill is not None:
            return backfills.answer(
                self, request, f"{backfill[1]}/{backfill[2]}", backfill[3], cancels=bool(backfill[4])
            )
        ended = re.fullmatch(r"/stage/v1/namespaces/([^/]+)/jobs/([^/]+)/runs/([^/]+)/cancel", request.path)
        if ended is not None and request.method == "POST":
            namespace, name, run_id = ended.groups()
            return runs.cancel(self, f"{namespace}/{name}", unquote(run_id))
        found = re.fullmatch(
            r"/stage/v1/namespaces/([^/]+)/jobs(?:/([^/]+)(?:/([^/]+)(?:/([^/]+))?)?)?(/output)?", request.path
        )
        if found is None:
            raise RefusedError(404, f"there is no {request.path}")
        namespace, name, what, run_id, output = (unquote(part) if part else None for part in found.groups())
        assert namespace is not None
        if name is None:
            return 200, jobs.listed(self, namespace, request)
        if output:
            return runs.output(self, f"{namespace}/{name}", str(run_id), request)
        return jobs.answer(self, request, namespace, name, what, run_id)
