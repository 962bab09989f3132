"""Resource function: manages the jobs that CloudFormation stacks declare as `Custom::MinutehandJob`. Only a stack with the parameter
`ResourceNamespaces` has it."""

from __future__ import annotations

import os
from functools import cache
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.adapters.dynamodb.stack_answers import DynamoStackAnswers
    from minutehand.entrypoints import bootstrap, clients
    from minutehand.entrypoints.api.forms.accept import Terms
    from minutehand.entrypoints.custom_resource import answer_to, send
    from minutehand.entrypoints.metrics import measured
    from minutehand.entrypoints.network import target_terms
    from minutehand.entrypoints.resource.requests import NOT_CREATED, Deployment, answer
    from minutehand.entrypoints.telemetry import logger

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

_SPARE = 15.0
"""Seconds before the function's time limit at which a request that still waits for a store is given up."""
_last_word = Lock()
"""Held while a request is given up. Nobody else sends anything without it."""
_TOO_LATE = (
    "a store did not answer in time, so the job may or may not have been changed; deploy again, which is safe to repeat"
)


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, str] | None:
    """Handle a custom resource event and send the answer to its `ResponseURL`; without one, return the answer."""
    url, done = event.get("ResponseURL"), Event()
    late = Timer(max(context.get_remaining_time_in_millis() / 1000 - _SPARE, 0), _give_up, (event, done))
    late.daemon = True
    if url:
        late.start()
    answered = answer(event, _deployment)
    with _last_word:
        done.set()
    late.cancel()
    if not url:
        return answered
    send(str(url), answered)
    return None


def _give_up(event: dict[str, Any], done: Event) -> None:
    """Answer that the time is over, and end the process, unless the request is done.

    ◆ From before this answer until the end of the process, no other answer and no further request to a store or queue is sent: a call that
    still waits must not change the job after a rollback. What was sent before may still take effect, as the answer says.
    """
    with _last_word:
        if done.is_set():
            return
        logger.error("request given up", action="answer", job=event.get("PhysicalResourceId"))
        failed = answer_to(event, str(event.get("PhysicalResourceId") or NOT_CREATED))
        try:
            send(event["ResponseURL"], failed | {"Status": "FAILED", "Reason": _TOO_LATE})
        finally:
            os._exit(1)


def _wait_for_last_word(**_: object) -> None:
    """Let a request pass, or wait for the end of the process. botocore calls this before it sends a request."""
    with _last_word:
        pass


@cache
def _deployment() -> Deployment:
    given = clients.settings()
    ports, answers = bootstrap.ports(), clients.dynamodb_at_once()
    for client in (answers, clients.dynamodb(), clients.sqs()):
        client.meta.events.register_first("before-send", _wait_for_last_word)
    return Deployment(
        ports=ports,
        answers=DynamoStackAnswers(answers, given.jobs_table),
        terms=Terms(targets=target_terms(given), retention=given.run_retention),
        namespaces=given.resource_namespaces,
    )
