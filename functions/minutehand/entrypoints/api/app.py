"""The HTTP app: every route on Powertools' router, with the checks that all routes share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, CORSConfig, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from minutehand.domain.caller import NOBODY
from minutehand.domain.errors import Invalid, NotFound
from minutehand.domain.precondition import ALWAYS, ChangedMeanwhile, Precondition
from minutehand.domain.token import EVERYWHERE
from minutehand.entrypoints.api.call import Call, Deployment
from minutehand.entrypoints.api.callers import Callers
from minutehand.entrypoints.api.documents.headers import ANSWERED, TAKEN
from minutehand.entrypoints.api.forms.headers import idempotency_key_of, precondition_of
from minutehand.entrypoints.api.forms.invalid import name_problem
from minutehand.entrypoints.api.forms.request import has_body, json_object, no_body, query_of
from minutehand.entrypoints.api.problems import BadRequest, TooLarge, WrongMethod, WrongName, problem
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.schedule import ScheduleError
from minutehand.usecases.authorize import require, require_somewhere

# The percent-encoded letters, digits, `-`, `.` and `_`. Not `~`, which is in run ids, and which some clients encode.
_NEEDLESSLY_ENCODED = re.compile(r"%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F)", re.ASCII | re.IGNORECASE)


def make_app(deployment: Deployment, routes: Sequence[Route] = ROUTES) -> APIGatewayRestResolver:
    """Make the app that serves these routes of a deployment."""
    callers = Callers(deployment)
    app = APIGatewayRestResolver(
        cors=CORSConfig(
            allow_headers=[header.name for header in TAKEN],
            expose_headers=[header.name for header in ANSWERED],
            max_age=600,
        )
    )

    def answer_of(route: Route) -> Callable[..., Response[str]]:
        def answer(**_: str) -> Response[str]:
            event = app.current_event.raw_event
            # Not the router's own match: its patterns end with $, which also matches before a line break.
            matched = route.match(app.current_event.path)
            path = {name: _decoded(text) for name, text in matched.groupdict().items()} if matched else {}
            caller = callers.identify(event) if route.role else NOBODY
            # Check the caller before the names: no role is for an invalid namespace, so only a caller with a role in all
            # namespaces gets an error about the name. A route without a namespace also requires a role in all.
            if route.role and route.somewhere:
                require_somewhere(caller, route.role, agents=route.agents)
            elif route.role:
                named = "" if route.everywhere else path.get("namespace")
                namespace = named or _asked_namespace(route, event) or EVERYWHERE
                require(caller, route.role, namespace, agents=route.agents)
            names = () if route.checks_names else ("namespace", "name", "service", "endpoint", "pool", "node")
            wrong = [found for name in names if name in path and (found := name_problem(name, path[name]))]
            if wrong:
                raise WrongName(*wrong)
            call = Call(
                deployment=deployment,
                event=event,
                caller=caller,
                request_id=_request_id(event),
                query=query_of(event, route.query, route.repeatable),
                path=path,
                only_if=_precondition(route, event),
                idempotency_key=idempotency_key_of(event) if route.keyed else None,
            )
            if route.method == "POST" and route.takes is None:
                no_body(event)
            return route.answer(call)

        return answer

    for route in routes:
        app.route(route.path.replace("{", "<").replace("}", ">"), method=route.method)(answer_of(route))

    @app.not_found
    def no_route(_: NotFoundError) -> Response[str]:
        """Answer a request that Powertools' router did not match: its method is wrong, or a name in the path has characters that
        the router's patterns exclude."""
        method, path = app.current_event.http_method.upper(), app.current_event.path
        matching = [route for route in routes if route.match(path)]
        if not matching:
            raise NotFound(f"there is no route {path!r:.200}; the API reference lists the routes")
        for route in matching:
            if route.method == method:
                return answer_of(route)()
        raise WrongMethod(method, path[:200], sorted(route.method for route in matching))

    def refuse(error: Exception) -> Response[str]:
        event = app.current_event.raw_event
        wrong_fields = isinstance(error, (Invalid, ScheduleError))
        return problem(error, request_id=_request_id(event), document=_sent(event) if wrong_fields else None)

    app.exception_handler(Exception)(refuse)
    return app


def _precondition(route: Route, event: Mapping[str, Any]) -> Precondition:
    """The precondition of a request for a change. What has no tag cannot have one that a request names."""
    only_if = precondition_of(event) if route.method != "GET" else ALWAYS
    if only_if != ALWAYS and not route.conditional:
        raise ChangedMeanwhile(
            f"what {route.method} {route.path} changes has no ETag, so that no precondition can hold; leave If-Match and If-None-Match out",
            "",
        )
    return only_if


def _decoded(text: str) -> str:
    """A name in a path, percent-decoded once.

    API Gateway passes the path on as it was sent, but some emulators decode it first: `%2561` arrives as `%61`. So characters that
    names have, and that no client encodes, are not decoded; the name is then invalid.
    """
    return text if _NEEDLESSLY_ENCODED.search(text) else unquote(text)


def _asked_namespace(route: Route, event: Mapping[str, Any]) -> str:
    """The namespace in the query, of a route that takes one there; otherwise an empty text."""
    query = event.get("queryStringParameters") or {}
    return str(query.get("namespace") or "") if "namespace" in route.query else ""


def _request_id(event: Mapping[str, Any]) -> str:
    return str((event.get("requestContext") or {}).get("requestId", ""))


def _sent(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The body of a request, for errors about its fields; None if it is absent or not a JSON object."""
    try:
        return json_object(event) if has_body(event) else None
    except (BadRequest, TooLarge):
        return None
