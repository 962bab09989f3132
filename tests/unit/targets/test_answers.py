"""Answers: success, failure, redirect, and the beginning of the body."""

import gzip
import logging
from collections.abc import Callable

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.targets.http.response import BODY_BYTES, DESCRIBED_BYTES
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, Server, answering, response

Serve = Callable[..., Server]


@pytest.mark.parametrize("status", ["200 OK", "201 Created", "204 No Content", "299 Whatever"])
def test_any_2xx_is_success(serve: Serve, status: str) -> None:
    outcome = call(serve(answering(response(status=status))).url())
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.error is None
    assert outcome.result == Result(type="http", status=int(status[:3]), body="")


def test_the_body_is_kept_as_text(serve: Serve) -> None:
    outcome = call(serve(answering(response("grüße".encode()))).url())
    assert outcome.result == Result(type="http", status=200, body="grüße")


def test_another_status_is_a_failure_that_names_status_method_and_url(serve: Serve) -> None:
    server = serve(answering(response(b"try later", status="503 Nope")))
    outcome = call(server.url("/path"))
    assert outcome.state is RunState.FAILED
    assert outcome.result == Result(type="http", status=503, body="try later")
    assert outcome.error is not None
    assert outcome.error.type == "HttpStatus"
    assert outcome.error.message == f"503 Service Unavailable from POST {server.url('/path')}"


def test_a_status_without_a_standard_phrase_keeps_the_servers_own(serve: Serve) -> None:
    outcome = call(serve(answering(response(status="599 Cat\x07 asleep"))).url())
    assert outcome.error is not None
    assert outcome.error.message.startswith("599 Cat asleep from POST http")


def test_a_redirect_is_not_followed_and_its_location_is_shown(serve: Serve) -> None:
    elsewhere = serve(answering(response()))
    location = f"Location: {elsewhere.url('/new?token=secret')}"
    outcome = call(serve(answering(response(status="302 Found", headers=location))).url())
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "Redirect"
    assert elsewhere.url("/new") in outcome.error.message
    assert "final URL" in outcome.error.message
    assert "secret" not in outcome.error.message
    assert elsewhere.connections == 0


def test_a_relative_redirect_is_shown_as_a_full_url(serve: Serve) -> None:
    server = serve(answering(response(status="308 Permanent Redirect", headers="Location: ../b")))
    outcome = call(server.url("/a/a"))
    assert outcome.error is not None
    assert f"points to {server.url('/b')};" in outcome.error.message


@pytest.mark.parametrize("location", ["http://[", "http://h:99999999/", "http://a b/"])
def test_a_redirect_to_an_invalid_location_is_still_a_redirect(serve: Serve, location: str) -> None:
    outcome = call(serve(answering(response(status="301 Moved", headers=f"Location: {location}"))).url())
    assert outcome.error is not None
    assert outcome.error.type == "Redirect"
    assert outcome.result is not None
    assert outcome.result.status == 301


def test_query_and_password_appear_in_no_message_log_or_stack(
    serve: Serve, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    odd_headers = b"HTTP/1.1 500 Oops\r\nno colon here\r\nContent-Length: 0\r\n\r\n"
    for answer in (response(status="500 Oops"), odd_headers, b"garbage\r\n\r\n", b""):
        server = serve(answering(answer))
        url = server.url("/p?token=secret1#secret2").replace("http://", "http://user:secret3@")
        outcome = call(url)
        assert outcome.error is not None
        assert "/p" in outcome.error.message
        assert "secret" not in outcome.error.message + outcome.error.stack + caplog.text
        assert server.requests[0].startswith(b"POST /p?token=secret1 HTTP/1.1\r\n")


def test_a_huge_body_is_cut_and_the_call_ends_without_the_rest(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"x" * 2_000_000, length=10**12))
        peer.stay_silent()

    outcome = call(serve(script).url())
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.result is not None
    assert outcome.result == Result(type="http", status=200, body="x" * BODY_BYTES, cut=True)


def test_a_long_body_is_kept_whole(serve: Serve) -> None:
    outcome = call(serve(answering(response(b"x" * 1_000_000))).url())
    assert outcome.result == Result(type="http", status=200, body="x" * 1_000_000)


def test_only_the_beginning_of_a_binary_body_is_read(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"\x89PNG" + b"x" * DESCRIBED_BYTES, length=10**6, headers="Content-Type: image/png"))
        peer.stay_silent()

    outcome = call(serve(script).url())
    assert outcome.result == Result(type="http", status=200, body="<1,000,000 bytes of image/png>")


