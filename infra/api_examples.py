"""Examples for every route of the API: `python -m infra.api_examples [--check]` plays them against the application over memory, and
writes what it answered to docs/reference/api-examples.json, for the OpenAPI description.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from tests.support.agent_service import memory_service
from tests.support.memory_ports import memory_balancing, memory_ports
from tests.unit.api.conftest import NOON, Api, FakeClock

from minutehand.adapters.memory import MemoryAudits, MemoryQueues, MemoryRunLists, MemoryState, MemoryTokens
from minutehand.domain.actor import Actor
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import Role, attempt_nonce
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.documents.headers import ANSWERED
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.entrypoints.telemetry import logger
from minutehand.targets.command.fields import CommandTarget
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.queues import Depth

FILE = Path(__file__).parents[1] / "docs" / "reference" / "api-examples.json"
_TOKEN = "example-token-of-the-attempt"  # noqa: S105 - no secret
_SECRET = "Nf2cO0yV1m4tQ8uE6wXa9bZkR3sJ5hGdLpTi7vYn"  # noqa: S105 - no secret, but as long as one
_NAMES: Mapping[str, str] = {
    "namespace": "shop",
    "name": "report",
    "run_id": "20261120T120000Z",
    "attempt": "1",
    "revision": "1",
    "service": "web",
    "endpoint": "web-1",
    "pool": "web",
    "node": "web-1",
}
_CALENDAR = {"name": "holidays"}
_KEYED = {"Idempotency-Key": "0d1c9b6e-5d4f-4a53-9a57-1f8d7c0f4a10"}


class _Step(NamedTuple):
    """A request to play: a route, the names in its path that differ from `_NAMES`, and the rest of the request."""

    route: str
    names: Mapping[str, str] = {}
    body: Any = None
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}


_JOBS = "/v1/namespaces/{namespace}/jobs"
_JOB = f"{_JOBS}/{{name}}"
_RUN = f"{_JOB}/runs/{{run_id}}"
_ATTEMPT = "/v1/callbacks/{namespace}/{name}/{run_id}/{attempt}"
_ENDPOINTS = "/v1/namespaces/{namespace}/services/{service}/endpoints"
_NODE = "/v1/namespaces/{namespace}/pools/{pool}/nodes/{node}"
_COMMAND = {"job": "shop/backup", "run_id": "20261120T120000Z", "attempt": 1}
_SESSION = "0f3e1c9a7b5d4826"
_RESULT = {"exit_code": 0, "output": "copied 9 files\n", "output_bytes": 15}
_PROGRESS = {"percent": 40, "text": "loading prices"}
STEPS = (
    _Step("GET /v1/health"),
    _Step("PUT /v1/namespaces/{namespace}", body={"max_concurrency": 10}),
    _Step("GET /v1/namespaces/{namespace}"),
    _Step("PUT /v1/namespaces/{namespace}/quota", body={"jobs": 50, "runs_per_minute": 100, "concurrency": 20}),
    _Step("POST /v1/namespaces/{namespace}/pause", body={"until": "2026-11-20T18:00:00Z"}),
    _Step("POST /v1/namespaces/{namespace}/resume"),
    _Step("POST /v1/namespaces/{namespace}/shadow", body={"shadow": False}),
    _Step("PUT /v1/namespaces/{namespace}/calendars/{name}", _CALENDAR, {"dates": ["2026-12-25", "2027-01-01"]}),
    _Step("GET /v1/namespaces/{namespace}/calendars/{name}", _CALENDAR),
    _Step("GET /v1/namespaces/{namespace}/calendars"),
    _Step(f"PUT {_ENDPOINTS}/{{endpoint}}", body={"url": "https://10.0.3.7:8443", "ttl": "1m"}),
    _Step("GET /v1/namespaces/{namespace}/services"),
    _Step(f"GET {_ENDPOINTS}"),
    _Step(
        f"PUT {_JOB}",
        body={
            "schedule": "30 9 * * MON-FRI",
            "timezone": "Europe/Paris",
            "target": {
                "type": "http",
                "url": "https://web.internal/report",
                "endpoints": {"registered": "web"},
                "heartbeat": "30s",
            },
            "timeout": "1h",
            "retry": {"max_attempts": 3},
            "labels": {"team": "data"},
        },
    ),
    _Step(f"GET {_JOBS}"),
    _Step("GET /v1/namespaces"),
    _Step("GET /v1/namespaces/{namespace}/quota"),
    _Step("DELETE /v1/namespaces/{namespace}/quota"),
    _Step("GET /v1/jobs", query={"label": "team=data"}),
    _Step(
        "POST /v1/jobs",
        body={
            "jobs": [
                {
                    "job": {
                        "namespace": "shop",
                        "name": "sweep",
                        "schedule": "@daily",
                        "target": {"type": "http", "url": "https://example.com/sweep"},
                    },
                    "if_revision": 0,
                },
                {"job": {"namespace": "shop", "name": "load", "schedule": "61 * * * *", "target": {"type": "http"}}},
            ]
        },
    ),
    _Step("POST /v1/schedules/describe", body={"schedule": "30 9 * * MON-FRI", "timezone": "Europe/Paris"}),
    _Step("POST /v1/schedules/preview", body={"schedule": "@every 90m", "count": 2}),
    _Step(
        "POST /v1/schedules/diff",
        body={"old": {"schedule": "0 * * * *"}, "new": {"schedule": "0,30 * * * *"}, "count": 1},
    ),
    _Step("GET /v1/export", query={"namespace": "shop", "limit": "3"}),
    _Step(
        "POST /v1/import",
        body={
            "items": [
                {"kind": "namespace", "document": {"namespace": "shop", "max_concurrency": 10, "paused": False}},
                {"kind": "calendar", "document": {"namespace": "shop", "name": "holidays", "dates": ["2026-12-25"]}},
            ]
        },
    ),
    _Step(f"GET {_JOB}"),
    _Step(f"GET {_JOB}/next", query={"count": "2"}),
    _Step(f"GET {_JOB}/endpoints"),
    _Step(f"GET {_JOB}/revisions"),
    _Step(f"GET {_JOB}/revisions/{{revision}}"),
    _Step(f"GET {_JOB}/revisions/{{revision}}/diff"),
    _Step(f"POST {_JOB}/revisions/{{revision}}/restore"),
    _Step(f"POST {_JOB}/pause", body={"until": "2026-11-23T00:00:00Z"}),
    _Step(f"POST {_JOB}/resume", body={"catch_up": "skip"}),
    _Step(f"POST {_ATTEMPT}/progress", body=_PROGRESS),
    _Step(f"POST {_ATTEMPT}/heartbeat", body={}),
    _Step(f"POST {_ATTEMPT}/report", body={"state": "succeeded", "result": {"rows": 21}}),
    _Step(f"GET {_JOB}/runs", query={"limit": "20"}),
    _Step(f"GET {_RUN}"),
    _Step(f"GET {_RUN}/output"),
    _Step("GET /v1/runs", query={"namespace": "shop", "from": "2026-11-20T00:00:00Z"}),
    _Step(f"GET {_JOB}/stats", query={"per": "day"}),
    _Step("GET /v1/namespaces/{namespace}/stats", query={"per": "day"}),
    _Step(f"GET {_JOB}/explain", query={"at": "2026-11-20T12:00:00Z"}),
    _Step(f"POST {_JOB}/trigger", body={"payload": {"days": 3}}, headers=_KEYED),
    _Step(f"POST {_RUN}/cancel"),
    _Step(
        f"POST {_JOB}/backfills",
        body={"from": "2026-11-16T00:00:00Z", "to": "2026-11-20T00:00:00Z", "concurrency": 2},
        headers=_KEYED,
    ),
    _Step(f"GET {_JOB}/backfills"),
    _Step(f"GET {_JOB}/backfills/{{backfill_id}}"),
    _Step(f"POST {_JOB}/backfills/{{backfill_id}}/cancel"),
    _Step(f"POST {_JOB}/redrive", body={}),
    _Step(f"POST {_JOB}/purge", body={"before": "2026-11-20T00:00:00Z"}),
    _Step("POST /v1/namespaces/{namespace}/redrive", body={}),
    _Step(
        f"PUT {_NODE}",
        body={
            "session": _SESSION,
            "host": "web-1.shop.internal",
            "version": "1.0.0",
            "tags": {"zone": "a"},
            "slots": 4,
        },
    ),
    _Step("GET /v1/namespaces/{namespace}/nodes"),
    _Step(f"GET {_NODE}"),
    _Step(f"POST {_NODE}/ask", body={"asked": "drain"}),
    _Step(f"POST {_NODE}/credentials", body={"session": _SESSION}),
    _Step(f"POST {_NODE}/starts", body={"session": _SESSION, "runs": [_COMMAND]}),
    _Step(
        f"POST {_NODE}/beats",
        body={"session": _SESSION, "running": [{**_COMMAND, "token": _SECRET, "progress": _PROGRESS}]},
    ),
    _Step(
        f"POST {_NODE}/reports",
        body={
            "session": _SESSION,
            "reports": [{**_COMMAND, "token": _SECRET, "state": "succeeded", "result": _RESULT}],
        },
    ),
    _Step(f"GET {_RUN}/log", {"name": "backup", "run_id": "20261120T120000Z"}),
    _Step(
        f"POST {_NODE}/uploads",
        body={
            "session": _SESSION,
            "uploads": [{**_COMMAND, "token": _SECRET, "part": 1, "bytes": 83}],
        },
    ),
    _Step(f"DELETE {_NODE}", query={"session": _SESSION}),
    _Step("GET /v1/audit", query={"namespace": "shop", "limit": "3"}),
    _Step("GET /v1/diagnosis"),
    _Step("GET /v1/shards"),
    _Step("GET /v1/token"),
    _Step("POST /v1/tokens", body={"name": "ci", "role": "operator", "namespaces": ["shop"], "expires_in": "30d"}),
    _Step("GET /v1/tokens"),
    _Step("GET /v1/tokens/{token_id}"),
    _Step("DELETE /v1/tokens/{token_id}"),
    _Step(f"DELETE {_ENDPOINTS}/{{endpoint}}"),
    _Step(f"DELETE {_JOB}"),
    _Step("DELETE /v1/namespaces/{namespace}/calendars/{name}", _CALENDAR),
)
"""One request for each route, in an order in which each finds what it needs."""


_FOR_AGENTS = frozenset(f"{route.method} {route.path}" for route in ROUTES if route.role is Role.AGENT)


def examples() -> dict[str, Any]:
    """For each route, the request and the answer."""
    unplayed = {f"{route.method} {route.path}" for route in ROUTES if not route.for_people} - {
        step.route for step in STEPS
    }
    if unplayed:
        raise LookupError(f"these routes have no example in {__name__}: {', '.join(sorted(unplayed))}")
    with patch.object(secrets, "token_urlsafe", lambda _: _SECRET):
        return dict(_played())


def _played() -> Iterator[tuple[str, Any]]:
    state, clock = MemoryState(), FakeClock()
    ports = memory_ports(state, clock)
    tokens = MemoryTokens(state)
    audits, run_lists = MemoryAudits(state), MemoryRunLists(state)
    balancing = memory_balancing(state, clock)
    service = memory_service(state, ports)
    deployment = Deployment(
        tokens_of=lambda: tokens,
        ports_of=lambda: ports,
        balancing_of=lambda: balancing,
        audits_of=lambda: audits,
        run_lists_of=lambda: run_lists,
        queues_of=lambda: MemoryQueues(state),
        nodes_of=lambda: service.agents.nodes,
        service=service,
        clock=clock,
    )
    api = Api(app=make_app(deployment), tokens=tokens)
    ports.timers.record_tick(NOON)
    state.depths = {name: Depth(name, waiting=0, delayed=2, in_flight=1) for name in ("http", "http_slow")}
    state.depths["http_dead_letter"] = Depth("http_dead_letter", waiting=0, delayed=0, in_flight=0)
    names = dict(_NAMES)
    for step in STEPS:
        if step.route == f"POST {_ATTEMPT}/progress":
            _store_waiting(state)
        if step.route == f"PUT {_NODE}":
            _store_command(ports)
        method, _, template = step.route.partition(" ")
        path = template.format(**{**names, **step.names})
        called = template.startswith("/v1/callbacks")
        headers = {**step.headers, **({"Minutehand-Token": _TOKEN} if called else {})}
        agents = f"{method} {template}" in _FOR_AGENTS
        caller = api.by(authorized=False) if called else api.by(role="agent") if agents else api
        answer = caller.send(method, path, step.body, headers=headers, query=dict(step.query) or None)
        if answer.status >= 400:
            raise ValueError(f"{step.route} answered {answer.status}: {answer.body}")
        request = {"path": path, "query": dict(step.query), "headers": dict(step.headers)}
        if step.body is not None:
            request["body"] = step.body
        headers = {
            each.name: answer.headers[each.name.lower()] for each in ANSWERED if each.name.lower() in answer.headers
        }
        answered = {"status": answer.status, "headers": headers, "body": answer.body}
        yield step.route, {"request": request, "answer": answered}
        if method == "POST" and answer.body:  # it may have created something, whose id the next steps name
            ids = {"run_id": "run_id", "backfill_id": "id", "token_id": "id"}
            names |= {name: answer.body[field] for name, field in ids.items() if field in answer.body}


def _store_waiting(state: MemoryState) -> None:
    """Store a run whose target answers later."""
    at = NOON - timedelta(seconds=30)
    key = RunKey(next(iter(state.definitions)), _NAMES["run_id"])
    run = Run(key=key, target="http", revision=1, claimed_at=at, expires_at=NOON + timedelta(days=30))
    state.runs[key] = replace(
        run,
        state=RunState.WAITING,
        attempt=1,
        nonce=attempt_nonce(_TOKEN),
        started_at=at,
        lateness=timedelta(0),
        lease_until=NOON + timedelta(minutes=1),
        deadline_at=NOON + timedelta(hours=1),
    )


def _store_command(ports: Ports) -> None:
    """Save a job that runs a command, with a run that is due."""
    key = JobKey("shop", "backup")
    job = Job(key=key, schedule="0 12 * * *", target=CommandTarget(pool="web", command="backup --all"))
    manage.save(ports, job, keep_paused=False, who=Actor("ada"))
    run = Run(
        key=RunKey.scheduled(key, NOON.replace(second=0)),
        target="command",
        revision=1,
        claimed_at=NOON,
        expires_at=NOON + timedelta(days=30),
    )
    ports.runs.claim([run])


def main(arguments: list[str]) -> int:
    """Write the examples; with `--check`, write nothing and return 1 if they are stale."""
    logger.setLevel("CRITICAL")
    before = FILE.read_text(encoding="utf-8") if FILE.is_file() else ""
    after = json.dumps(examples(), indent=1, ensure_ascii=False) + "\n"
    if after == before:
        return 0
    if "--check" in arguments:
        sys.stderr.write(f"{FILE.name} is stale. Run: make generate\n")
        return 1
    FILE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
