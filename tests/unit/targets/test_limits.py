"""Time limit of a call, whatever the target does. Each of these tests waits for a limit of 0.3 s."""

import socket
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.deadline import Deadline, TimedSocket
from minutehand.usecases.ports.target import Outcome
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve

LIMIT = 0.3
PATIENT = 1.2
"""Time for a handshake or for building a long request, until sending blocks; enough on a busy machine."""

pytestmark = pytest.mark.slow


def timed_out(outcome: Outcome, limit: float = LIMIT) -> str:
    """The message of a call that timed out."""
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type) == (RunState.TIMED_OUT, "TimedOut"), outcome.error
    assert f"timed out after {limit:g} s" in outcome.error.message
    return outcome.error.message


def test_a_server_that_never_answers(serve: Serve) -> None:
    server = serve(Peer.stay_silent)
    message = timed_out(call(server.url("/x?secret"), timeout=LIMIT))
    assert message == (f"POST {server.url('/x')}: timed out after 0.3 s while waiting for the answer")


@pytest.mark.parametrize(
    "drips",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 90,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 50,
        b"HTTP/1.1 200 " + b"O" * 5000,
    ],
)
def test_headers_that_arrive_byte_by_byte(serve: Serve, drips: bytes) -> None:
    message = timed_out(call(serve(lambda peer: peer.drip(drips)).url(), timeout=LIMIT))
    assert "waiting for the answer" in message


@pytest.mark.parametrize(
    ("head", "drips"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\nabc", b"d" * 4000),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nabc", b"d" * 4000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", b"1\r\nd\r\n" * 1000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", b"X: y\r\n" * 1000),
    ],
)
def test_a_body_that_arrives_byte_by_byte(serve: Serve, head: bytes, drips: bytes) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(head)
        peer.drip(drips)

    outcome = call(serve(script).url(), timeout=LIMIT)
    assert "reading the body" in timed_out(outcome)
    assert outcome.result is not None
    assert outcome.result.status == 200
    assert outcome.result.body.startswith("abc")


def test_a_server_that_does_not_read(serve: Serve) -> None:
    message = timed_out(call(serve(Peer.stay_silent).url(), payload="x" * 20_000_000, timeout=PATIENT), PATIENT)
    assert "sending the request" in message


def test_a_server_that_reads_slowly(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        while not peer.over.wait(0.01):
            peer.connection.recv(10_000)

    message = timed_out(call(serve(script).url(), payload="x" * 20_000_000, timeout=PATIENT), PATIENT)
    assert "sending the request" in message


def test_a_failing_status_counts_even_if_its_body_never_ends(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"abc", length=9, status="500 Oops"))
        peer.stay_silent()

    outcome = call(serve(script).url(), timeout=LIMIT)
    assert outcome.state is RunState.FAILED
    assert outcome.result == Result(type="http", status=500, body="abc")


def test_a_host_that_drops_connection_requests(full_port: int) -> None:
    assert "while connecting" in timed_out(call(f"http://127.0.0.1:{full_port}/", timeout=LIMIT))


def test_an_address_that_drops_packets_leaves_time_for_the_next(full_port: int) -> None:
    with socket.create_server(("127.0.0.2", full_port)) as second:

        def accept() -> None:
            with second.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(response(b"second"))

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        caller = HttpCaller(allow_loopback=True, lookup=lambda host: ["127.0.0.1", "127.0.0.2"])
        outcome = call(f"http://two.example:{full_port}/", caller=caller, timeout=2)
        assert outcome.result == Result(type="http", status=200, body="second")
        thread.join(10)


def test_a_name_server_that_does_not_answer() -> None:
    over = threading.Event()
    asked: list[str] = []

    def lookup(host: str) -> Sequence[str]:
        asked.append(host)
        over.wait(30)
        return ["127.0.0.1"]

    caller = HttpCaller(allow_loopback=True, lookup=lookup)
    try:
        for _ in range(2):
            message = timed_out(call("http://slow.example/", caller=caller, timeout=LIMIT))
            assert "resolving the host name" in message
        assert asked == ["slow.example"], "a second lookup of the same name would leave a second thread behind"
    finally:
        over.set()


def test_a_limit_that_is_reached_before_the_call_begins(serve: Serve) -> None:
    server = serve(answering(response()))
    outcome = call(server.url(), timeout=0)
    assert outcome.state is RunState.TIMED_OUT
    assert server.connections == 0


def test_a_limit_that_passes_between_two_reads_ends_the_call(serve: Serve) -> None:
    now = [0.0]

    def script(peer: Peer) -> None:
        peer.read_request()
        now[0] = 100.0
        peer.send(response(b"a", length=2))
        peer.stay_silent()

    caller = HttpCaller(allow_loopback=True, monotonic=lambda: now[0])
    assert call(serve(script).url(), caller=caller, timeout=60).state is RunState.TIMED_OUT


@pytest.mark.parametrize(
    "operation",
    [lambda s: s.send(b"a"), lambda s: s.sendall(b"a"), lambda s: s.recv_into(bytearray(1))],
    ids=["send", "sendall", "recv_into"],
)
def test_every_operation_of_a_socket_ends_with_the_call(operation: Callable[[TimedSocket], object]) -> None:
    now = [0.0]
    ours, theirs = socket.socketpair()
    with theirs, TimedSocket(ours.family, ours.type, ours.proto, ours.detach()) as timed:
        theirs.send(b"ab")
        timed.deadline = Deadline(timedelta(seconds=1), lambda: now[0])
        operation(timed)
        now[0] = 1.0
        with pytest.raises(TimeoutError):
            operation(timed)


def test_a_call_that_timed_out_leaves_no_thread(full_port: int) -> None:
    before = set(threading.enumerate())
    timed_out(call(f"http://127.0.0.1:{full_port}/", timeout=LIMIT))
    assert set(threading.enumerate()) <= before


def test_a_finished_lookup_leaves_no_thread(serve: Serve) -> None:
    asked_by: list[threading.Thread] = []

    def lookup(host: str) -> Sequence[str]:
        asked_by.append(threading.current_thread())
        return ["127.0.0.1"]

    call(serve(answering(response())).url(host="x.example"), caller=HttpCaller(allow_loopback=True, lookup=lookup))
    asked_by[0].join(10)
    assert not asked_by[0].is_alive()
