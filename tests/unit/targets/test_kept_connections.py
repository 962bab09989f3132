"""Kept connections: used again by later calls, and never a reason to fail, to send twice, or to outlast a rule."""

from __future__ import annotations

import gc
import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest

from minutehand.domain.run import RunState
from minutehand.targets.http import pool
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.deadline import TimedSocket
from minutehand.targets.http.pool import LONGEST_IDLE, LONGEST_LIFE, MOST, PROOF, Line, Origin, Pool
from tests.unit.targets.conftest import SCHEDULED_FOR, call
from tests.unit.targets.servers import Peer, Script, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import failed
from tests.unit.targets.test_tls import Certificate, certificate, trusted

__all__ = ["certificate", "trusted"]  # fixtures

STAYS = "Content-Type: text/plain\r\nConnection: keep-alive"


class Clock:
    """A clock in seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def talking(answer: Callable[[int], bytes]) -> Script:
    """A script that answers each request of a connection, the first with `answer(1)`."""

    def script(peer: Peer) -> None:
        for number in range(1, 100):
            peer.read_request()
            peer.send(answer(number))

    return script


def staying(number: int) -> bytes:
    return response(str(number).encode(), headers=STAYS)


def made(caller: HttpCaller, url: str, *, method: str = "POST", timeout: float = 10) -> str:
    """The body of the answer to a call."""
    outcome = call(url, caller=caller, method=method, timeout=timeout)
    assert outcome.state is RunState.SUCCEEDED, outcome.error
    assert outcome.result is not None
    return outcome.result.body


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def caller(clock: Clock) -> HttpCaller:
    return HttpCaller(allow_loopback=True, monotonic=clock, lookup=lambda host: ["127.0.0.1"])


def test_calls_of_one_origin_use_one_connection(serve: Serve, caller: HttpCaller) -> None:
    server = serve(talking(staying))
    assert [made(caller, server.url(path)) for path in ("/a", "/b?c", "/a")] == ["1", "2", "3"]
    assert server.connections == 1
    assert "connection" not in server.requests[0].decode().lower().partition("\r\n\r\n")[0]


def test_a_connection_over_tls_is_used_again(serve: Serve, caller: HttpCaller, trusted: Certificate) -> None:
    server = serve(talking(staying), tls=trusted.server)
    assert [made(caller, server.url(host="good.example")) for _ in range(3)] == ["1", "2", "3"]
    assert server.connections == 1


@pytest.mark.parametrize("encrypted", [False, True])
def test_headers_and_body_are_sent_in_one_piece(
    serve: Serve, caller: HttpCaller, trusted: Certificate, monkeypatch: pytest.MonkeyPatch, encrypted: bool
) -> None:
    pieces: list[bytes] = []
    right = TimedSocket.send

    def send(self: TimedSocket, data: memoryview, flags: int = 0) -> int:
        pieces.append(bytes(data))
        return right(self, data, flags)

    monkeypatch.setattr(TimedSocket, "send", send)
    server = serve(talking(staying), tls=trusted.server if encrypted else None)
    call(server.url(host="good.example"), caller=caller, payload={"day": 7})
    [piece] = pieces
    assert piece.startswith(b"POST ")
    assert piece.endswith(b'\r\n\r\n{"day":7}')


def test_other_names_other_ports_and_plain_text_have_connections_of_their_own(serve: Serve, caller: HttpCaller) -> None:
    """A host may be allowed by its name, so the connection of another name must not stand in for it."""
    server, other = serve(talking(staying)), serve(talking(staying))
    urls = [server.url(host="a.example"), server.url(host="b.example"), server.url(), other.url(host="a.example")]
    assert [made(caller, url) for url in urls] == ["1"] * 4
    assert made(caller, server.url(host="A.Example")) == "2"


def test_a_server_that_does_not_say_so_must_prove_that_it_keeps_connections(
    serve: Serve, caller: HttpCaller, clock: Clock
) -> None:
    server = serve(talking(lambda number: response(str(number).encode())))
    assert [made(caller, server.url()), made(caller, server.url())] == ["1", "1"]
    clock.now += PROOF
    assert made(caller, server.url()) == "2"
    assert made(caller, server.url()) == "3", "what one connection proves holds for the origin"
    assert server.connections == 2


def test_a_server_that_closes_after_each_answer_gets_each_request_once(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"done"))

    server, caller = serve(script), HttpCaller(allow_loopback=True)
    for n in range(30):
        assert made(caller, server.url()) == "done"
        time.sleep(PROOF + 0.01 if n == 10 else 0)
    assert len(server.requests) == 30


@pytest.mark.parametrize(
    ("seconds", "answer"),
    [
        (LONGEST_IDLE + 0.1, staying),
        (1.1, lambda number: response(b"1", headers=f"{STAYS}\r\nKeep-Alive: timeout=2, max=100")),
        (0.0, lambda number: response(b"1", headers="Content-Type: text/plain\r\nConnection: close")),
        (PROOF, lambda number: b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n1"),
    ],
    ids=["unused for long", "the server's own limit", "the server closes", "an old server"],
)
def test_a_connection_that_may_be_closed_is_not_used_again(
    serve: Serve, caller: HttpCaller, clock: Clock, seconds: float, answer: Callable[[int], bytes]
) -> None:
    server = serve(talking(answer))
    made(caller, server.url())
    clock.now += seconds
    assert made(caller, server.url()) == "1"
    assert server.connections == 2


def test_a_function_that_was_frozen_opens_new_connections_whichever_clock_stood_still(serve: Serve) -> None:
    server, now = serve(talking(staying)), [SCHEDULED_FOR]
    caller = HttpCaller(allow_loopback=True, monotonic=lambda: 5.0, clock=lambda: now[0])
    assert [made(caller, server.url()) for _ in range(2)] == ["1", "2"]
    now[0] += timedelta(seconds=LONGEST_IDLE + 0.1)
    assert made(caller, server.url()) == "1"


def test_a_connection_serves_for_a_minute_so_that_calls_follow_a_moved_name(
    serve: Serve, caller: HttpCaller, clock: Clock
) -> None:
    server = serve(talking(staying))
    for _ in range(int(LONGEST_LIFE / 3) + 2):
        made(caller, server.url())
        clock.now += 3
    assert server.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        response(b"x" * 1_100_000, headers=STAYS),
        response(b"\x89PNG" * 2000, headers="Content-Type: image/png\r\nConnection: keep-alive"),
        response(b"", status="204 No Content", headers=STAYS, length=3),
        response(b"ok", headers=STAYS) + b"HTTP/1.1 200 OK\r\n" * 5000,
    ],
    ids=["cut", "not read", "a length without a body", "more than the answer"],
)
def test_a_connection_whose_answer_was_not_read_to_its_end_is_closed(
    serve: Serve, caller: HttpCaller, answer: bytes
) -> None:
    server = serve(talking(lambda number: answer))
    made(caller, server.url())
    made(caller, server.url())
    assert server.connections == 2


def test_the_answer_to_head_does_not_keep_the_connection(serve: Serve, caller: HttpCaller) -> None:
    server = serve(talking(lambda number: response(b"a body nevertheless", headers=STAYS)))
    assert made(caller, server.url(), method="HEAD") == ""
    assert made(caller, server.url()) == "a body nevertheless"


def test_an_answer_in_chunks_keeps_the_connection(serve: Serve, caller: HttpCaller) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    server = serve(talking(lambda number: chunked))
    assert [made(caller, server.url()) for _ in range(3)] == ["ok"] * 3
    assert server.connections == 1


def test_a_failed_status_keeps_the_connection(serve: Serve, caller: HttpCaller) -> None:
    server = serve(talking(lambda number: response(b"no", status="503 No", headers=STAYS)))
    for _ in range(3):
        failed(call(server.url(), caller=caller), "HttpStatus")
    assert server.connections == 1


def test_a_request_that_the_target_may_have_received_is_not_sent_again(serve: Serve, caller: HttpCaller) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(staying(1))
        peer.read_request()

    server = serve(script)
    made(caller, server.url())
    failed(call(server.url(), caller=caller), "ConnectionLost")
    assert len(server.requests) == 2


def test_a_request_of_which_no_byte_was_sent_goes_over_a_new_connection(
    serve: Serve, caller: HttpCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server resets the connection between the look at it and the first byte."""
    reset = threading.Event()

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(staying(1))
        peer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        peer.connection.close()
        reset.set()

    def is_quiet(line: Line) -> bool:
        reset.wait(10)
        return True

    monkeypatch.setattr(Line, "is_quiet", is_quiet)
    server = serve(script)
    assert [made(caller, server.url()) for _ in range(2)] == ["1", "1"]
    assert (server.connections, len(server.requests)) == (2, 2)


