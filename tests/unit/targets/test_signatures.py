"""Signatures of requests, verified by the package of Standard Webhooks itself."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.checks import check
from minutehand.targets.http.fields import Body, HttpTarget
from minutehand.targets.http.signing import identity_of
from minutehand.targets.http.texts import SIGNATURE_HEADERS
from minutehand.targets.terms import TargetTerms
from tests.unit.targets.conftest import SCHEDULED_FOR, call
from tests.unit.targets.servers import Server, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import failed

OK = answering(response())
NEW, OLD = (f"whsec_{base64.b64encode(bytes([n]) * 32).decode()}" for n in (1, 2))
REFERENCE = "ssm:/demo/signing-key"


def signing(*keys: str) -> dict[str, Any]:
    """Fields of a call that is signed with these keys."""
    caller = HttpCaller(allow_loopback=True)
    return {"caller": caller, "signing_key": REFERENCE, "secrets": {REFERENCE: "\n".join(keys)}}


def sent_by(server: Server) -> tuple[str, dict[str, str]]:
    """The body and the headers of the only request."""
    return server.request.partition("\r\n\r\n")[2].encode("latin-1").decode(), server.sent_headers


@pytest.mark.parametrize(
    "fields",
    [{"payload": {"a": "ü"}}, {"body": Body(text="grün {{attempt}}")}, {"body": Body(form=(("a", "ü"),))}],
)
def test_a_request_is_signed_so_that_the_standard_package_verifies_it(serve: Serve, fields: dict[str, Any]) -> None:
    server = serve(OK)
    assert call(server.url(), **signing(NEW), **fields).state is RunState.SUCCEEDED
    body, headers = sent_by(server)
    Webhook(NEW).verify(body, headers, json_parse=False)
    for wrong in ((body + " ", headers), (body, headers | {"webhook-id": "another"})):
        with pytest.raises(WebhookVerificationError):
            Webhook(NEW).verify(*wrong, json_parse=False)
    with pytest.raises(WebhookVerificationError):
        Webhook(OLD).verify(body, headers, json_parse=False)


def test_while_keys_are_replaced_a_target_may_know_either(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), **signing(NEW, OLD), payload=1)
    for key in (NEW, OLD):
        Webhook(key).verify(*sent_by(server), json_parse=False)
    assert sent_by(server)[1]["webhook-signature"].count("v1,") == 2


def test_a_request_without_a_body_is_signed(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), method="GET", **signing(NEW), payload=1)
    Webhook(NEW).verify(*sent_by(server), json_parse=False)


def test_a_receiver_that_parses_json_needs_a_payload_if_only_an_empty_one(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), **signing(NEW))
    assert sent_by(server)[0] == ""
    Webhook(NEW).verify(*sent_by(server), json_parse=False)
    with pytest.raises(json.JSONDecodeError):
        Webhook(NEW).verify(*sent_by(server))
    server = serve(OK)
    call(server.url(), **signing(NEW), payload={})
    assert Webhook(NEW).verify(*sent_by(server)) == {}


def test_the_id_is_that_of_the_run_for_each_attempt(serve: Serve) -> None:
    ids = set()
    for attempt in (1, 2):
        server = serve(OK)
        call(server.url(), **signing(NEW), attempt=attempt)
        ids.add(server.sent_headers["webhook-id"])
        at = datetime.fromtimestamp(int(server.sent_headers["webhook-timestamp"]), UTC)
        assert abs((datetime.now(UTC) - at).total_seconds()) < 300
    assert ids == {"demo/beat/20261120T090000Z"}


def test_no_dot_in_the_name_of_a_job_can_stand_for_one_between_the_signed_parts() -> None:
    key = RunKey.scheduled(JobKey(namespace="a.b", name="c.1"), SCHEDULED_FOR)
    assert identity_of(key) == "a:b/c:1/20261120T090000Z"


def test_the_headers_of_the_signature_win_over_those_of_the_job(serve: Serve) -> None:
    server = serve(OK)
    mine = (("Webhook-Id", "forged"), ("WEBHOOK-SIGNATURE", "v1,forged"))
    call(server.url(), headers=mine, **signing(NEW))
    assert "forged" not in server.request
    server = serve(OK)
    call(server.url(), headers=mine)
    assert server.sent_headers["webhook-id"] == "forged", "without a key they are headers like any other"


def test_another_origin_receives_no_signature(serve: Serve) -> None:
    end = serve(OK)
    start = serve(answering(response(status="307 On", headers=f"Location: {end.url()}")))
    call(start.url(), **signing(NEW), payload=1, redirects=1)
    assert set(SIGNATURE_HEADERS) <= start.sent_headers.keys()
    assert not set(SIGNATURE_HEADERS) & end.sent_headers.keys()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("", "has no key"),
        ("whsec_!secret", "is not base64"),
        ("whsec_ü", "is not base64"),
        ("whsec_c2VjcmV0", "has 6 bytes; write whsec_ and 24 to 64 random bytes in base64"),
    ],
)
def test_what_is_no_key_ends_the_attempt_and_appears_nowhere(serve: Serve, key: str, said: str) -> None:
    server = serve(OK)
    error = failed(call(server.url(), **signing(key)), "SigningKeyInvalid")
    assert said in error.message
    assert "secret" not in error.message.replace("whsec_ and", "") + error.stack
    assert server.connections == 0


def test_the_headers_of_a_signature_cannot_be_those_of_the_job() -> None:
    target = HttpTarget(url="https://example.com/", signing_key=REFERENCE, headers=(("Webhook-Id", "a"),))
    found = {problem.path: problem.message for problem in check(target, TargetTerms())}
    assert found == {"target.headers.Webhook-Id": "the worker itself sends Webhook-Id, with the signature"}
