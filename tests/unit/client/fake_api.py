"""A small real HTTP server that speaks the API's contract over a dictionary, and misbehaves when told to."""

import json
import re
import socket
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "mh_secret_token"
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
ACTIVE = {"queued", "running", "waiting", "retrying"}
NEXT = "2026-11-20T09:00:00Z"


@dataclass(kw_only=True)
class Canned:
    """An answer to give instead of the right one; `drop` closes the connection without any, after doing what was asked if `late`."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    late: bool = False


@dataclass(kw_only=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class RefusedError(Exception):
    def __init__(self, status: int, detail: str, errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.document = {"type": "about:blank", "title": f"problem {status}", "status": status, "detail": detail}
        if errors:
            self.document["errors"] = errors


def make_run(job: str, run_id: str, state: str = "succeeded", **more: Any) -> dict[str, Any]:
    stamp = run_id[:15]
    at = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:{stamp[13:15]}Z"
    run: dict[str, Any] = {
        "run_id": run_id,
        "job": job,
        "scheduled_for": at,
        "starts_at": at,
        "state": state,
        "attempt": 1,
        "claimed_at": at,
        "started_at": at,
        "finished_at": at if state == "succeeded" else None,
        "lateness_ms": 412,
        "duration_ms": 1234,
        "result": {"type": "http", "status": 200, "body": "pong"} if state == "succeeded" else None,
        "error": None,
        "reason": None,
        "retry_at": None,
        "deadline_at": None,
        "cancelled_by": None,
        "blocked_by": None,
        "progress": None,
        "parents": [],
        "units": None,
    }
    return run | more


def make_backfill(job: str, identity: str = "0a1b", **more: Any) -> dict[str, Any]:
    """A backfill of an hour, just begun."""
    backfill: dict[str, Any] = {
        "id": identity,
        "job": job,
        "from": "2026-11-20T07:00:00Z",
        "to": "2026-11-20T08:00:00Z",
        "order": "oldest",
        "concurrency": 1,
        "ignore_overlap": False,
        "state": "active",
        "occurrences": 60,
        "remaining": 59,
        "active": [f"20261120T070000Z~backfill-{identity}"],
        "ended": {},
        "created_at": "2026-11-20T08:30:00Z",
        "created_by": "admin",
        "finished_at": None,
        "reason": None,
    }
    return backfill | more


def coming_run(at: str, local: str = "", **more: Any) -> dict[str, Any]:
    """A run to come; its clocks are those of UTC unless `local` says otherwise."""
    run = {
        "at": at,
        "local": local or at.replace("Z", "+00:00"),
        "starts_at": at,
        "moved": False,
        "moved_from": None,
        "note": None,
    }
    return run | more


def make_preview(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"items": list(items), "blocked": [], "skipped": [], "diff": None} | more


def make_coming(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    meaning = {"description": "Every hour", "timezone": "UTC", "dialect": "vixie"}
    coming: dict[str, Any] = {"items": list(items), "blocked": [], "skipped": [], "idle_because": None}
    return meaning | coming | more


def finding(first: str, kind: str = "not_yet_due", **more: Any) -> dict[str, Any]:
    nothing = ("run", "revision", "until", "ended_by", "policy", "calendar", "moved_to", "before", "after", "ticks")
    said: dict[str, Any] = {"kind": kind, "first": first, "last": first, "times": 1, "text": "not yet due"}
    return said | dict.fromkeys(nothing) | more


def _parents(job: dict[str, Any]) -> list[str]:
    """The full names of the jobs that a job depends on."""
    names = [str(entry["job"]) for entry in job.get("depends_on", [])]
    return [name if "/" in name else f"{job['namespace']}/{name}" for name in names]


class _Server(ThreadingHTTPServer):
    request_queue_size = 64  # of connections that come at once; beyond it they wait for a second


class FakeApi:
    """`jobs`, `runs` and `outputs` (by run id and attempt) are the store, `coming`, `explained`, `warnings` and `previews` what is told of a job besides, `requests` what was asked, `canned` what to answer first instead of the right thing,
    `instead` what to answer to a certain request."""

    def __init__(self) -> None:
        self.jobs: dict[str, dict[str, Any]] = {}
        self.calendars: dict[str, dict[str, Any]] = {}
        self.namespaces: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, dict[str, dict[str, Any]]] = {}
        self.outputs: dict[tuple[str, int | None], dict[str, Any]] = {}
        self.backfills: dict[str, dict[str, dict[str, Any]]] = {}
        self.keys: dict[str, str] = {}
        self.shards: dict[str, Any] = {"shards": 8, "read": 8, "state": "settled", "left": 0, "empty_since": None}
        self.requests: list[Request] = []
        self.canned: deque[Canned | None] = deque()
        self.coming: dict[str, dict[str, Any]] = {}
        self.explained: dict[str, dict[str, Any]] = {}
        self.warnings: dict[str, list[dict[str, Any]]] = {}
        self.previews: dict[str, dict[str, Any]] = {}
        self.allowed = {"GET", "PUT", "POST", "DELETE"}
        self.instead: Callable[[Request], Canned | None] = lambda request: None
        self.before: Callable[[Request], None] = lambda request: None
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._server.server_port}/stage"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add_job(self, name: str, **fields: Any) -> dict[str, Any]:
        namespace, _, short = name.partition("/")
        document = {
            "schedule": "@hourly",
            "target": {"type": "http", "method": "POST", "url": "https://example.com/hook"},
        }
        self._put(namespace, short, document | fields, dry=False, expected=[])
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
            return 200, self._namespace(request, unquote(namespace_alone[1]), namespace_alone[2])
        calendar = re.fullmatch(r"/stage/v1/namespaces/([^/]+)/calendars(?:/([^/]+))?", request.path)
        if calendar is not None:
            return self._calendar(request, *calendar.groups())
        backfill = re.fullmatch(
            r"/stage/v1/namespaces/([^/]+)/jobs/([^/]+)/backfills(?:/([^/]+)(/cancel)?)?", request.path
        )
        if backfill is not None:
            return self._backfill(request, f"{backfill[1]}/{backfill[2]}", backfill[3], cancels=bool(backfill[4]))
        ended = re.fullmatch(r"/stage/v1/namespaces/([^/]+)/jobs/([^/]+)/runs/([^/]+)/cancel", request.path)
        if ended is not None and request.method == "POST":
            namespace, name, run_id = ended.groups()
            return self._cancel(f"{namespace}/{name}", unquote(run_id))
        found = re.fullmatch(
            r"/stage/v1/namespaces/([^/]+)/jobs(?:/([^/]+)(?:/([^/]+)(?:/([^/]+))?)?)?(/output)?", request.path
        )
        if found is None:
            raise RefusedError(404, f"there is no {request.path}")
        namespace, name, what, run_id, output = (unquote(part) if part else None for part in found.groups())
        assert namespace is not None
        if name is None:
            return 200, self._page([self._summary(job) for job in self._of(namespace)], request)
        if output:
            return self._output(f"{namespace}/{name}", str(run_id), request)
        return self._job(request, namespace, name, what, run_id)

    def _output(self, job: str, run_id: str, request: Request) -> tuple[int, Any]:
        attempt = int(request.query["attempt"]) if "attempt" in request.query else None
        if (run_id, attempt) not in self.outputs:
            raise RefusedError(404, f"attempt {attempt} of run {run_id} of job {job} has left no output")
        output = {"run_id": run_id, "job": job, "attempt": attempt or 1, "bytes": 4, "truncated": False, "cut": False}
        return 200, output | {"text": "pong", "url": None} | self.outputs[run_id, attempt]

    def _paused(self, key: str, what: str, body: dict[str, Any]) -> dict[str, Any]:
        job, until = self.jobs[key], body.get("until")
        job["paused"] = {"until": until} if until else what == "pause"
        because = f"paused until {until}" if until else "it is paused" if job["paused"] else None
        job["status"] |= {"next_run_at": NEXT if until or not because else None, "idle_because": because}
        if what == "pause":
            return job
        caught_up = self.backfills.get(key) if body.get("catch_up") else None
        return job | {"backfill": next(iter(caught_up.values())) if caught_up else None}

    @staticmethod
    def _runs_in(runs: dict[str, dict[str, Any]], state: str | None) -> list[dict[str, Any]]:
        states = ACTIVE if state == "active" else {state}
        found = [runs[each] for each in sorted(runs, reverse=True)]
        return found if state is None else [run for run in found if run["state"] in states]

    def _redrive(self, key: str, request: Request) -> dict[str, Any]:
        wanted = {"lost"} if request.body.get("lost") else ACTIVE
        one = request.body.get("run_id")
        there = [run for run in self.runs.get(key, {}).values() if one in {None, run["run_id"]}]
        if one is not None and there[0]["state"] not in wanted:
            raise RefusedError(409, f"run {one} of {key} is {there[0]['state']}")
        return self._page([run for run in there if run["state"] in wanted], request)

    def _cancel(self, key: str, run_id: str) -> tuple[int, Any]:
        run = self.runs.get(key, {}).get(run_id)
        if run is None:
            raise RefusedError(404, f"there is no run {run_id} of {key}")
        if run["state"] in ACTIVE:
            run["cancelled_by"] = "admin"
            run["state"] = "cancelled" if run["state"] != "running" else "running"
        if run["state"] not in {"cancelled", "running"}:
            raise RefusedError(409, f"run {run_id} of {key} has ended already: {run['state']}")
        return 200, run

    def _namespace(self, request: Request, name: str, what: str | None) -> dict[str, Any]:
        fresh = {"paused": False, "paused_until": None, "pauses": [], "revision": 0, "updated_at": None}
        document = {"namespace": name, "max_concurrency": None, "status": fresh | {"updated_by": None}}
        found = self.namespaces.get(name, document)
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
        self.namespaces[name] = found
        return found

    def _calendar(self, request: Request, namespace: str, name: str | None) -> tuple[int, Any]:
        if name is None:
            found = [each for key, each in sorted(self.calendars.items()) if key.startswith(f"{namespace}/")]
            kinds = ("dates", "weekly", "periods")
            kept = ("namespace", "name", "description", "status")
            items = [{k: c[k] for k in kept} | {"entries": {k: len(c[k]) for k in kinds}} for c in found]
            return 200, self._page(items, request)
        key = f"{namespace}/{name}"
        before = self.calendars.get(key)
        if request.method == "PUT":
            return self._put_calendar(namespace, name, before, request)
        if before is None:
            raise RefusedError(404, f"there is no calendar {key}")
        if request.method == "GET":
            return 200, before
        if before["status"]["jobs"]:
            raise RefusedError(409, f"{before['status']['jobs']} jobs name the calendar {key}")
        del self.calendars[key]
        return 204, None

    def _put_calendar(
        self, namespace: str, name: str, before: dict[str, Any] | None, request: Request
    ) -> tuple[int, Any]:
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
            self.calendars[f"{namespace}/{name}"] = calendar
        return 201 if before is None else 200, calendar

    def _backfill(self, request: Request, key: str, identity: str | None, *, cancels: bool) -> tuple[int, Any]:
        kept = self.backfills.setdefault(key, {})
        if key not in self.jobs:
            raise RefusedError(404, f"there is no job {key}")
        if request.method == "POST" and identity is None:
            asked = dict(request.body)
            if asked.pop("dry_run", False):
                return 200, asked | {"occurrences": 60, "first": asked["from"], "last": asked["to"]}
            made = make_backfill(key, request.headers["idempotency-key"], **asked)
            return 202, kept.setdefault(made["id"], made)
        if identity is None:
            return 200, self._page(list(kept.values())[::-1], request)
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

    def _of(self, namespace: str) -> list[dict[str, Any]]:
        return [job for key, job in sorted(self.jobs.items()) if key.startswith(f"{namespace}/")]

    def _job(
        self, request: Request, namespace: str, name: str, what: str | None, run_id: str | None
    ) -> tuple[int, Any]:
        key = f"{namespace}/{name}"
        if request.method == "PUT":
            expected = request.query.get("expected", "").split(",")
            return self._put(
                namespace, name, request.body, dry=request.query.get("dry_run") == "true", expected=expected
            )
        if key not in self.jobs:
            raise RefusedError(404, f"there is no job {key}")
        job = self.jobs[key]
        match request.method, what:
            case "GET", None:
                job["status"]["children"] = [other for other, found in self.jobs.items() if key in _parents(found)]
                return 200, job
            case "DELETE", None:
                del self.jobs[key]
                return 204, None
            case "POST", ("pause" | "resume"):
                return 200, self._paused(key, what, request.body or {})
            case "POST", "redrive":
                return 200, self._redrive(key, request)
            case "POST", "trigger":
                return self._trigger(key, request.headers["idempotency-key"])
            case "GET", "next":
                idle = job["status"]["idle_because"]
                items = [] if idle else [coming_run(job["status"]["next_run_at"])]
                return 200, make_coming(*items, **{"idle_because": idle} | self.coming.get(key, {}))
            case "GET", "explain":
                asked = {name: request.query.get(name, NEXT) for name in ("from", "to")}
                items = [finding(request.query.get("at", NEXT))]
                whole = {"job": key, **asked, "items": items, "beside": [], "next": None}
                return 200, whole | self.explained.get(key, {})
            case "GET", "runs":
                runs = self.runs.get(key, {})
                if run_id is None:
                    return 200, self._page(self._runs_in(runs, request.query.get("state")), request)
                if run_id not in runs:
                    raise RefusedError(404, f"there is no run {run_id} of {key}")
                return 200, runs[run_id]
        raise RefusedError(405, "no such method")

    def _trigger(self, key: str, idempotency_key: str) -> tuple[int, Any]:
        if idempotency_key in self.keys:
            return 200, self.runs[key][self.keys[idempotency_key]]
        run_id = f"20261120T085903Z~trigger-{len(self.keys)}"
        self.keys[idempotency_key] = run_id
        return 202, self.add_run(key, run_id, "queued")

    def _put(
        self, namespace: str, name: str, body: dict[str, Any], *, dry: bool, expected: list[str]
    ) -> tuple[int, Any]:
        errors: list[dict[str, Any]] = []
        if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,127}", name, re.ASCII):
            errors.append(
                {"path": "name", "message": f"{name!r} is not a name", "hint": "use small letters and digits"}
            )
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
            if parent not in self.jobs and parent not in expected
        ]
        if errors:
            raise RefusedError(422, f"{len(errors)} fields are not valid", errors)
        before = self.jobs.get(key)
        kept = {"paused": before["paused"]} if before else {}
        job = (
            {"namespace": namespace, "name": name} | DEFAULTS | kept | {k: v for k, v in body.items() if k != "status"}
        )
        same = before is not None and job == {k: v for k, v in before.items() if k != "status"}
        revision = 1 if before is None else before["status"]["revision"] + (0 if same else 1)
        job["status"] = {
            "revision": revision,
            "updated_at": "2026-11-20T08:00:00Z",
            "updated_by": "admin",
            "next_run_at": None if job["paused"] else NEXT,
            "idle_because": "it is paused" if job["paused"] else None,
            "runs_left": job["max_runs"],
            "children": [other for other, found in self.jobs.items() if key in _parents(found)],
            "deleted_parents": [],
        }
        beside: dict[str, Any] = {"warnings": self.warnings.get(key, [])}
        if dry:
            beside["preview"] = self.previews.get(key, make_preview())
        else:
            self.jobs[key] = job
        return 201 if before is None and not dry else 200, job | beside

    def _summary(self, job: dict[str, Any]) -> dict[str, Any]:
        kept = ("namespace", "name", "description", "owner", "labels", "schedule", "timezone", "paused", "status")
        return {key: job[key] for key in kept} | {"target_type": job["target"]["type"]}

    def _page(self, items: list[dict[str, Any]], request: Request) -> dict[str, Any]:
        limit = int(request.query["limit"])
        if limit > 50:
            raise RefusedError(400, "limit is at most 50")
        key = next((each for each in ("run_id", "name", "id") if items and each in items[0]), "name")
        cursor = request.query.get("cursor")
        start = next((n + 1 for n, item in enumerate(items) if item[key] == cursor), 0)
        page = items[start : start + limit]
        return {"items": page, "next": page[-1][key] if start + limit < len(items) else None}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                """Say nothing."""

            def _serve(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                data = self.rfile.read(size)
                url = urlsplit(self.path)
                request = Request(
                    method=self.command,
                    path=url.path,
                    query={key: values[0] for key, values in parse_qs(url.query).items()},
                    headers={key.lower(): value for key, value in self.headers.items()},
                    body=json.loads(data) if data else None,
                )
                api.requests.append(request)
                api.before(request)
                canned = api.instead(request) or (api.canned.popleft() if api.canned else None)
                if canned is None or canned.late:
                    try:
                        status, body = api.answer(request)
                        kind = "application/json"
                    except RefusedError as problem:
                        status, body, kind = problem.status, problem.document, "application/problem+json"
                    out = b"" if status == 204 else json.dumps(body).encode()
                    headers = {"Content-Type": kind}
                else:
                    status, out, headers = canned.status, canned.body, canned.headers
                if canned is not None and canned.drop:
                    return
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

        for method in ("GET", "PUT", "POST", "DELETE"):
            setattr(Handler, f"do_{method}", Handler._serve)
        return Handler


def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
