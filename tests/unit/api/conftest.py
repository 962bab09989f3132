"""The API over memory: requests go in as API Gateway's REST proxy events, and what comes back is read as a client would."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from aws_lambda_powertools.event_handler import APIGatewayRestResolver

from minutehand.adapters.memory import MemoryAudits, MemoryQueues, MemoryRunLists, MemoryState, MemoryTokens
from minutehand.domain.job_key import JobKey
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.endpoints import Balancing
from tests.support.agent_service import memory_service
from tests.support.memory_ports import memory_balancing, memory_ports

NOON = datetime(2026, 11, 20, 12, 0, 30, tzinfo=UTC)
JOB = {"schedule": "0 * * * *", "target": {"type": "http", "url": "https://example.com/hook"}}
HEARTBEAT = JobKey(namespace="demo", name="heartbeat")
PATH = "/v1/namespaces/demo/jobs/heartbeat"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the API answered; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def errors(self) -> dict[str, dict[str, Any]]:
        """A problem's errors by their path."""
        return {error["path"]: error for error in self.body["errors"]}


KNOWN = MemoryTokens(MemoryState())
"""The tokens of every `Api`, each made when it is first used."""


def known_tokens() -> MemoryTokens:
    """The tokens of every `Api`."""
    return KNOWN


@dataclass(kw_only=True)
class Api:
    """Sends requests as the gateway does. The fields are those of the caller's token, which is stored when it is used."""

    app: APIGatewayRestResolver
    token: str = "ada"
    role: str = "admin"
    namespaces: str = "*"
    authorized: bool = True
    tokens: MemoryTokens = KNOWN

    def by(self, **token: Any) -> Api:
        """The same API, asked with another token."""
        return replace(self, **token)

    def secret(self) -> str:
        """The secret of the caller's token, which this stores."""
        secret = quote(f"secret-of-{self.token}-{self.role}-{self.namespaces}")
        names = tuple(filter(None, self.namespaces.split(",")))
        self.tokens.put(Token(digest=digest_of(secret), name=self.token, role=Role(self.role), namespaces=names))
        return secret

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str] | None = None,
        query: dict[str, str | list[str]] | None = None,
        **changes: Any,
    ) -> Answer:
        """One request; `body` is text, or what is sent as JSON. `changes` go into the event as they are."""
        context: dict[str, Any] = {"requestId": "req-1", "stage": "prod", "path": f"/prod{path}", "httpMethod": method}
        if self.authorized:
            headers = {"Authorization": f"Bearer {self.secret()}"} | (headers or {})
        every = {name: [value] if isinstance(value, str) else value for name, value in (query or {}).items()}
        event = {
            "version": "1.0",
            "resource": path,
            "path": path,
            "httpMethod": method,
            "headers": headers or {},
            "multiValueHeaders": {name: [value] for name, value in (headers or {}).items()},
            "queryStringParameters": query and {name: values[-1] for name, values in every.items()},
            "multiValueQueryStringParameters": query and every,
            "pathParameters": None,
            "stageVariables": None,
            "requestContext": context,
            "body": body if body is None or isinstance(body, str) else json.dumps(body),
            "isBase64Encoded": False,
        } | changes
        no_context: Any = None
        answered = self.app.resolve(event, no_context)
        return Answer(
            status=answered["statusCode"],
            headers={name.lower(): ", ".join(values) for name, values in answered["multiValueHeaders"].items()},
            body=json.loads(answered["body"]) if answered["body"] else None,
        )

    def get(self, path: str = PATH, **given: Any) -> Answer:
        return self.send("GET", path, **given)

    def put(self, body: Any = None, path: str = PATH, **given: Any) -> Answer:
        return self.send("PUT", path, JOB if body is None else body, **given)

    def post(self, path: str, **given: Any) -> Answer:
        return self.send("POST", path, **given)

    def delete(self, path: str = PATH) -> Answer:
        return self.send("DELETE", path)


class FakeClock:
    """A clock that moves only when a test moves it."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def state() -> MemoryState:
    return MemoryState()


@pytest.fixture
def ports(state: MemoryState, clock: FakeClock) -> Ports:
    return memory_ports(state, clock)


@pytest.fixture
def api(ports: Ports, state: MemoryState) -> Api:
    def balancing() -> Balancing:
        return memory_balancing(state, ports.clock)

    service = memory_service(state, ports)
    deployment = Deployment(
        tokens_of=known_tokens,
        ports_of=lambda: ports,
        nodes_of=lambda: service.agents.nodes,
        service=service,
        balancing_of=balancing,
        audits_of=lambda: MemoryAudits(state),
        run_lists_of=lambda: MemoryRunLists(state),
        queues_of=lambda: MemoryQueues(state),
        clock=ports.clock,
    )
    return Api(app=make_app(deployment))


@pytest.fixture
def api_over() -> Callable[[Ports], Api]:
    return lambda ports: Api(app=make_app(Deployment(tokens_of=known_tokens, ports_of=lambda: ports)))


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[dict[str, Any]]]:
    """What was logged so far: each line's message, and all that goes with it."""
    caplog.set_level("INFO")
    return lambda: [record.__dict__ | {"message": record.getMessage()} for record in caplog.records]
