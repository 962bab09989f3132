"""The product's API behind a real socket: the application over the memory adapters, as API Gateway would call it."""

from __future__ import annotations

import gzip
import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from minutehand.adapters.memory import (
    MemoryAudits,
    MemoryNodes,
    MemoryOutputs,
    MemoryQueues,
    MemoryRunLists,
    MemoryState,
    MemoryTokens,
)
from minutehand.domain.instants import from_compact
from minutehand.domain.job_key import JobKey
from minutehand.domain.role_map import Entry
from minutehand.domain.run import ACTIVE, Result, Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import EVERYWHERE, Role, Token, digest_of
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.targets.terms import AwsTerms, TargetTerms
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.upkeep.shards import ReshardingState, ShardStatus
from tests.support.gateway import proxy_event
from tests.support.http_server import Answered, HttpServer, Request
from tests.support.memory_ports import memory_balancing, memory_ports

TOKEN = "mh_secret_token"
NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
TARGET = {"type": "http", "method": "POST", "url": "https://example.com/hook"}
LATENESS = timedelta(milliseconds=412)
TOOK = timedelta(milliseconds=1234)

_LOCAL_STACK = TargetTerms(allow_loopback=True, workers=frozenset({"http", "aws", "agents"}), aws=AwsTerms(tagged=True))
"""As in the local stack, with all workers."""


class _LinkedOutputs(MemoryOutputs):
    """Outputs whose links this server answers, as the bucket does: compressed, and without a token."""

    def __init__(self, state: MemoryState, url: str) -> None:
        super().__init__(state)
        self._url = url

    def link(self, place: str, lasts: timedelta) -> str:
        return f"{self._url}/{place}?X-Amz-Expires={lasts.total_seconds():.0f}"


