"""Authorizer function: tells API Gateway whether the token of a request is known.

The answer lets a known token call every route, because the gateway caches one answer for all routes. The API function decides
what the token may do, from the context in the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.entrypoints.clients import starts_from_a_snapshot
    from minutehand.entrypoints.telemetry import logger
    from minutehand.entrypoints.tokens import tokens
    from minutehand.usecases.authorize import authorize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from minutehand.usecases.ports.tokens import Tokens


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Answer an event of a TOKEN or a REQUEST authorizer.

    Raises:
        Exception: with the text `Unauthorized`, which the gateway turns into 401, for an unknown token.
    """
    return answer(event, tokens())


def answer(event: Mapping[str, Any], tokens: Tokens) -> dict[str, Any]:
    """The answer to API Gateway: a policy that lets the token in the event call the API. Raises as `handler` does."""
    token = authorize(tokens, _header(event))
    if token is None:
        logger.info("token refused", action="authorize")
        raise Exception("Unauthorized")  # noqa: TRY002 - the gateway answers 401 for exactly this text, else 500
    api, stage, *_ = event["methodArn"].split("/")  # arn:aws:execute-api:region:account:api/stage/GET/path
    whole_stage = f"{api}/{stage}/*"
    return {
        "principalId": token.name,
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": whole_stage}],
        },
        # The gateway passes on text, numbers and booleans, but no lists.
        "context": {"token": token.name, "role": token.role.value, "namespaces": ",".join(token.namespaces)},
    }


def _header(event: Mapping[str, Any]) -> str | None:
    if event.get("type") != "REQUEST":
        return event.get("authorizationToken")
    headers: Mapping[str, str] = event.get("headers") or {}
    return next((value for name, value in headers.items() if name.lower() == "authorization"), None)


if starts_from_a_snapshot():
    tokens()
