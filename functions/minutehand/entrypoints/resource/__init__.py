"""Resource function: manages the jobs that CloudFormation stacks declare as `Custom::MinutehandJob`. Only a stack with the parameter
`ResourceNamespaces` has it."""

from __future__ import annotations

import os
from functools import cache
from threading import Timer
from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.adapters.dynamodb.stack_answers import DynamoStackAnswers
    from minutehand.entrypoints import bootstrap, clients
    from minutehand.entrypoints.api.forms.accept import Terms
    from minutehand.entrypoints.custom_resource import answer_to, send
    from minutehand.entrypoints.network import target_terms
    from minutehand.entrypoints.resource.requests import NOT_CREATED, Deployment, answer
    from minutehand.entrypoints.telemetry import logger

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

_SPARE = 15.0
"""Seconds before the function's time limit at which a request that still waits for a store is given up."""
_TOO_LATE = (
    "a store did not answer in time, so the job may or may not have been changed; deploy again, which is safe to repeat"
)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, str] | None:
    """Handle a custom resource event and send the answer to its `ResponseURL`; without one, return the answer."""
    url = event.get("ResponseURL")
    late = Timer(max(context.get_remaining_time_in_millis() / 1000 - _SPARE, 0), _give_up, (event,))
    late.daemon = True
    if url:
        late.start()
    answered = answer(event, _deployment)
    late.cancel()
    if not url:
        return answered
    send(str(url), answered)
    return None


def _give_up(event: dict[str, Any]) -> None:
    """Answer that the time is over, and end the process: a call that still waits must not change the job after a rollback."""
    logger.error("request given up", action="answer", job=event.get("PhysicalResourceId"))
    failed = answer_to(event, str(event.get("PhysicalResourceId") or NOT_CREATED))
    try:
        send(event["ResponseURL"], failed | {"Status": "FAILED", "Reason": _TOO_LATE})
    finally:
        os._exit(1)


@cache
def _deployment() -> Deployment:
    given = clients.settings()
    return Deployment(
        ports=bootstrap.ports(),
        answers=DynamoStackAnswers(clients.dynamodb_at_once(), given.jobs_table),
        terms=Terms(targets=target_terms(given), retention=given.run_retention),
        namespaces=given.resource_namespaces,
    )
