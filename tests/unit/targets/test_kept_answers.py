"""Nothing that is kept of a call has one of its secrets, or the token of its attempt, whatever the target answers."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from minutehand.targets.http.fields import Body
from minutehand.usecases.ports.target import Outcome
from tests.unit.targets.conftest import TOKEN, call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_secrets import HEADER, QUERY, secretly


def echo(peer: Peer) -> None:
    """Answers with the request, as it came, as JSON and as base64."""
    text = peer.read_request().decode("latin-1")
    peer.send(response("\n".join((text, json.dumps({"got": text}), base64.b64encode(text.encode()).decode())).encode()))


def no_secret_in(outcome: Outcome, *others: str) -> None:
    """Assert that no secret, nor a long piece of one, is in any text of an outcome."""
    for text in ('t0ken+"quo', "orrect horse", *others):
        for form in (text, json.dumps(text)[1:-1], base64.b64encode(text[:9].encode()).decode()[:-2]):
            assert form not in repr(outcome), form


def test_a_target_that_answers_with_all_it_got_leaves_no_secret_and_no_token(serve: Serve) -> None:
    fields: dict[str, Any] = {"headers": (("Authorization", HEADER),), "query": {"p": QUERY}}
    for body in (Body(json=[QUERY]), Body(form=(("p", QUERY),)), Body(text=QUERY)):
        server = serve(echo)
        outcome = call(server.url(), caller=secretly(), body=body, callback_url="https://api.test/c", **fields)
        assert outcome.result is not None
        assert TOKEN in server.request
        assert outcome.result.body.count("****") >= 9
        no_secret_in(outcome, TOKEN)


def test_the_token_is_removed_from_the_answer_of_a_target_without_secrets(serve: Serve) -> None:
    outcome = call(serve(echo).url(), caller=secretly(), callback_url="https://api.test/c")
    assert outcome.result is not None
    assert TOKEN not in outcome.result.body
    assert base64.b64encode(TOKEN.encode()).decode()[4:12] not in outcome.result.body


def in_chunks(text: bytes, size: int) -> bytes:
    pieces = (text[n : n + size] for n in range(0, len(text), size))
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


def at_the_limit(text: bytes) -> bytes:
    """An answer of which the part that is read ends in the middle of a text."""
    return response(b"x" * (1024 * 1024 - len(text) // 2) + text + b"y" * 100)


ERRORS: dict[str, Callable[[bytes], bytes]] = {
    "an error's body": lambda text: response(text, status="500 No"),
    "its own reason": lambda text: response(status=f"599 {text.decode()}"),
    "a redirect": lambda text: response(status="302 On", headers=f"Location: /a?b={text.decode()}#/{text.decode()}"),
    "a redirect's path": lambda text: response(
        status="302 On", headers="Location: /" + text.decode().replace(" ", "%20")
    ),
    "a long path": lambda text: response(status="302 On", headers=f"Location: /{'x' * 265}{text.decode()}"),
    "a length": lambda text: response(headers=f"Content-Length: {text.decode()}"),
    "what is not HTTP": lambda text: b"NOT HTTP " + text + b"\r\n\r\n",
    "many chunks": lambda text: in_chunks(text, 3),
    "a body that breaks off": lambda text: response(text[:-4], length=len(text)),
    "a body at the limit": at_the_limit,
}


@pytest.mark.parametrize("answer", ERRORS.values(), ids=ERRORS)
@pytest.mark.parametrize("redirects", [0, 1])
@pytest.mark.thorough
def test_no_secret_is_in_what_is_kept_of(serve: Serve, answer: Callable[[bytes], bytes], redirects: int) -> None:
    for secret in ("correct horse, battery", TOKEN):
        server = serve(answering(answer(secret.encode())))
        outcome = call(server.url(), caller=secretly(), headers=(("X-Password", QUERY),), redirects=redirects)
        assert server.requests
        no_secret_in(outcome, TOKEN[:10], TOKEN[-10:], "correct ho", "battery"[:-2] if "horse" in secret else "?")


def test_a_signing_key_that_a_target_answers_with_is_removed(serve: Serve) -> None:
    keys = [base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2)]
    texts: dict[str, str | None] = {"ssm:/demo/keys": " ".join(f"whsec_{key}" for key in keys)}
    for answered in (keys[1], f"whsec_{keys[0]}"):
        server = serve(answering(response(answered.encode())))
        outcome = call(server.url(), caller=secretly(texts), signing_key="ssm:/demo/keys")
        assert server.sent_headers["webhook-signature"].count("v1,") == 2
        assert outcome.result is not None
        assert outcome.result.body in ("****", "whsec_****")
