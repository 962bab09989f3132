"""The endpoints of tokens. Those that change tokens, and those that list them, are served by a function of their own (`access`)."""

from __future__ import annotations

import secrets
from datetime import datetime

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import floor
from minutehand.domain.token import Token, digest_of
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.tokens import (
    CreatedTokenDocument,
    TokenDocument,
    TokenRequest,
    caller_document,
)
from minutehand.entrypoints.api.forms.invalid import read_body
from minutehand.entrypoints.api.forms.request import limit_of
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.usecases import tokens


def list_tokens(call: Call) -> Response[str]:
    """List the tokens that reach only namespaces of which the caller is an admin."""
    limit = limit_of(call.query, 50)
    with invalid_as_bad_request():
        found = tokens.page(call.tokens, call.caller, limit=limit, cursor=call.query.get("cursor"))
    return page(map(_document, found.items), found.next)


def create_token(call: Call) -> Response[str]:
    """Make a token with at most the caller's own namespaces and time. Only this answer has its secret."""
    request = read_body(call.event, TokenRequest)
    secret = secrets.token_urlsafe(30)
    now = call.deployment.clock()
    made = Token(
        digest=digest_of(secret),
        name=request.name,
        role=request.role,
        namespaces=request.namespaces,
        created_at=now,
        created_by=call.caller.name,
        expires_at=_expiry(request, now),
    )
    tokens.create(call.tokens, made, _asking(call), key=call.idempotency_key)
    call.log("create_token", what="token_id", named=made.id, role=made.role.value, namespaces=list(made.namespaces))
    document = CreatedTokenDocument(id=made.id, token=made, secret=secret)
    return answered(201, document, tokens.version_of(made))


def get_token(call: Call) -> Response[str]:
    """Get a token, without its secret."""
    return _answered(tokens.get(call.tokens, call.path["token_id"], call.caller))


def revoke_token(call: Call) -> Response[str]:
    """Revoke a token: it is deleted, and refused everywhere within 30 seconds."""
    revoked = tokens.revoke(call.tokens, call.path["token_id"], _asking(call), only_if=call.only_if)
    call.log("revoke_token", what="token_id", named=revoked.id)
    return answered(204)


def get_own_token(call: Call) -> Response[str]:
    """Get the token, the person or the principal that sends this request, and what it may do."""
    return answered(200, caller_document(call.caller))


def _asking(call: Call) -> tokens.Asking:
    return tokens.Asking(call.caller, call.actor, call.deployment.clock(), call.deployment.audit_retention)


def _expiry(request: TokenRequest, now: datetime) -> datetime | None:
    if request.expires_in is None:
        return request.expires_at
    if request.expires_at is not None:
        raise Invalid(FieldProblem("expires_in", "`expires_at` is given, too", "leave one of the two out"))
    return floor(now + request.expires_in)  # in whole seconds, as `expires_at` is written


def _answered(token: Token) -> Response[str]:
    return answered(200, _document(token), tokens.version_of(token))


def _document(token: Token) -> TokenDocument:
    return TokenDocument(id=token.id, token=token)
