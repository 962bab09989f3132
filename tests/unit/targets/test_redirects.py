"""Redirects: followed only on request, judged hop by hop, and without credentials for others."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.fields import Expect
from minutehand.targets.http.response import DESCRIBED_BYTES
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, Script, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import closed_port, failed
from tests.unit.targets.test_network_rules import FORBIDDEN
from tests.unit.targets.test_tls import Certificate, certificate, trusted

__all__ = ["certificate", "trusted"]  # fixtures

END = answering(response(b"reached"))
REACHED = Result(type="http", status=200, body="reached")
MINE = (("Authorization", "Bearer secret"), ("X-Api-Key", "secret"), ("Cookie", "a=secret"), ("Accept", "text/csv"))


def leading_to(location: str, status: int = 302) -> Script:
    return answering(response(status=f"{status} Elsewhere", headers=f"Location: {location}"))


def path_of(request: bytes) -> str:
    return request.split(b" ")[1].decode()


def ladder(peer: Peer) -> None:
    """Answers `/3` with a redirect to `/2`, and so on; `/0` with success."""
    step = int(path_of(peer.read_request()).strip("/"))
    peer.send(response(b"reached") if step == 0 else response(status="307 On", headers=f"Location: /{step - 1}"))


def test_as_many_redirects_are_followed_as_the_job_allows(serve: Serve) -> None:
    server = serve(ladder)
    assert call(server.url("/5"), redirects=5).result == REACHED
    assert [path_of(request) for request in server.requests] == ["/5", "/4", "/3", "/2", "/1", "/0"]


@pytest.mark.parametrize(
    ("status", "redirects", "why"),
    [
        (
            302,
            0,
            "redirects are not followed, since target.redirects is 0: set target.url to the final URL, or set target.redirects (1 to 5)",
        ),
        (
            302,
            2,
            "the target redirects more often than target.redirects (2) allows: set target.url to the final URL, or raise target.redirects (at most 5)",
        ),
        (302, 5, "the target redirects more often than target.redirects (5) allows: set target.url to the final URL"),
        (300, 2, "a redirect with the status 300 is never followed: set target.url to the final URL"),
    ],
    ids=["none are followed", "too many", "more than may be allowed", "of another kind"],
)
def test_a_redirect_that_is_not_followed_says_why(serve: Serve, status: int, redirects: int, why: str) -> None:
    server = serve(leading_to("/b", status))
    error = failed(call(server.url(), redirects=redirects), "Redirect")
    assert error.message.endswith(f", which points to {server.url('/b')}; {why}")


def test_an_endless_redirect_ends(serve: Serve) -> None:
    server = serve(leading_to("/"))
    failed(call(server.url(), redirects=5), "Redirect")
    assert len(server.requests) == 6


def test_a_redirect_with_an_expected_status_is_not_followed(serve: Serve) -> None:
    server = serve(leading_to("/b"))
    assert call(server.url(), redirects=5, expect=Expect(status=("3xx",))).state is RunState.SUCCEEDED
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "method", "then", "with_body"),
    [
        (301, "POST", "GET", False),
        (302, "POST", "GET", False),
        (303, "POST", "GET", False),
        (303, "PUT", "GET", False),
        (303, "HEAD", "HEAD", False),
        (301, "PUT", "PUT", True),
        (302, "DELETE", "DELETE", True),
        (307, "POST", "POST", True),
        (308, "PATCH", "PATCH", True),
        (302, "GET", "GET", False),
    ],
)
def test_method_and_body_follow_the_status(serve: Serve, status: int, method: str, then: str, with_body: bool) -> None:
    end = serve(END)
    outcome = call(serve(leading_to(end.url("/b"), status)).url(), method=method, payload={"a": 1}, redirects=1)
    assert outcome.state is RunState.SUCCEEDED
    assert end.request.startswith(f"{then} /b HTTP/1.1\r\n")
    assert end.request.endswith('\r\n\r\n{"a":1}' if with_body else "\r\n\r\n")
    assert ("content-type" in end.sent_headers) is with_body


def test_another_origin_receives_neither_credentials_nor_what_says_which_run_calls(serve: Serve) -> None:
    end = serve(END)
    start = serve(leading_to(end.url("/b?c=d"), 307))
    url = start.url().replace("http://", "http://user:secret@")
    call(url, headers=MINE[1:], payload=5, redirects=1, callback_url="https://api.test/x")
    assert "secret" in start.request
    assert end.request.startswith("POST /b?c=d ")
    assert "secret" not in end.request
    assert set(end.sent_headers) == {
        "host",
        "content-length",
        "content-type",
        "user-agent",
        "accept",
        "accept-encoding",
    }
    assert end.sent_headers["host"] == f"127.0.0.1:{end.port}"


def test_the_same_origin_receives_all_headers_again(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        first = path_of(peer.read_request()) == "/a"
        peer.send(response(status="303 See", headers="Location: b") if first else response(b"reached"))

    server = serve(script)
    call(server.url("/a"), headers=MINE, redirects=1)
    assert path_of(server.requests[1]) == "/b"
    for text in (b"Bearer secret", b"X-Api-Key", b"Minutehand-Run-Id", b"Idempotency-Key"):
        assert text in server.requests[1]


def test_an_origin_that_was_left_does_not_get_the_credentials_back(serve: Serve) -> None:
    urls: list[str] = []

    def script(peer: Peer) -> None:
        first = path_of(peer.read_request()) == "/a"
        peer.send(response(status="307 On", headers=f"Location: {urls[0]}") if first else response(b"reached"))

    server = serve(script)
    urls.append(serve(leading_to(server.url("/b"), 307)).url())
    assert call(server.url("/a"), headers=MINE, redirects=2).result == REACHED
    assert b"secret" not in server.requests[1]


@pytest.mark.parametrize(
    ("address", "kind"), [each for each in FORBIDDEN if each[1] != "loopback" and "%" not in each[0]]
)
def test_a_redirect_to_a_forbidden_address_is_refused(serve: Serve, address: str, kind: str) -> None:
    host = f"[{address}]" if ":" in address else address
    error = failed(call(serve(leading_to(f"http://{host}/latest", 307)).url(), redirects=5), "AddressRefused")
    assert kind in error.message


def test_a_redirect_to_a_name_of_a_forbidden_address_is_refused(serve: Serve) -> None:
    asked: list[str] = []

    def lookup(host: str) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]

    server = serve(leading_to("http://rebinding.example/"))
    caller = HttpCaller(allow_loopback=True, lookup=lookup)
    failed(call(server.url(host="rebinding.example"), caller=caller, redirects=1), "AddressRefused")
    assert asked == ["rebinding.example"] * 2


def test_a_redirect_to_a_host_outside_the_allow_list_is_refused(serve: Serve) -> None:
    end = serve(END)
    start = serve(leading_to(end.url()))
    caller = HttpCaller(allow_loopback=True, allowed=AllowList.parse(f"127.0.0.1:{start.port}"))
    error = failed(call(start.url(), caller=caller, redirects=1), "TargetNotAllowed")
    assert f"port {end.port}" in error.message
    assert end.connections == 0


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("ftp://127.0.0.1/", "no http or https URL"),
        ("file:///etc/passwd", "no http or https URL"),
        ("gopher://127.0.0.1/", "no http or https URL"),
        ("javascript:alert(1)", "no http or https URL"),
        ("http://[::1", "no http or https URL"),
        ("http://h:99999999/", "no http or https URL"),
        ("http://user:secret@127.0.0.1/", "with a user or password"),
        ("//user@127.0.0.1/", "with a user or password"),
        ("/" + "a" * 8001, "longer than 8,000"),
    ],
)
def test_a_location_that_is_no_usable_url_is_refused(serve: Serve, location: str, said: str) -> None:
    error = failed(call(serve(leading_to(location)).url(), redirects=5), "Redirect")
    assert said in error.message
    assert "secret" not in error.message


def test_a_line_break_in_a_location_starts_no_header(serve: Serve) -> None:
    end = serve(END)
    call(serve(leading_to(end.url("/a\tb%0d%0aX-Evil:1"))).url(), redirects=1)
    assert "x-evil" not in end.sent_headers


def test_https_never_leads_to_http(serve: Serve, trusted: Certificate) -> None:
    end = serve(END)
    error = failed(call(serve(leading_to(end.url()), tls=trusted.server).url(), redirects=1), "Redirect")
    assert "from https to http is never followed" in error.message
    assert end.connections == 0


def test_http_may_lead_to_https(serve: Serve, trusted: Certificate) -> None:
    end = serve(END, tls=trusted.server)
    assert call(serve(leading_to(end.url())).url(), redirects=1).result == REACHED


def test_a_redirect_to_a_closed_port_names_that_url(serve: Serve) -> None:
    port = closed_port()
    first = serve(leading_to(f"http://127.0.0.1:{port}/x")).url()
    error = failed(call(first, redirects=1), "ConnectionRefused")
    assert error.message.startswith(f"redirected from POST {first}: GET http://127.0.0.1:{port}/x: ")


@pytest.mark.slow
def test_all_hops_together_have_the_time_of_the_call(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.over.wait(0.2)
        peer.send(response(status="302 On", headers="Location: /"))

    assert call(serve(script).url(), redirects=5, timeout=0.5).state is RunState.TIMED_OUT


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "x-gzip", "gzip, gzip"])
@pytest.mark.thorough
def test_a_decompression_bomb_is_not_decompressed(serve: Serve, encoding: str) -> None:
    zeros = b"\0" * 50_000_000
    bomb = zlib.compress(zeros) if encoding == "deflate" else gzip.compress(zeros)
    headers = f"Content-Type: application/json\r\nContent-Encoding: {encoding}"
    outcome = call(serve(answering(response(bomb, headers=headers))).url(), headers=(("Accept-Encoding", encoding),))
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.result is not None
    assert outcome.result.body == f"<{len(bomb):,} bytes of application/json, encoded as {encoding}>"
    assert len(bomb) > DESCRIBED_BYTES
