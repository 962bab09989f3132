"""Seed function: makes the first admin token, keeps it as an encrypted parameter, and stores its hash.

A CloudFormation custom resource, since CloudFormation itself cannot make encrypted parameters. It always answers: without an answer
the deployment would wait for an hour.
"""

from __future__ import annotations

import secrets
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from minutehand.adapters.parameters import SecretParameter
from minutehand.domain.token import EVERYWHERE, Role, Token, digest_of
from minutehand.entrypoints import clients
from minutehand.entrypoints.custom_resource import answer_to, fitting, send
from minutehand.entrypoints.metrics import measured
from minutehand.entrypoints.telemetry import logger
from minutehand.entrypoints.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from minutehand.usecases.ports.tokens import Tokens


NAME = "admin"
SHORTEST_SECRET = 20
"""Shortest secret, in characters. Tokens are stored with a fast hash, so a shorter secret could be guessed from its hash."""
DESCRIPTION = "The first admin token of Minutehand's API."
PHYSICAL_ID, NOT_CREATED = "minutehand-admin-token", "minutehand-admin-token-not-created"
"""Physical ids of the resource: created, and not. CloudFormation deletes what it could not create, too; that Delete has the second id."""


@measured
def handler(event: dict[str, Any], _context: object) -> dict[str, Any] | None:
    """Handle a custom resource event and send the answer to its `ResponseURL`.

    Without a `ResponseURL`, return the answer: so the local stack calls this function where CloudFormation skips custom resources.
    """
    answered = answer(event, parameter=_parameter, tokens=tokens)
    if "ResponseURL" not in event:
        return answered
    send(event["ResponseURL"], answered)
    return None


class Parameter(Protocol):
    """The parameter that keeps the admin token (`adapters/parameters.py`)."""

    @property
    def name(self) -> str:
        """Its name."""

    def read(self) -> str | None:
        """The secret; None if there is none."""

    def create(self, secret: str, description: str) -> bool:
        """Store a secret unless there is one. Returns whether it was stored."""

    def delete(self) -> bool:
        """Delete the secret, if there is one. Returns whether this function may."""


def answer(
    event: Mapping[str, Any], *, parameter: Callable[[], Parameter], tokens: Callable[[], Tokens]
) -> dict[str, Any]:
    """Handle a Create, Update or Delete event, and return the answer.

    Only a Create makes the token: an operator may delete the parameter once the token is copied. A Delete deletes the parameter and keeps
    the hash, which goes with its table. One that is not allowed succeeds, since no failure may keep a stack from being deleted.
    """
    request = event["RequestType"]
    # If the physical id changed in an update, CloudFormation would send a Delete for the "old" resource.
    answered = answer_to(event, event.get("PhysicalResourceId") or PHYSICAL_ID)
    try:
        if request == "Create":
            _store(_made(parameter()), tokens())
        elif request == "Update":
            _update(parameter(), tokens)
        elif answered["PhysicalResourceId"] != NOT_CREATED:
            _delete(parameter())
    except Exception as error:  # noqa: BLE001 - the deployment must get an answer
        failure = f"the admin token could not be {'deleted' if request == 'Delete' else 'stored'}"
        logger.exception(failure, action="seed")
        return fitting(
            answered
            | {
                "Status": "FAILED",
                "Reason": f"{failure}: {type(error).__name__}: {error}",
                "PhysicalResourceId": NOT_CREATED if request == "Create" else answered["PhysicalResourceId"],
            }
        )
    logger.info("request handled", action="seed", request=request)
    return answered


def _made(parameter: Parameter) -> str:
    """The secret in the parameter, which this makes if there is none.

    ◆ The parameter is written before the hash, and never replaced: CloudFormation and Lambda may send an event twice, and both must
    find one secret.
    """
    made = secrets.token_urlsafe(30)
    if (kept := parameter.read()) is None:
        kept = made if parameter.create(made, DESCRIPTION) else parameter.read()
    if kept is None:
        raise ValueError(f"the parameter {parameter.name} was deleted while this function read it; deploy again")
    return _checked(kept, parameter)


def _update(parameter: Parameter, tokens: Callable[[], Tokens]) -> None:
    if (kept := parameter.read()) is None:
        logger.warning("the parameter is missing and not made anew", action="seed", parameter=parameter.name)
    else:
        _store(_checked(kept, parameter), tokens())


def _delete(parameter: Parameter) -> None:
    if not parameter.delete():
        logger.warning("not allowed to delete the parameter: delete it", action="seed", parameter=parameter.name)


def _checked(secret: str, parameter: Parameter) -> str:
    if len(secret) < SHORTEST_SECRET:
        raise ValueError(
            f"the parameter {parameter.name} has {len(secret)} characters; at least {SHORTEST_SECRET} are needed"
        )
    return secret


def _store(secret: str, tokens: Tokens) -> None:
    tokens.put(Token(digest=digest_of(secret), name=NAME, role=Role.ADMIN, namespaces=(EVERYWHERE,)))


@cache
def _parameter() -> SecretParameter:
    given = clients.settings()
    if not given.admin_token:
        raise ValueError("ADMIN_TOKEN is not set; set it to the name of the parameter that holds the token")
    return SecretParameter(clients.ssm(), given.admin_token, given.admin_token_key)