def test_an_endless_chunked_body_is_cut(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            peer.send(b"2710\r\n" + b"hello" * 2000 + b"\r\n")

    outcome = call(serve(script).url())
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.result is not None
    assert outcome.result.cut
    assert outcome.result.body == ("hello" * 210_000)[:BODY_BYTES]


def test_a_call_ends_although_the_server_keeps_the_connection_open(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"all of it"))
        peer.stay_silent()

    outcome = call(serve(script).url())
    assert outcome.result == Result(type="http", status=200, body="all of it")


def test_the_answer_to_head_has_no_body(serve: Serve) -> None:
    outcome = call(serve(answering(response(length=500))).url(), method="HEAD")
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.result == Result(type="http", status=200, body="")


def test_an_answer_sent_before_the_request_was_read_counts(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.connection.recv(100)
        peer.send(response(b"too big", status="413 Too Large"))
        peer.stay_silent()

    outcome = call(serve(script).url(), payload="x" * 1_000)
    assert outcome.result == Result(type="http", status=413, body="too big")


def test_an_answer_counts_when_the_server_closes_without_reading_the_rest(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.connection.recv(100)
        peer.send(response(b"too big", status="413 Too Large"))

    outcome = call(serve(script).url(), payload="x" * 20_000_000)
    assert outcome.result == Result(type="http", status=413, body="too big")


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/plain; charset=latin-1", "grün".encode("latin-1"), "grün"),
        ('text/plain; format=flowed; charset="UTF-16"', "grün".encode("utf-16"), "grün"),
        ("text/plain; charset=shift_jis", "日本".encode("shift_jis"), "日本"),
        ("text/plain; charset=klingon", "grün".encode(), "grün"),
        ("text/plain; charset=rot13", b"abc", "abc"),
        ("text/plain; charset=unicode_escape", rb"\ud800", r"\ud800"),
        ("text/plain; charset=utf-7", b"a+2AA-b", "a?b"),
        ("text/plain", b"gr\xfcn", "gr\ufffdn"),
        ("application/json; charset=utf-8", b'{"a": "\xff"}', '{"a": "\ufffd"}'),
        ("application/problem+json", b"\xff{}", "\ufffd{}"),
        ("image/svg+xml", b"<svg/>", "<svg/>"),
        ("", "grün".encode(), "grün"),
        ("application/octet-stream", b"plain after all", "plain after all"),
        ("image/png", b"abc", "<3 bytes of image/png>"),
        ("image/png", b"a", "<1 byte of image/png>"),
        ("image/png", b"\x89PNG" + b"\0" * 5000, "<5,004 bytes of image/png>"),
        ("application/pdf", b"%PDF\xff\xfe", "<6 bytes of application/pdf>"),
        ("", b"\xff\xfe\0", "<3 bytes of unknown type>"),
        ("text/plain", b"a\0b", "<3 bytes of text/plain>"),
        ("not a type\x01", b"\0", "<1 byte of unknown type>"),
    ],
)
def test_a_body_becomes_text_or_a_description(serve: Serve, content_type: str, body: bytes, text: str) -> None:
    outcome = call(serve(answering(response(body, headers=f"Content-Type: {content_type}"))).url())
    assert outcome.result is not None
    assert outcome.result.body == text


def test_an_unrequested_compressed_body_is_described(serve: Serve) -> None:
    body = gzip.compress(b"hello")
    outcome = call(serve(answering(response(body, headers="Content-Type: text/plain\r\nContent-Encoding: gzip"))).url())
    assert outcome.result is not None
    assert outcome.result.body == f"<{len(body)} bytes of text/plain, encoded as gzip>"


def test_a_binary_body_of_unknown_length_is_described_by_the_bytes_read(serve: Serve) -> None:
    outcome = call(serve(answering(b"HTTP/1.1 200 OK\r\n\r\n" + b"\0" * 2_000_000)).url())
    assert outcome.result is not None
    assert outcome.result.body == "<at least 1,048,576 bytes of unknown type>"


def test_a_character_that_the_cut_splits_is_left_out(serve: Serve) -> None:
    outcome = call(serve(answering(response("é".encode() * 600_000, headers=""))).url("/"))
    assert outcome.result is not None
    assert outcome.result.body == "é" * (BODY_BYTES // 2)
    outcome = call(serve(answering(response(b"x" + "é".encode() * 600_000, headers=""))).url("/"))
    assert outcome.result is not None
    assert outcome.result.body == "x" + "é" * (BODY_BYTES // 2 - 1)
