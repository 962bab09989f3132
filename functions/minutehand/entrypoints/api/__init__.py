"""The API function: jobs, runs and calendars over HTTP, behind API Gateway's REST proxy events."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.entrypoints import bootstrap, clients
    from minutehand.entrypoints.api.app import make_app
    from minutehand.entrypoints.api.call import Deployment
    from minutehand.entrypoints.api.callers import principals_of, throttle_of
    from minutehand.entrypoints.api.forms.accept import Terms
    from minutehand.entrypoints.api.routes import served_by
    from minutehand.entrypoints.metrics import measured
    from minutehand.entrypoints.network import target_terms
    from minutehand.entrypoints.people import people_of
    from minutehand.entrypoints.settings import AGENTS
    from minutehand.entrypoints.sharding import index
    from minutehand.entrypoints.tokens import tokens
    from minutehand.usecases.upkeep.shards import shard_status

if TYPE_CHECKING:
    from aws_lambda_powertools.event_handler import APIGatewayRestResolver
    from aws_lambda_powertools.utilities.typing import LambdaContext


@cache
def _app() -> APIGatewayRestResolver:
    given = clients.settings()
    return make_app(
        Deployment(
            tokens_of=tokens,
            ports_of=bootstrap.ports,
            terms=Terms(targets=target_terms(given), retention=given.run_retention),
            balancing_of=bootstrap.endpoint_stores,
            audits_of=bootstrap.audits,
            run_lists_of=bootstrap.run_lists,
            queues_of=bootstrap.queues,
            shards_of=lambda: shard_status(index().layout(), given.due_shards),
            throttle=throttle_of(given),
            people=people_of(given),
            principals=principals_of(given),
            nodes_of=bootstrap.nodes,
        ),
        # In a stack that serves no agents, their routes say so.
        served_by("Api", *(() if AGENTS in given.workers else ("Agents",))),
    )


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request; or record the end that an event of EventBridge tells."""
    if "detail-type" in event:
        from minutehand.entrypoints.ends import record_end  # noqa: PLC0415 - only a stack with the worker aws has such events

        record_end(event, bootstrap.ports(), bootstrap.executions)
        return {}
    return _app().resolve(event, context)


if clients.starts_from_a_snapshot():
    _app()
    bootstrap.ports()
    tokens()
