"""Failed calls and their error messages."""

import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from minutehand.domain.run import Result, RunError, RunState
from minutehand.targets.http.caller import HttpCaller
from minutehand.usecases.ports.target import Outcome
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve


def failed(outcome: Outcome, type_: str) -> RunError:
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == type_, outcome.error
    return outcome.error


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("beginning", "more"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
        (b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"b" * 50_000 + b"\r\n"),
    ],
)
def test_headers_without_an_end_are_read_up_to_a_limit(serve: Serve, beginning: bytes, more: bytes) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(beginning)
        while not peer.over.is_set():
            peer.send(more)

    error = failed(call(serve(script).url(), timeout=30), "NotHttp")
    assert error.message.endswith("the answer is not valid HTTP: its headers are longer than 262,144 bytes")


def test_a_port_where_nothing_listens() -> None:
    port = closed_port()
    error = failed(call(f"http://127.0.0.1:{port}/x"), "ConnectionRefused")
    assert (
        error.message
        == f"POST http://127.0.0.1:{port}/x: 127.0.0.1:{port} refused the connection; check that a server listens on this port"
    )
    assert "ConnectionRefusedError" in error.stack
    assert "connection.py" in error.stack


def test_a_name_without_an_address() -> None:
    def lookup(host: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    error = failed(
        call("https://nowhere.example/", caller=HttpCaller(allow_loopback=False, lookup=lookup)), "NameNotResolved"
    )
    assert "nowhere.example could not be resolved: Name or service not known" in error.message
    assert "gaierror" in error.stack


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example"])
def test_a_name_that_dns_cannot_have(host: str) -> None:
    failed(call(f"http://{host}/", caller=HttpCaller(allow_loopback=False)), "NameNotResolved")


def test_an_answer_that_is_not_http(serve: Serve) -> None:
    error = failed(call(serve(answering(b"SSH-2.0-OpenSSH_9.9\r\n")).url()), "NotHttp")
    assert "SSH-2.0" in error.message
    assert error.stack


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 999999 Big\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"\0" * 200_000,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000,
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3abc\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nabc",
    ],
)
def test_invalid_headers_are_not_http_and_leave_a_short_record(serve: Serve, answer: bytes) -> None:
    error = failed(call(serve(answering(answer)).url()), "NotHttp")
    assert len(error.message) <= 1_000
    assert len(error.stack) <= 8_000


def test_a_connection_closed_without_an_answer(serve: Serve) -> None:
    error = failed(call(serve(lambda peer: None).url()), "ConnectionLost")
    assert "before the target answered" in error.message
    assert error.stack


@pytest.mark.parametrize("answer", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 200 OK"])
def test_headers_that_break_off_are_no_success(serve: Serve, answer: bytes) -> None:
    failed(call(serve(answering(answer)).url()), "ConnectionLost")


def test_a_body_that_breaks_off_is_no_success_but_is_kept(serve: Serve) -> None:
    outcome = call(serve(answering(response(b"half", length=8))).url())
    assert "in the middle of the answer" in failed(outcome, "ConnectionLost").message
    assert outcome.result == Result(type="http", status=200, body="half")


@pytest.mark.parametrize("rest", [b"", b"5\r\nhal", b"zz\r\nhello\r\n0\r\n\r\n"])
def test_missing_or_invalid_chunks_are_no_success(serve: Serve, rest: bytes) -> None:
    outcome = call(serve(answering(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n" + rest)).url())
    failed(outcome, "ConnectionLost")
    assert outcome.result is not None
    assert outcome.result.body.startswith("half")


def test_a_failing_status_counts_even_if_its_body_breaks_off(serve: Serve) -> None:
    failed(call(serve(answering(response(b"half", length=8, status="500 Oops"))).url()), "HttpStatus")


def test_a_connection_that_is_reset(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    failed(call(serve(script).url()), "ConnectionLost")


def test_an_unexpected_error_is_recorded_with_its_stack() -> None:
    def lookup(host: str) -> Sequence[str]:
        raise LookupError("the lookup itself is broken")

    error = failed(call("http://x.example/", caller=HttpCaller(allow_loopback=False, lookup=lookup)), "LookupError")
    assert error.message.endswith("the lookup itself is broken")
    assert "Traceback" in error.stack


def test_a_very_long_error_leaves_a_short_record() -> None:
    def lookup(host: str) -> Sequence[str]:
        raise LookupError("\n".join(["a long line " * 100] * 100))

    error = failed(call("http://x.example/", caller=HttpCaller(allow_loopback=False, lookup=lookup)), "LookupError")
    assert len(error.message) <= 1_000
    assert len(error.stack) <= 8_000


def test_an_interrupt_is_not_swallowed() -> None:
    def lookup(host: str) -> Sequence[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call("http://x.example/", caller=HttpCaller(allow_loopback=False, lookup=lookup))


def test_ten_threads_share_one_caller(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        path = peer.read_request().split(b" ")[1]
        peer.send(response(path))

    server = serve(script)
    caller = HttpCaller(allow_loopback=True)
    paths = [f"/{n}" for n in range(50)]
    with ThreadPoolExecutor(10) as threads:
        outcomes = list(threads.map(lambda path: call(server.url(path, "localhost"), caller=caller), paths))
    assert [outcome.result and outcome.result.body for outcome in outcomes] == paths
