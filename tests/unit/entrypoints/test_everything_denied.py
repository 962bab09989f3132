"""The functions over AWS's clients when every call is denied, as with a wrong role or a disabled key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config

from minutehand.domain.errors import Unavailable
from minutehand.entrypoints import (
    api,
    authorizer,
    bootstrap,
    clients,
    drain,
    metrics,
    observer,
    sharding,
    sweep,
    tick,
    tokens,
    worker,
)
from tests.unit.entrypoints.handling import Context, body_of, record

CACHES = [
    cached
    for module in (bootstrap, clients, sharding, tick, worker, drain, sweep, observer, api, authorizer, tokens)
    for cached in vars(module).values()
    if hasattr(cached, "cache_clear")
]
ENVIRONMENT = {
    "JOBS_TABLE": "jobs",
    "RUNS_TABLE": "runs",
    "HTTP_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/http",
    "HTTP_DEAD_LETTER_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/dead",
    "WORKER": "http",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
}
MESSAGES = {"Records": [record(1, body_of("09:01")), record(2, body_of("09:02"))]}


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was logged of calls; every call of every client is answered AccessDeniedException."""

    def denied(model: Any, **_: Any) -> tuple[Any, Any]:
        error = {"Code": "AccessDeniedException", "Message": f"no permission for {model.name}"}
        return SimpleNamespace(status_code=400, headers={}), {"Error": error, "ResponseMetadata": {}}

    def client(service: str, config: Config) -> Any:
        made = boto3.session.Session().client(service, config=config)
        made.meta.events.register("before-call", denied)
        return made

    lines: list[str] = []
    metrics.forget()
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "client", client)
    monkeypatch.setattr(
        clients.logger,
        "warning",
        lambda message, **about: lines.append(message) if about["action"] == "refusal" else None,
    )
    for cache in CACHES:
        cache.cache_clear()
    yield lines
    for cache in CACHES:
        cache.cache_clear()


@pytest.mark.parametrize(
    ("handler", "event", "operation"),
    [
        (tick.handler, {}, "dynamodb Query"),
        (tick.handler, {"shards": [1]}, "dynamodb Query"),
        (sweep.handler, {}, "dynamodb BatchGetItem"),
        (worker.handler, MESSAGES, "dynamodb BatchGetItem"),
        (drain.handler, {}, "sqs ReceiveMessage"),
        (observer.handler, {}, "dynamodb Query"),
    ],
    ids=["tick", "share of a tick", "sweep", "worker", "drain", "observer"],
)
@pytest.mark.thorough
def test_a_function_whose_every_call_is_denied_raises_and_logs_the_code(
    refusals: list[str], handler: Any, event: dict[str, Any], operation: str
) -> None:
    with pytest.raises(Unavailable, match="AccessDenied"):
        handler(event, Context())
    name = operation.partition(" ")[2]
    assert f"{operation} refused: AccessDenied: no permission for {name}" in refusals


def test_the_api_answers_503_and_logs_the_code(refusals: list[str]) -> None:
    event = {
        "path": "/v1/namespaces/demo/jobs",
        "httpMethod": "GET",
        "headers": {"Authorization": "Bearer s3cret"},
        "requestContext": {},
    }
    answer = api.handler(event, Context())
    assert answer["statusCode"] == 503
    assert json.loads(answer["body"])["type"].endswith("unavailable")
    assert refusals == ["dynamodb GetItem refused: AccessDenied: no permission for GetItem"]
