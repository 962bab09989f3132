"""Seed function: stores the hash of the admin token that Secrets Manager generated for the stack.

A CloudFormation custom resource: it always answers, because without an answer the deployment would wait for an hour.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3
import urllib3

from minutehand.domain.token import EVERYWHERE, Role, Token, digest_of
from minutehand.entrypoints import clients
from minutehand.entrypoints.telemetry import logger
from minutehand.entrypoints.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from minutehand.usecases.ports.tokens import Tokens


NAME = "admin"
SHORTEST_SECRET = 20
"""Shortest secret, in characters. Tokens are stored with a fast hash, so a shorter secret could be guessed from its hash."""
_PHYSICAL_ID = "minutehand-admin-token"
_LONGEST_REASON = 1000  # CloudFormation cuts an answer off at 4,096 bytes in all


def handler(event: dict[str, Any], _context: object) -> dict[str, Any] | None:
    """Handle a custom resource event and send the answer to its `ResponseURL`.

    Without a `ResponseURL`, return the answer: so the local stack calls this function where CloudFormation skips custom resources.
    """
    answered = answer(event, secret=_secret, tokens=tokens)
    if "ResponseURL" not in event:
        return answered
    send(event["ResponseURL"], answered)
    return None


def answer(event: Mapping[str, Any], *, secret: Callable[[], str], tokens: Callable[[], Tokens]) -> dict[str, Any]:
    """Handle a Create, Update or Delete event, and return the answer. A Delete keeps the token; deleting its table removes it."""
    answered = {
        "Status": "SUCCESS",
        # If this id changed in an update, CloudFormation would send a Delete for the "old" resource.
        "PhysicalResourceId": event.get("PhysicalResourceId") or _PHYSICAL_ID,
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
    }
    try:
        if event["RequestType"] != "Delete":
            _store(secret(), tokens())
    except Exception as error:  # noqa: BLE001 - the deployment must get an answer
        logger.exception("the admin token could not be stored", action="seed")
        reason = f"the admin token could not be stored: {type(error).__name__}: {error}"
        return answered | {"Status": "FAILED", "Reason": reason[:_LONGEST_REASON]}
    logger.info("request handled", action="seed", request=event["RequestType"])
    return answered


def send(url: str, answered: Mapping[str, Any]) -> None:
    """Send an answer to a presigned URL.

    Raises:
        urllib3.exceptions.HTTPError: if it cannot be sent; Lambda then retries the event.
        RuntimeError: if it is refused.
    """
    # The URL is signed for an empty content type. PUT is idempotent, so it is retried.
    response = urllib3.request(
        "PUT",
        url,
        body=json.dumps(answered).encode(),
        headers={"Content-Type": ""},
        timeout=urllib3.Timeout(connect=5, read=10),
        retries=urllib3.Retry(total=3, backoff_factor=0.5, status_forcelist=(500, 502, 503, 504)),
    )
    if response.status >= 300:
        raise RuntimeError(f"CloudFormation's answer URL refused the answer with status {response.status}")


def _store(secret: str, tokens: Tokens) -> None:
    if len(secret) < SHORTEST_SECRET:
        raise ValueError(f"the secret has {len(secret)} characters; at least {SHORTEST_SECRET} are needed")
    tokens.put(Token(digest=digest_of(secret), name=NAME, role=Role.ADMIN, namespaces=(EVERYWHERE,)))


def _secret() -> str:
    name = clients.settings().admin_token_secret
    if not name:
        raise ValueError("ADMIN_TOKEN_SECRET is not set; set it to the name of the secret that holds the token")
    return boto3.client("secretsmanager").get_secret_value(SecretId=name)["SecretString"]
