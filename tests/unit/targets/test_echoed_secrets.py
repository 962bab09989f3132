"""Secrets that a target sends back where the worker keeps a part of an answer's head."""

from __future__ import annotations

import base64

import pytest

from minutehand.domain.redaction import MASK, without
from minutehand.domain.secret_reference import SecretReference
from minutehand.targets.secrets import hidden
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import failed
from tests.unit.targets.test_secrets import secretly

SECRET = "MySecretToken-ABC-12345"
SHORT = "My-Token-ABC"
BEYOND_ASCII = "aĀ1ĀzĀ9ĀqĀ2ĀbĀ3Āc"
NAMED = (("X-A", "{{secret:ssm:/demo/token}}"),)


@pytest.mark.parametrize(
    ("secret", "headers", "kept"),
    [
        (SECRET, f"Content-Type: image/{SECRET}", f"<3 bytes of image/{MASK}>"),
        (SHORT, f"Content-Encoding: {SHORT}", f"<3 bytes of unknown type, encoded as {MASK}>"),
        (SECRET, f"Content-Encoding: {SECRET}", "<3 bytes of unknown type, encoded as unknown encoding>"),
    ],
)
def test_a_secret_in_what_describes_a_body_is_not_kept(serve: Serve, secret: str, headers: str, kept: str) -> None:
    server = serve(answering(response(b"abc", headers=headers)))
    outcome = call(server.url(), caller=secretly({"ssm:/demo/token": secret}), headers=NAMED)
    assert outcome.result is not None
    assert outcome.result.body == kept


def test_a_secret_in_the_host_of_a_redirect_is_not_kept(serve: Serve) -> None:
    location = f"Location: http://user@{SECRET}.example.test/{SECRET}"
    server = serve(answering(response(status="302 On", headers=location)))
    caller = secretly({"ssm:/demo/token": SECRET})
    error = failed(call(server.url(), caller=caller, headers=NAMED, redirects=1), "Redirect")
    assert f"points to http://{MASK}.example.test/" in error.message
    assert "secrettoken" not in repr(error).lower()


@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\r\nContent-Length: "])
def test_a_secret_beyond_ascii_in_an_answer_that_is_not_http_is_not_kept(serve: Serve, head: str) -> None:
    server = serve(answering(f"{head}{BEYOND_ASCII}\r\n\r\n".encode()))
    caller = secretly({"ssm:/demo/token": BEYOND_ASCII})
    error = failed(call(server.url(), caller=caller, query={"a": NAMED[0][1]}), "NotHttp")
    assert MASK in error.message
    assert "x80" not in error.message + error.stack


@pytest.mark.parametrize("prefix", ["whsec_", ""])
def test_each_of_several_signing_keys_is_hidden_by_itself(prefix: str) -> None:
    keys = [base64.b64encode(bytes([n]) * 32).decode() for n in (7, 8)]
    texts = {SecretReference.parse("ssm:/demo/keys"): " ".join(prefix + key for key in keys)}
    for key in keys:
        assert without(f"the key {key}", hidden(texts)) == f"the key {MASK}"
