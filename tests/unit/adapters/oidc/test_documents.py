"""An issuer's documents over HTTPS, from servers that misbehave."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator

import pytest
import trustme
import urllib3

from minutehand.adapters.oidc.documents import LARGEST, HttpsDocuments
from minutehand.domain.errors import IssuerUnavailable
from tests.unit.targets.servers import Peer, Server

AUTHORITY = trustme.CA()
Serve = Callable[[bytes], str]


def _tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert("127.0.0.1").configure_cert(context)
    return context


def _trusting() -> urllib3.PoolManager:
    context = ssl.create_default_context()
    AUTHORITY.configure_trust(context)
    return urllib3.PoolManager(ssl_context=context)


def answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that sends these bytes, and returns its address."""
    servers: list[Server] = []

    def start(sent: bytes) -> str:
        def script(peer: Peer) -> None:
            peer.read_request()
            peer.send(sent)

        servers.append(Server(script, tls=_tls()).__enter__())
        return servers[-1].url("/certs")

    yield start
    for server in servers:
        server.__exit__(None, None, None)


def test_a_json_object_is_read(serve: Serve) -> None:
    assert HttpsDocuments(_trusting()).read(serve(answer(b'{"keys": []}'))) == {"keys": []}


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (answer(b"{}", "302 Found", "Location: https://127.0.0.1:1/"), "answers 302 at .*; redirects are not followed"),
        (answer(b"{}", "404 Not Found"), "answers 404"),
        (answer(b"{}", "500 Oops"), "answers 500"),
        (answer(b""), "is not JSON"),
        (answer(b"<html>"), "is not JSON"),
        (answer(b"[" * 200_000), "is not JSON"),
        (answer(b"9" * 10_000), "is not JSON"),
        (answer(b"\xff\xfe"), "is not JSON"),
        (answer(b"[]"), "is not a JSON object"),
        (answer(b'"x"'), "is not a JSON object"),
        (answer(json.dumps({"keys": "x" * LARGEST}).encode()), f"has more than {LARGEST} bytes"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", "does not answer"),
        (b"SSH-2.0\r\n", "does not answer"),
        (b"", "does not answer"),
    ],
)
@pytest.mark.thorough
def test_any_other_answer_is_refused_with_the_reason(serve: Serve, sent: bytes, reason: str) -> None:
    with pytest.raises(IssuerUnavailable, match=reason):
        HttpsDocuments(_trusting()).read(serve(sent))


@pytest.mark.parametrize(
    "script",
    [
        lambda peer: peer.stay_silent(),
        lambda peer: peer.drip(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 5_000),
        lambda peer: (peer.read_request(), peer.drip(answer(b" " * 5_000))),
    ],
    ids=["says nothing", "drips its headers", "drips its body"],
)
@pytest.mark.thorough
def test_a_server_that_takes_too_long_is_given_up(script: Callable[[Peer], None]) -> None:
    with Server(script, tls=_tls()) as server, pytest.raises(IssuerUnavailable, match=r"takes more than 0\.3 seconds"):
        HttpsDocuments(_trusting(), within=0.3).read(server.url())


def test_a_server_that_cannot_prove_its_name_is_refused(serve: Serve) -> None:
    with pytest.raises(IssuerUnavailable, match="does not answer"):
        HttpsDocuments().read(serve(answer(b"{}")))


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "file:///etc/passwd", "HTTPS://x", "", "https:/x"])
def test_only_addresses_of_https_are_read(url: str) -> None:
    with pytest.raises(IssuerUnavailable, match="does not begin with https://"):
        HttpsDocuments().read(url)


@pytest.mark.parametrize("url", ["https://", "https://[", "https://127.0.0.1:99999/", "https://user@:x/"])
def test_an_address_that_cannot_be_reached_is_no_other_error(url: str) -> None:
    with pytest.raises(IssuerUnavailable):
        HttpsDocuments().read(url)
