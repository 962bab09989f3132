"""Checks that the SDK's requests have the methods and paths of the API's routes: `python -m infra.sdk_paths`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from minutehand.client import Client, LateAnswer
from minutehand.client.agents import AgentCalls
from minutehand.client.transport import Transport
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES

_NAME = "namespace/name"
_ARGUMENTS: Mapping[str, Any] = {
    "document": {"namespace": "namespace", "name": "name"},
    "documents": ({"namespace": "namespace", "name": "name"},),
    "items": ({"kind": "job", "document": {"namespace": "namespace", "name": "name"}},),
    "schedule": {"schedule": "@daily"},
    "old": "@daily",
    "new": "@hourly",
    "job": _NAME,
    "calendar": _NAME,
    "namespace": "namespace",
    "run_id": "run",
    "number": 1,
    "backfill": "backfill",
    "service": _NAME,
    "endpoint": "endpoint",
    "pool": _NAME,
    "node": "node",
    "asked": "pause",
    "host": "web-1",
    "version": "1.0.0",
    "tags": {},
    "slots": 1,
    "runs": (),
    "running": (),
    "reports": (),
    "uploads": (),
    "url": "https://10.0.3.7",
    "max_concurrency": 1,
    "on": True,
    "start": datetime(2026, 11, 1, tzinfo=UTC),
    "end": datetime(2026, 11, 2, tzinfo=UTC),
    "catch_up": "skip",
    "dry_run": True,
    "token_id": "t-4k2m7xq5ab",
    "name": "name",
    "role": "viewer",
    "namespaces": ("namespace",),
}
_ABOUT_THE_CLIENT = frozenset(("at", "close", "configured"))
_TO_S3 = frozenset(("upload",))
_CALLBACK = "/v1/callbacks/namespace/name/run/1"


class _Sent(Exception):
    pass


class _Recorder(Transport):
    def send(self, method: str, path: str, **_: Any) -> Any:
        raise _Sent(method, path)


def _recorder() -> _Recorder:
    return _Recorder("http://127.0.0.1", "token", timeout=1, retries=0, backoff=0)


def requests() -> Iterator[tuple[str, str]]:
    """The first request that each method of the SDK sends, as its HTTP method and path."""
    client = Client("http://127.0.0.1", "token")
    client._http = _recorder()  # noqa: SLF001 - the one place where a request is sent
    for name, method in inspect.getmembers(client, inspect.ismethod):
        if not name.startswith("_") and name not in _ABOUT_THE_CLIENT:
            yield _first(name, method)
    yield from _of_agents()
    yield from (("POST", f"{_CALLBACK}/{name}") for name in _callbacks())


def _of_agents() -> Iterator[tuple[str, str]]:
    """The requests of an agent, which has a client of its own."""
    agent = AgentCalls(_recorder(), pool=_NAME, node="node", session="session")
    for name, method in inspect.getmembers(agent, inspect.ismethod):
        if not name.startswith("_") and name not in _ABOUT_THE_CLIENT | _TO_S3:
            yield _first(name, method)


def _first(name: str, method: Any) -> tuple[str, str]:
    required = [
        each
        for each in inspect.signature(method).parameters.values()
        if each.kind is not each.VAR_KEYWORD
        and (each.default is each.empty or each.name in ("start", "end", "namespace", "dry_run"))
    ]
    positional = [_ARGUMENTS[each.name] for each in required if each.kind is not each.KEYWORD_ONLY]
    named = {each.name: _ARGUMENTS[each.name] for each in required if each.kind is each.KEYWORD_ONLY}
    try:
        answer = method(*positional, **named)
        for _ in answer if inspect.isgenerator(answer) else ():
            break
    except _Sent as sent:
        http_method, path = sent.args
        return http_method, path
    raise AssertionError(f"Client.{name} sends nothing")


def _callbacks() -> Iterator[str]:
    """Paths of the requests that a `LateAnswer` sends, relative to the callback URL that it is given."""
    answer = LateAnswer("http://127.0.0.1", "token")
    answer._http = _recorder()  # noqa: SLF001 - as above
    for say in (answer.succeeded, lambda: answer.progress(1), answer.heartbeat):
        try:
            say()
        except _Sent as sent:
            yield str(sent.args[1]).strip("/")


def problems() -> list[str]:
    """The differences between the SDK's requests and the API's routes, a sentence each."""
    sent = set(requests())
    known: dict[tuple[str, str], Route] = {}
    wrong = []
    for method, path in sorted(sent):
        route = next((each for each in ROUTES if each.method == method and each.match(path)), None)
        if route is None:
            wrong.append(f"the SDK sends {method} {path}, and no route takes it")
        else:
            known[route.method, route.path] = route
    wrong += [
        f"no method of the SDK uses {route.method} {route.path}"
        for route in ROUTES
        if not route.for_people and (route.method, route.path) not in known
    ]
    return wrong


def main() -> int:
    """Print the differences between the SDK's requests and the API's routes. Returns the exit status: 1 if there are any."""
    wrong = problems()
    sys.stderr.writelines(f"{line}\n" for line in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
