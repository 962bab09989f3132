"""Secrets of a call: read just before it, sent where the target names them, and in nothing that is kept."""

from __future__ import annotations

import json
import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from minutehand.adapters.memory.secrets import MemorySecretStores
from minutehand.adapters.secret_cache import ERROR_LASTS, SecretCache
from minutehand.domain.run import RunState
from minutehand.domain.secret_prefixes import parse_prefixes
from minutehand.domain.secret_reference import SecretReference
from minutehand.targets.callers import CallByType, load_callers
from minutehand.targets.http.fields import Body, Tls
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.target import SecretTexts
from tests.unit.targets.conftest import SCHEDULED_FOR, call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import failed

OK = answering(response(b"fine"))
PREFIXES = "demo=ssm:/demo/,demo=secretsmanager:demo/"
TEXTS: dict[str, str | None] = {
    "ssm:/demo/token": 'bearer/t0ken+"quoted"',
    "secretsmanager:demo/db": '{"user": "report", "password": "correct horse, battery"}',
    "secretsmanager:demo/binary": None,
    "ssm:/demo/pin": "123",
    "ssm:/demo/lines": "two\nlines",
}
PASSWORD = "correct horse, battery"
HEADER, QUERY = "Bearer {{secret:ssm:/demo/token}}", "{{ secret:secretsmanager:demo/db#password }}"


def secretly(texts: dict[str, str | None] = TEXTS, prefixes: str = PREFIXES, secrets: Any = None) -> Any:
    """A caller of a worker that has these secrets."""
    terms = TargetTerms(
        allow_loopback=True,
        secret_prefixes=parse_prefixes(prefixes),
        secrets=secrets or SecretCache(MemorySecretStores(texts)),
    )
    return CallByType(load_callers("http"), terms)


def test_secrets_are_sent_in_headers_query_and_json(serve: Serve) -> None:
    server = serve(OK)
    body = Body(json={"auth": ["{{secret:ssm:/demo/token}}", {"and": f"{QUERY} of {{{{name}}}}"}]})
    headers = (("Authorization", HEADER),)
    outcome = call(server.url(), caller=secretly(), headers=headers, query={"p": QUERY}, body=body)
    assert outcome.state is RunState.SUCCEEDED
    head, _, sent = server.request.partition("\r\n\r\n")
    assert server.sent_headers["authorization"] == 'Bearer bearer/t0ken+"quoted"'
    assert parse_qs(urlsplit(head.split()[1]).query) == {"p": [PASSWORD]}
    assert json.loads(sent) == {"auth": ['bearer/t0ken+"quoted"', {"and": f"{PASSWORD} of beat"}]}


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        (Body(form=(("p", QUERY),)), "p=correct+horse%2C+battery"),
        (Body(text=f"<p>{QUERY}</p>"), f"<p>{PASSWORD}</p>"),
    ],
)
def test_secrets_are_sent_in_other_bodies(serve: Serve, body: Body, sent: str) -> None:
    server = serve(OK)
    call(server.url(), caller=secretly(), body=body)
    assert server.request.endswith(f"\r\n\r\n{sent}")


REFUSED = {
    "ssm:/shop/key": ("SecretNotAllowed", "jobs of the namespace demo may not use the secret ssm:/shop/key"),
    "ssm:/demo/none": ("SecretNotFound", "there is no secret ssm:/demo/none"),
    "secretsmanager:demo/db#none": ("SecretInvalid", "has no such key"),
    "ssm:/demo/token#key": ("SecretInvalid", "is not a JSON object"),
    "secretsmanager:demo/binary": ("SecretInvalid", "is not a text but binary"),
    "ssm:/demo/pin": ("SecretInvalid", "fewer than 4 characters"),
    "ssm:/demo/lines": ("InvalidRequest", "contains a line break"),
}


@pytest.mark.parametrize("reference", REFUSED)
def test_a_secret_that_cannot_be_used_ends_the_run_without_a_call(serve: Serve, reference: str) -> None:
    server, (kind, said) = serve(OK), REFUSED[reference]
    headers = (("X-A", f"{{{{secret:{reference}}}}}"),)
    outcome = call(server.url(), caller=secretly(), headers=headers)
    error = failed(outcome, kind)
    assert error.message.startswith("target.headers.X-A")
    assert said in error.message
    assert outcome.final
    assert not [text for text in ("t0ken", "horse", "nlines") if text in repr(outcome)]
    assert server.connections == 0


def test_a_setting_that_has_changed_since_the_job_was_saved_holds(serve: Serve) -> None:
    server, stores = serve(OK), MemorySecretStores(TEXTS)
    for prefixes in ("", "other=ssm:/demo/", "demo=ssm:/dem"):
        caller = secretly(prefixes=prefixes, secrets=SecretCache(stores))
        outcome = call(server.url(), caller=caller, headers=(("X-A", HEADER),))
        failed(outcome, "SecretNotAllowed")
        assert outcome.final
    assert not stores.reads
    assert server.connections == 0


def test_a_store_that_does_not_answer_fails_the_attempt_and_another_may_follow(serve: Serve) -> None:
    server, stores = serve(OK), MemorySecretStores(TEXTS)
    now = [SCHEDULED_FOR]
    caller = secretly(secrets=SecretCache(stores, lambda: now[0]))
    stores.answers = False
    outcome = call(server.url(), caller=caller, headers=(("X-A", HEADER),))
    assert "ssm did not answer" in failed(outcome, "SecretUnavailable").message
    assert not outcome.final
    stores.answers = True
    now[0] += ERROR_LASTS
    assert call(server.url(), caller=caller, headers=(("X-A", HEADER),)).state is RunState.SUCCEEDED