class ApiServer(HttpServer):
    """An API that stores in memory.

    Attributes:
        state: everything stored; tests may change it.
        now: the API's clock, which only tests move.
        principals: what principals of AWS may do; None for an API of tokens.
        shards: what it answers of shards.
    """

    principals: tuple[Entry, ...] | None = None

    def __init__(self) -> None:
        self._lock = threading.Lock()  # the router keeps the request that it is at
        super().__init__()
        self._texts = self.url.replace("/stage", "/texts")
        self._app = make_app(
            Deployment(
                ports_of=lambda: self.ports,
                tokens_of=lambda: MemoryTokens(self.state),
                clock=lambda: self.now,
                tokens_kept=timedelta(0),
                terms=Terms(targets=_LOCAL_STACK),
                shards_of=lambda: self.shards,
                balancing_of=lambda: memory_balancing(self.state, lambda: self.now),
                audits_of=lambda: MemoryAudits(self.state),
                run_lists_of=lambda: MemoryRunLists(self.state),
                queues_of=lambda: MemoryQueues(self.state),
                nodes_of=lambda: MemoryNodes(self.state),
                principals=self.principals,
            )
        )

    def forget(self) -> None:
        """Forget everything: what was stored, received and scripted, and the time."""
        super().forget()
        self.now = NOW
        self.state = MemoryState()
        self.shards = ShardStatus(8, 8, ReshardingState.SETTLED)
        self.allow(Role.ADMIN)

    def allow(self, role: Role, *namespaces: str) -> None:
        """Give the tests' token a role, in all namespaces or these."""
        token = Token(digest=digest_of(TOKEN), name="admin", role=role, namespaces=namespaces or (EVERYWHERE,))
        self.state.tokens[token.digest] = token

    @property
    def ports(self) -> Ports:
        ports = memory_ports(self.state, lambda: self.now)
        return ports._replace(outputs=_LinkedOutputs(self.state, self._texts))

    def answer(self, request: Request) -> Answered:
        stage, _, path = request.path.removeprefix("/").partition("/")
        if stage == "texts":
            return self._text(path)
        with self._lock:
            found = self._app.resolve(self.event(request, f"/{path}"), None)
        headers = {name: ", ".join(values) for name, values in found["multiValueHeaders"].items()}
        return Answered(found["statusCode"], headers, (found["body"] or "").encode())

    def event(self, request: Request, path: str) -> dict[str, Any]:
        """What the gateway makes of a request."""
        return proxy_event(request, path)

    def _text(self, place: str) -> Answered:
        text = self.state.texts.get(place)
        if text is None:
            return Answered(404, {"Content-Type": "application/xml"}, b"<Error/>")
        headers = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
        return Answered(200, headers, gzip.compress(text.encode()))

    def ask(self, method: str, path: str, body: Any = None, *, query: dict[str, str] | None = None) -> Any:
        """The document that the application answers, asked beside the socket: it is not among `requests`."""
        headers = {"authorization": f"Bearer {TOKEN}"}
        raw = None if body is None else json.dumps(body)
        request = Request(
            method=method,
            path=f"/stage/v1/{path}",
            query=query or {},
            queries={name: [value] for name, value in (query or {}).items()},
            headers=headers,
            raw=raw,
        )
        answered = self.answer(request)
        assert answered.status < 400, answered.body
        return json.loads(answered.body)

    def add_job(self, job: str, **fields: Any) -> dict[str, Any]:
        """Save a job, hourly unless `fields` say otherwise, as if a week ago, so that past runs may be its own."""
        self.ask("PUT", _path(job), {"schedule": "@hourly", "target": TARGET} | fields)
        key = JobKey(*job.split("/"))
        definition, history = self.state.definitions[key], self.state.histories[key]
        [revision], [past] = definition.revisions, history
        since = definition.created_at - timedelta(days=7)
        self.state.definitions[key] = replace(
            definition, created_at=since, updated_at=since, revisions=(revision._replace(effective_from=since),)
        )
        history[:] = [replace(past, effective_from=since)]
        for run in [run for run in self.state.runs if run.job == key]:
            del self.state.runs[run]  # claimed by the save, for the next two minutes
        return self.ask("GET", _path(job))

    @property
    def jobs(self) -> dict[str, dict[str, Any]]:
        """The jobs that are saved, by full name, as the API shows them."""
        kept = [str(key) for key, definition in self.state.definitions.items() if not definition.deleted]
        return {key: self.ask("GET", _path(key)) for key in kept}

    @property
    def calendars(self) -> dict[str, dict[str, Any]]:
        """The calendars that are saved, by full name."""
        keys = list(self.state.calendars)
        return {str(key): self.ask("GET", f"namespaces/{key.namespace}/calendars/{key.name}") for key in keys}

    def backfills(self, job: str) -> list[dict[str, Any]]:
        """The backfills of a job, the newest first."""
        items: list[dict[str, Any]] = self.ask("GET", f"{_path(job)}/backfills")["items"]
        return items

    def change_backfills(self, **changed: Any) -> None:
        """Change fields of all backfills, as the steps that replay them do."""
        for key, backfill in list(self.state.backfills.items()):
            self.state.backfills[key] = replace(backfill, **changed)

    def add_run(self, job: str, run_id: str, state: str = "succeeded", **changed: Any) -> RunKey:
        """Keep a run as its worker would have left it after one attempt; `changed` are fields of `Run`, and `took` its duration."""
        namespace, name = job.split("/")
        at = from_compact(run_id.partition("~")[0])
        took = changed.pop("took", TOOK)
        run = Run(
            key=RunKey(JobKey(namespace, name), run_id),
            target="http",
            revision=1,
            claimed_at=at,
            expires_at=at + timedelta(days=30),
        )
        self.state.runs[run.key] = replace(run, **_worked_at(at, RunState(state), took) | changed)
        return run.key

    def claim_ahead(self, job: str, run_id: str, **changed: Any) -> RunKey:
        """Keep a run as a tick leaves it, which no worker has begun."""
        namespace, name = job.split("/")
        self.state.runs[RunKey(JobKey(namespace, name), run_id)] = Run(
            key=(key := RunKey(JobKey(namespace, name), run_id)),
            target="http",
            revision=1,
            claimed_at=changed.pop("claimed_at", NOW - timedelta(minutes=2)),
            expires_at=NOW + timedelta(days=30),
            **changed,
        )
        return key

    def move(self, key: RunKey, state: str, **changed: Any) -> None:
        """Put a run into another state, with what comes with it."""
        run = self.state.runs[key]
        came = RunState(state)
        if came in ACTIVE:
            self.state.runs[key] = replace(run, **{"state": came, "attempt": max(run.attempt, 1)} | changed)
        else:
            self.state.runs[key] = replace(
                run, **_worked_at(run.starts_at, came) | {"attempt": max(run.attempt, 1)} | changed
            )

    def move_all(self, job: str, state: str) -> None:
        """Put all runs of a job into another state."""
        for key in [key for key in self.state.runs if str(key.job) == job]:
            self.move(key, state)

    def runs(self, job: str) -> dict[str, dict[str, Any]]:
        """The runs of a job by their ids, each as the API shows it alone."""
        ids = sorted(key.run_id for key in self.state.runs if str(key.job) == job)
        return {run_id: self.ask("GET", f"{_path(job)}/runs/{quote(run_id)}") for run_id in ids}


def _path(job: str) -> str:
    namespace, name = job.split("/")
    return f"namespaces/{namespace}/jobs/{name}"


def _worked_at(at: datetime, state: RunState, took: timedelta = TOOK) -> dict[str, Any]:
    """The fields of a run that a worker has begun at `at`, and that has come to a state."""
    if state is RunState.QUEUED:
        return {}
    if state is RunState.SKIPPED:
        return {"state": state, "skip_reason": SkipReason.PAUSED, "finished_at": at}
    begun = {"state": state, "attempt": 1, "started_at": at, "lateness": LATENESS}
    if state in ACTIVE:
        return begun
    result = Result(type="http", status=200, body="pong") if state is RunState.SUCCEEDED else None
    return begun | {"finished_at": at + took, "result": result}
