"""TLS by which a server also recognizes the caller: a certificate and its key from a secret, on real sockets with a test authority."""

from __future__ import annotations

import ssl
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives import serialization

from minutehand.adapters.memory.secrets import MemorySecretStores
from minutehand.adapters.secret_cache import SecretCache
from minutehand.domain.run import RunState
from minutehand.domain.secret_prefixes import parse_prefixes
from minutehand.targets.callers import CallByType
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.fields import Tls
from minutehand.targets.terms import TargetTerms
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import failed

REFERENCES = ("ssm:/demo/first", "ssm:/demo/second", "ssm:/demo/foreign")


class Authority:
    """An authority for servers and callers, and certificates that it has issued."""

    def __init__(self) -> None:
        self.ca = trustme.CA()
        self.pem = self.ca.cert_pem.bytes().decode()

    def server(self) -> ssl.SSLContext:
        """The settings of a server that demands a certificate of this authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert("127.0.0.1", "good.example", "other.example").configure_cert(context)
        context.verify_mode = ssl.CERT_REQUIRED
        self.ca.configure_trust(context)
        return context

    def client(self, name: str) -> str:
        """A certificate with its private key, in PEM."""
        issued = self.ca.issue_cert(f"{name}@example.com", common_name=name)
        return issued.private_key_and_cert_chain_pem.bytes().decode()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def stores(authority: Authority) -> MemorySecretStores:
    certificates = authority.client("first"), authority.client("second"), Authority().client("foreign")
    return MemorySecretStores(dict(zip(REFERENCES, certificates, strict=True)))


@pytest.fixture
def caller(stores: MemorySecretStores) -> Any:
    """A caller for whom every name is on this machine."""
    http = HttpCaller(allow_loopback=True, lookup=lambda host: ["127.0.0.1"])
    terms = TargetTerms(secret_prefixes=parse_prefixes("demo=ssm:/demo/"), secrets=SecretCache(stores))
    return CallByType({"http": lambda _: http}, terms)


def names(peer: Peer) -> bytes:
    """An answer with the common name in the caller's certificate."""
    connection: Any = peer.connection
    subject = dict(pair for (pair,) in connection.getpeercert()["subject"])
    return response(str(subject["commonName"]).encode(), headers="Connection: keep-alive\r\nContent-Type: text/plain")


def naming(peer: Peer) -> None:
    while True:
        peer.read_request()
        peer.send(names(peer))


def body_of(outcome: Any) -> str:
    assert outcome.result is not None, outcome
    body: str = outcome.result.body
    return body


def test_a_server_recognizes_the_caller_by_its_certificate(serve: Serve, authority: Authority, caller: Any) -> None:
    server = serve(naming, tls=authority.server())
    for reference, name in ((REFERENCES[0], "first"), (REFERENCES[1], "second")):
        tls = Tls(ca=authority.pem, client_certificate=reference)
        assert body_of(call(server.url(host="good.example"), caller=caller, tls=tls)) == name


@pytest.mark.parametrize("reference", ["", REFERENCES[2]])
def test_without_a_certificate_that_it_trusts_a_server_refuses_the_call(
    serve: Serve, authority: Authority, caller: Any, reference: str
) -> None:
    server = serve(naming, tls=authority.server())
    tls = Tls(ca=authority.pem, client_certificate=reference)
    outcome = call(server.url(host="good.example"), caller=caller, tls=tls)
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type in ("TlsFailed", "ConnectionLost")
    assert not server.requests


def test_a_kept_connection_serves_only_calls_with_the_same_certificate(
    serve: Serve, authority: Authority, caller: Any, stores: MemorySecretStores
) -> None:
    server = serve(naming, tls=authority.server())
    by, url = {name: Tls(ca=authority.pem, client_certificate=name) for name in ("", *REFERENCES)}, server.url()
    assert [body_of(call(url, caller=caller, tls=by[REFERENCES[n]])) for n in (0, 1, 0, 1)] == [
        "first", "second", "first", "second",
    ]  # fmt: skip
    assert server.connections == 2
    assert call(url, caller=caller, tls=by[""]).state is RunState.FAILED
    assert len(server.requests) == 4


def test_another_origin_does_not_see_the_certificate(serve: Serve, authority: Authority, caller: Any) -> None:
    seen = []

    def curious(peer: Peer) -> None:
        connection: Any = peer.connection
        seen.append(connection.getpeercert())
        peer.read_request()
        peer.send(response(b"reached"))

    asking = authority.server()
    asking.verify_mode = ssl.CERT_OPTIONAL
    other = serve(curious, tls=asking)
    first = serve(
        answering(response(status="307 On", headers=f"Location: {other.url(host='other.example')}")),
        tls=authority.server(),
    )
    tls = Tls(ca=authority.pem, client_certificate=REFERENCES[0])
    assert body_of(call(first.url(host="good.example"), caller=caller, tls=tls, redirects=1)) == "reached"
    assert seen == [None]


def test_the_same_origin_sees_it_again_after_a_redirect(serve: Serve, authority: Authority, caller: Any) -> None:
    def script(peer: Peer) -> None:
        moved = b" /b " not in peer.read_request()
        peer.send(response(status="307 On", headers="Location: /b") if moved else names(peer))

    server = serve(script, tls=authority.server())
    tls = Tls(ca=authority.pem, client_certificate=REFERENCES[0])
    assert body_of(call(server.url("/a"), caller=caller, tls=tls, redirects=1)) == "first"


def test_a_key_with_a_password_is_refused_and_nobody_is_asked_for_it(caller: Any, stores: MemorySecretStores) -> None:
    given = stores.texts[REFERENCES[0]] or ""
    key = serialization.load_pem_private_key(given.encode(), None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"password"),
    )
    stores.texts[REFERENCES[0]] = locked.decode() + given[given.index("-----BEGIN CERTIFICATE") :]
    outcome = call("https://good.example/", caller=caller, tls=Tls(client_certificate=REFERENCES[0]))
    error = failed(outcome, "ClientCertificateInvalid")
    assert "without a password" in error.message
    assert "PRIVATE KEY" not in repr(outcome)
    assert outcome.final