@pytest.mark.slow
def test_the_limit_of_a_call_holds_on_a_kept_connection(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(staying(1))
        peer.read_request()
        peer.drip(staying(2) * 100)

    server, caller = serve(script), HttpCaller(allow_loopback=True)
    made(caller, server.url(), timeout=60)
    outcome = call(server.url(), caller=caller, timeout=0.3)
    assert outcome.state is RunState.TIMED_OUT
    assert outcome.error is not None
    assert "timed out after 0.3 s while waiting for the answer" in outcome.error.message
    assert server.connections == 1


def test_a_cancelled_run_is_not_called_over_a_kept_connection(serve: Serve, caller: HttpCaller) -> None:
    server = serve(talking(staying))
    made(caller, server.url())
    assert call(server.url(), caller=caller, cancelled=lambda: True).state is RunState.CANCELLED
    assert len(server.requests) == 1


def test_only_so_many_connections_are_kept_and_the_others_are_closed(clock: Clock) -> None:
    kept = Pool(clock, lambda: SCHEDULED_FOR)
    pairs = [socket.socketpair() for _ in range(MOST + 2)]
    lines = [Line(Origin(False, str(n), 80), _timed(ours), clock()) for n, (ours, _) in enumerate(pairs)]
    for line in lines:
        line.stays = True
        kept.keep(line)
    assert [kept.take(line.origin) is line for line in lines] == [False, False, *[True] * MOST]
    assert [line.is_open for line in lines[:3]] == [False, False, True]
    for line, (_, theirs) in zip(lines, pairs, strict=True):
        line.close()
        theirs.close()


@pytest.mark.thorough
def test_a_caller_that_is_gone_leaves_no_connection_open(serve: Serve) -> None:
    ended = threading.Event()

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(staying(1))
        if not peer.connection.recv(1):
            ended.set()

    made(HttpCaller(allow_loopback=True), serve(script).url())
    gc.collect()
    assert ended.wait(10)


def test_ten_threads_use_no_more_connections_than_they_need(serve: Serve) -> None:
    server, caller = serve(talking(staying)), HttpCaller(allow_loopback=True)
    threads = [threading.Thread(target=lambda: [made(caller, server.url()) for _ in range(20)]) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(server.requests) == 200
    assert server.connections <= 10


def _timed(ours: socket.socket) -> pool.TimedSocket:
    return pool.TimedSocket(ours.family, ours.type, ours.proto, ours.detach())
