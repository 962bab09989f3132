"""Rounds of `GET` of a job by the API function's handler, and of bare functions, in turn, in this process.

`python -m benchmarks.reading.rounds` prints, for each contender, the seconds of processor time of a request in each round, as JSON. The
environment is that of the API function (`JOBS_TABLE` …), with the address of the emulator.
"""

from __future__ import annotations

import gc
import json
import secrets
import sys
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any

import boto3

from benchmarks.reading import AS_INSTALLED, BARE, FUNCTION, ONE_ITEM, REQUESTS, ROUNDS
from benchmarks.timing import rotated
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.domain.job_key import JobKey
from minutehand.domain.token import EVERYWHERE, Role, Token, digest_of
from minutehand.entrypoints import api, clients
from minutehand.entrypoints.tokens import tokens

_KEY = JobKey("benchmark", "report")
_PATH = f"/v1/namespaces/{_KEY.namespace}/jobs/{_KEY.name}"
_JOB = {
    "schedule": "30 9 * * MON-FRI",
    "timezone": "Europe/Paris",
    "target": {"type": "http", "method": "POST", "url": "https://example.com/report", "headers": {"X-Ledger": "main"}},
    "description": "Sends the report of a shop",
    "owner": "team-data",
    "labels": {"team": "data", "tier": "1"},
    "timeout": "1h",
    "retry": {"max_attempts": 3},
}
Handler = Callable[[dict[str, Any]], dict[str, Any]]


def main() -> None:
    """Play all rounds and print what they took."""
    secret = secrets.token_urlsafe(30)
    tokens().put(Token(digest=digest_of(secret), name="benchmark", role=Role.ADMIN, namespaces=(EVERYWHERE,)))
    put, event = _event("PUT", secret, json.dumps(_JOB)), _event("GET", secret)
    saved = _handle(put)
    if saved["statusCode"] != 201:
        raise RuntimeError(f"the job was not saved: {saved}")
    answer = _handle(event)
    contenders: Mapping[str, Handler] = {
        FUNCTION: _handle,
        BARE: _bare(clients.dynamodb(), answer),
        ONE_ITEM: _bare(clients.dynamodb(), answer, one=True),
        AS_INSTALLED: _bare(boto3.client("dynamodb"), answer),
    }
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(-2, ROUNDS):  # the first turns warm connections and caches
        for name in rotated([*contenders], turn % len(contenders)):
            seconds = _seconds(contenders[name], event, answer)
            if turn >= 0:
                taken[name].append(seconds)
    json.dump(taken, sys.stdout)


def _handle(event: dict[str, Any]) -> dict[str, Any]:
    no_context: Any = None
    return api.handler(event, no_context)


def _bare(client: Any, answer: dict[str, Any], *, one: bool = False) -> Handler:
    """A function that reads the items of the job, or only its definition, and returns an answer that it knows."""
    table = clients.settings().jobs_table
    read = [keys.definition(_KEY), keys.timer(_KEY), keys.timer(_KEY, packed=True), keys.settings(_KEY.namespace)]

    def handle(_: dict[str, Any]) -> dict[str, Any]:
        if one:
            client.get_item(TableName=table, Key=read[0], ConsistentRead=True)
        else:
            client.batch_get_item(RequestItems={table: {"Keys": read, "ConsistentRead": True}})
        return answer

    return handle


def _seconds(handle: Handler, event: dict[str, Any], answer: dict[str, Any]) -> float:
    gc.collect()
    began = process_time()
    for _ in range(REQUESTS):
        answered = handle(event)
    taken = (process_time() - began) / REQUESTS
    if answered["body"] != answer["body"]:
        raise RuntimeError(f"the answer has changed: {answered}")
    return taken


def _event(method: str, secret: str, body: str | None = None) -> dict[str, Any]:
    """A request as API Gateway passes it on."""
    headers = {
        "Accept": "application/json",
        "Authorization": f"Bearer {secret}",
        "Host": "example.execute-api.eu-west-1.amazonaws.com",
        "User-Agent": "minutehand",
        "X-Forwarded-For": "198.51.100.7",
    }
    return {
        "resource": "/v1/namespaces/{namespace}/jobs/{name}",
        "path": _PATH,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": {"namespace": _KEY.namespace, "name": _KEY.name},
        "stageVariables": None,
        "requestContext": {
            "requestId": "benchmark",
            "stage": "prod",
            "path": f"/prod{_PATH}",
            "httpMethod": method,
            "identity": {"sourceIp": "198.51.100.7", "userAgent": "minutehand"},
        },
        "body": body,
        "isBase64Encoded": False,
    }


if __name__ == "__main__":
    main()
