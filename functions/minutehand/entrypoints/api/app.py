"""The HTTP app: every route on Powertools' router, with the checks that all routes share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from minutehand.domain.errors import Invalid, NotFound
from minutehand.domain.token import EVERYWHERE, Role, Token
from minutehand.entrypoints.api.call import Call, Deployment
from minutehand.entrypoints.api.forms.invalid import name_problem
from minutehand.entrypoints.api.forms.request import header_of, no_body, query_of
from minutehand.entrypoints.api.problems import Unauthenticated, WrongMethod, problem
from minutehand.entrypoints.api.routes import ROUTES, Route
from minutehand.usecases.authorize import authorize, require
from minutehand.usecases.ports.tokens import Tokens

# The percent-encoded letters, digits, `-`, `.` and `_`. Not `~`, which is in run ids, and which some clients encode.
_NEEDLESSLY_ENCODED = re.compile(r"%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F)", re.ASCII | re.IGNORECASE)
_ANYONE = Token(digest="", name="", role=Role.VIEWER, namespaces=())


def make_app(deployment: Deployment) -> APIGatewayRestResolver:
    """Make the app that serves a deployment."""
    app = APIGatewayRestResolver(
        cors=CORSConfig(allow_headers=["Idempotency-Key"], expose_headers=["Retry-After"], max_age=600)
    )

    def answer_of(route: Route) -> Callable[..., Response[str]]:
        def answer(**_: str) -> Response[str]:
            event = app.current_event.raw_event
            # Not the router's own match: its patterns end with $, which also matches before a line break.
            matched = route.match(app.current_event.path)
            path = {name: _decoded(text) for name, text in matched.groupdict().items()} if matched else {}
            caller = _caller(event, deployment.tokens_of) if route.role else _ANYONE
            if route.role and not route.across:
                # Check the token before the names: no token lists an invalid namespace, so only the holder of a token for all
                # namespaces gets an error about the name. A route without a namespace also requires a token for all namespaces.
                require(caller, route.role, path.get("namespace", EVERYWHERE))
            names = () if route.checks_names else ("namespace", "name", "service", "endpoint")
            wrong = [found for name in names if name in path and (found := name_problem(name, path[name]))]
            if wrong:
                raise Invalid(*wrong)
            call = Call(
                deployment=deployment,
                event=event,
                caller=caller,
                request_id=_request_id(event),
                query=query_of(event, route.query, route.repeatable),
                path=path,
            )
            if route.method == "POST" and route.takes is None:
                no_body(event)
            return route.answer(call)

        return answer

    for route in ROUTES:
        app.route(route.path.replace("{", "<").replace("}", ">"), method=route.method)(answer_of(route))

    @app.not_found
    def no_route(_: NotFoundError) -> Response[str]:
        """Answer a request that Powertools' router did not match: its method is wrong, or a name in the path has characters that
        the router's patterns exclude."""
        method, path = app.current_event.http_method.upper(), app.current_event.path
        matching = [route for route in ROUTES if route.match(path)]
        if not matching:
            raise NotFound(f"there is no route {path!r:.200}; the API reference lists the routes")
        for route in matching:
            if route.method == method:
                return answer_of(route)()
        raise WrongMethod(method, path[:200], sorted(route.method for route in matching))

    def refuse(error: Exception) -> Response[str]:
        return problem(error, request_id=_request_id(app.current_event.raw_event))

    app.exception_handler(Exception)(refuse)
    return app


def _decoded(text: str) -> str:
    """A name in a path, percent-decoded once.

    API Gateway passes the path on as it was sent, but some emulators decode it first: `%2561` arrives as `%61`. So characters that
    names have, and that no client encodes, are not decoded; the name is then invalid.
    """
    return text if _NEEDLESSLY_ENCODED.search(text) else unquote(text)


def _caller(event: Mapping[str, Any], tokens_of: Callable[[], Tokens] | None) -> Token:
    """The token that the authorizer accepted.

    Some emulators of API Gateway never call the authorizer, and a route may be deployed without an authorizer. This function then
    looks the token up by the authorizer's rules, so no request passes without a valid token.
    """
    match (event.get("requestContext") or {}).get("authorizer"):
        case {"token": str(name), "role": str(role), "namespaces": str(namespaces)} if role in {
            each.value for each in Role
        }:
            return Token(digest="", name=name, role=Role(role), namespaces=tuple(filter(None, namespaces.split(","))))
    header = header_of(event, "authorization")
    if not tokens_of or not header:
        raise Unauthenticated("no token; send the header 'Authorization: Bearer TOKEN'")
    token = authorize(tokens_of(), header)
    if not token:
        raise Unauthenticated(
            "the header 'Authorization' has no token of this stack; send 'Bearer TOKEN' with one that is stored. An emulator that skips "
            "the template's custom resource (LocalStack without an account) stores the first token only when 'python -m localstack deploy' "
            "or its ready hook deploys the stack"
        )
    return token


def _request_id(event: Mapping[str, Any]) -> str:
    return str((event.get("requestContext") or {}).get("requestId", ""))
