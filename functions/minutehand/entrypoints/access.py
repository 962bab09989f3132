"""Access function: the routes of tokens, behind API Gateway's REST proxy events.

It is a function of its own, so that no role but its own and that of the seed may write tokens. It reads the caller's token at each request.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.entrypoints import clients
    from minutehand.entrypoints.api.app import make_app
    from minutehand.entrypoints.api.call import Deployment
    from minutehand.entrypoints.api.callers import principals_of, throttle_of
    from minutehand.entrypoints.api.routes import served_by
    from minutehand.entrypoints.metrics import measured
    from minutehand.entrypoints.people import people_of
    from minutehand.entrypoints.tokens import tokens

if TYPE_CHECKING:
    from aws_lambda_powertools.event_handler import APIGatewayRestResolver
    from aws_lambda_powertools.utilities.typing import LambdaContext


@cache
def _app() -> APIGatewayRestResolver:
    at_each_request = timedelta(0)
    given = clients.settings()
    return make_app(
        Deployment(
            tokens_of=tokens,
            tokens_kept=at_each_request,
            throttle=throttle_of(given),
            audit_retention=given.audit_retention,
            people=people_of(given),
            principals=principals_of(given),
        ),
        served_by("Access"),
    )


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request."""
    return _app().resolve(event, context)