def hanging() -> tuple[threading.Event, Any]:
    """Secrets of a store that does not answer before the event is set."""
    go = threading.Event()

    def fetch(reference: SecretReference) -> str:
        assert go.wait(20)
        return "a secret text"

    return go, SecretCache(fetch)


def test_a_call_does_not_wait_longer_for_a_secret_than_its_time_limit(serve: Serve) -> None:
    server, (go, secrets) = serve(OK), hanging()
    outcome = call(server.url(), caller=secretly(secrets=secrets), headers=(("X-A", HEADER),), timeout=0.2)
    go.set()
    error = failed(outcome, "SecretUnavailable")
    assert "ssm:/demo/token could not be read within the time limit of the call" in error.message
    assert not outcome.final
    assert server.connections == 0


def test_a_run_that_is_cancelled_stops_waiting_for_a_secret(serve: Serve) -> None:
    go, secrets = hanging()
    caller = secretly(secrets=secrets)
    outcome = call(serve(OK).url(), caller=caller, headers=(("X-A", HEADER),), cancelled=lambda: True)
    go.set()
    assert outcome.state is RunState.CANCELLED
    assert outcome.error is not None
    assert "because the run was cancelled" in outcome.error.message


def test_each_secret_is_read_once_however_often_it_is_named(serve: Serve) -> None:
    stores = MemorySecretStores(TEXTS)
    caller = secretly(secrets=SecretCache(stores))
    for _ in range(2):
        body = Body(json=[QUERY, "{{secret:secretsmanager:demo/db#user}}", QUERY])
        assert call(serve(OK).url(), caller=caller, body=body, query={"p": QUERY}).state is RunState.SUCCEEDED
    assert stores.reads == ["secretsmanager:demo/db"]


def test_a_value_of_the_run_that_looks_like_a_reference_stays_a_text(serve: Serve) -> None:
    server, stores = serve(OK), MemorySecretStores(TEXTS)
    caller, payload = secretly(secrets=SecretCache(stores)), {"a": HEADER}
    fields: dict[str, Any] = {
        "headers": (("X-A", "{{payload.a}}"),),
        "body": Body(json=["{{payload.a}}", "{{payload}}"]),
    }
    assert call(server.url(), caller=caller, payload=payload, **fields).state is RunState.SUCCEEDED
    assert server.sent_headers["x-a"] == HEADER
    assert json.loads(server.request.partition("\r\n\r\n")[2]) == [HEADER, payload]
    server = serve(OK)
    assert call(server.url(), caller=caller, payload=payload).state is RunState.SUCCEEDED
    assert json.loads(server.request.partition("\r\n\r\n")[2]) == payload
    assert not stores.reads


SENT_ON = [
    {"headers": (("Accept", QUERY), ("User-Agent", QUERY), ("X-A", QUERY))},
    {"query": {"p": QUERY}},
    {"body": Body(json=[QUERY])},
    {"body": Body(form=(("p", QUERY),))},
    {"body": Body(text=QUERY)},
]


@pytest.mark.parametrize("fields", SENT_ON)
@pytest.mark.parametrize("status", ["303", "307"])
def test_no_secret_travels_to_another_origin(serve: Serve, fields: dict[str, Any], status: str) -> None:
    other = serve(OK)
    first = serve(answering(response(status=f"{status} On", headers=f"Location: {other.url('/b')}")))
    outcome = call(first.url(), caller=secretly(), redirects=1, **fields)
    assert "horse" in first.request
    if "body" in fields and status == "307":
        assert "another origin, which must not receive the secret" in failed(outcome, "Redirect").message
        assert other.connections == 0
    else:
        assert outcome.state is RunState.SUCCEEDED
        assert "horse" not in other.request


def test_the_same_origin_receives_the_secrets_again(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        moved = b" /b " not in peer.read_request()
        peer.send(response(status="307 On", headers="Location: /b") if moved else response(b"fine"))

    server = serve(script)
    fields: dict[str, Any] = {"headers": (("X-A", QUERY),), "body": Body(text=QUERY)}
    assert call(server.url("/a"), caller=secretly(), redirects=1, **fields).state is RunState.SUCCEEDED
    assert [request.count(PASSWORD.encode()) for request in server.requests] == [2, 2]


def test_the_secrets_of_a_call_are_not_shown_with_it() -> None:
    assert repr(SecretTexts({SecretReference.parse("ssm:/a/b"): "hidden"})) == "<1 secrets>"


def test_a_certificate_that_is_none_ends_the_run_and_appears_nowhere(serve: Serve) -> None:
    server = serve(OK)
    for text in ("hidden-text", "-----BEGIN PRIVATE KEY-----\nhidden-text\n-----END PRIVATE KEY-----\n"):
        caller = secretly({"ssm:/demo/certificate": text})
        url = server.url().replace("http://", "https://")
        outcome = call(url, caller=caller, tls=Tls(client_certificate="ssm:/demo/certificate"))
        error = failed(outcome, "ClientCertificateInvalid")
        assert "is no certificate with its private key" in error.message
        assert "hidden-text" not in repr(outcome)
        assert outcome.final
    assert server.connections == 0
