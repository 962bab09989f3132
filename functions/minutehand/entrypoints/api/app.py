"""The app: endpoints on Powertools' router, with the checks that all of them share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

import minutehand
from minutehand.domain.errors import Invalid, NotFound
from minutehand.domain.token import EVERYWHERE, Role, Token
from minutehand.entrypoints.api.call import Call, Endpoint, answered, unsharded
from minutehand.entrypoints.api.endpoints.backfills import BACKFILLS
from minutehand.entrypoints.api.endpoints.calendars import CALENDARS
from minutehand.entrypoints.api.endpoints.callbacks import CALLBACKS
from minutehand.entrypoints.api.endpoints.explain import EXPLAIN
from minutehand.entrypoints.api.endpoints.jobs import JOBS
from minutehand.entrypoints.api.endpoints.namespaces import NAMESPACES
from minutehand.entrypoints.api.endpoints.runs import RUNS
from minutehand.entrypoints.api.endpoints.shards import SHARDS
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, Terms
from minutehand.entrypoints.api.forms.invalid import name_problem
from minutehand.entrypoints.api.forms.reading import query_of
from minutehand.entrypoints.api.problems import Unauthenticated, WrongMethod, problem
from minutehand.usecases.authorize import authorize, require
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.tokens import Tokens
from minutehand.usecases.upkeep.shards import ShardStatus

_ANYBODY = Token(digest="", name="", role=Role.VIEWER, namespaces=())


def health(call: Call) -> Response[str]:  # noqa: ARG001 - an endpoint like the others; it asks nothing of anybody
    """That the function answers; no table is asked."""
    return answered(200, {"status": "ok", "version": minutehand.__version__})


ENDPOINTS = (
    Endpoint(method="GET", path="/v1/health", role=None, answer=health),
    *NAMESPACES,
    *JOBS,
    *RUNS,
    *BACKFILLS,
    *EXPLAIN,
    *CALENDARS,
    *CALLBACKS,
    *SHARDS,
)
"""Every endpoint there is."""


def make_app(
    ports_of: Callable[[], Ports],
    *,
    tokens_of: Callable[[], Tokens] | None = None,
    terms: Terms = DEFAULT_TERMS,
    shards_of: Callable[[], ShardStatus] = unsharded,
) -> APIGatewayRestResolver:
    """The app over a world, which is asked for when a call first needs it.

    Args:
        tokens_of: where the token of a request is looked up that no authorizer was asked about; without it, such a
            request is refused.
        terms: what this deployment asks of jobs.
        shards_of: asks how timers are spread.
    """
    app = APIGatewayRestResolver(
        cors=CORSConfig(allow_headers=["Idempotency-Key"], expose_headers=["Retry-After"], max_age=600)
    )

    def answer(endpoint: Endpoint, in_path: Mapping[str, str]) -> Response[str]:
        event = app.current_event.raw_event
        named = {name: unquote(text) for name, text in in_path.items()}
        caller = _caller(event, tokens_of) if endpoint.role else _ANYBODY
        if endpoint.role:
            # Before the names are judged: a namespace that cannot be is in no token's list, so only a token for all of
            # them is told more about it. What belongs to no namespace is for those tokens alone.
            require(caller, endpoint.role, named.get("namespace", EVERYWHERE))
        if not endpoint.judges_names:
            _check_names(named)
        call = Call(
            ports_of=ports_of,
            event=event,
            caller=caller,
            request_id=_request_id(event),
            query=query_of(event, endpoint.query),
            terms=terms,
            shards_of=shards_of,
            **named,
        )
        return endpoint.answer(call)

    def routed(endpoint: Endpoint) -> Callable[..., Response[str]]:
        def route(**in_path: str) -> Response[str]:
            return answer(endpoint, in_path)

        return route

    for endpoint in ENDPOINTS:
        rule = endpoint.path.replace("{", "<").replace("}", ">")
        app.route(rule, method=endpoint.method)(routed(endpoint))

    @app.not_found
    def no_route(_: NotFoundError) -> Response[str]:
        """The router knows no route: is it the method, or a name with characters that it does not take for a name's?"""
        method, path = app.current_event.http_method.upper(), app.current_event.path
        there = [(endpoint, found) for endpoint in ENDPOINTS if (found := _matches(endpoint, path))]
        if not there:
            raise NotFound(f"there is no route {path!r:.200}; see the API's documentation for those there are")
        for endpoint, found in there:
            if endpoint.method == method:
                return answer(endpoint, found.groupdict())
        raise WrongMethod(method, path[:200], sorted(endpoint.method for endpoint, _ in there))

    def refuse(error: Exception) -> Response[str]:
        return problem(error, request_id=_request_id(app.current_event.raw_event))

    app.exception_handler(Exception)(refuse)
    return app


def _matches(endpoint: Endpoint, path: str) -> re.Match[str] | None:
    return re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", endpoint.path) + "/?", path)


def _check_names(named: Mapping[str, str]) -> None:
    problems = [name_problem(path, named[path]) for path in ("namespace", "name") if path in named]
    wrong = [found for found in problems if found]
    if wrong:
        raise Invalid(*wrong)


def _caller(event: Mapping[str, Any], tokens_of: Callable[[], Tokens] | None) -> Token:
    """The token that the authorizer vouched for.

    Some emulators of the gateway do not ask it, and a route that was deployed without it would not: then the token is
    looked up here, by the same rules, so that no request gets by without one.
    """
    match (event.get("requestContext") or {}).get("authorizer"):
        case {"token": str(name), "role": str(role), "namespaces": str(namespaces)} if role in _ROLES:
            return Token(digest="", name=name, role=Role(role), namespaces=tuple(filter(None, namespaces.split(","))))
    headers: Mapping[str, str] = event.get("headers") or {}
    header = next((value for name, value in headers.items() if name.lower() == "authorization"), None)
    token = authorize(tokens_of(), header) if tokens_of and header else None
    if token:
        return token
    raise Unauthenticated("no authorizer vouched for this request; send the header 'Authorization: Bearer TOKEN'")


_ROLES = frozenset(role.value for role in Role)


def _request_id(event: Mapping[str, Any]) -> str:
    return str((event.get("requestContext") or {}).get("requestId", ""))
