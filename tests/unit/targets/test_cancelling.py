"""Cancelling a run ends its call at every stage."""

import threading
from collections.abc import Sequence

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.targets.http.caller import HttpCaller
from minutehand.usecases.ports.target import Outcome
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve

pytestmark = pytest.mark.usefixtures("quick_checks")


def cancelled(outcome: Outcome) -> str:
    """The message of a call that was cancelled."""
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type) == (RunState.CANCELLED, "Cancelled"), outcome.error
    assert outcome.error.message.endswith(", because the run was cancelled")
    return outcome.error.message


def test_cancelling_ends_the_wait_for_an_answer(serve: Serve) -> None:
    asked = threading.Event()

    def script(peer: Peer) -> None:
        peer.read_request()
        asked.set()
        peer.stay_silent()

    server = serve(script)
    message = cancelled(call(server.url("/x?secret"), cancelled=asked.is_set))
    assert message.startswith(f"POST {server.url('/x')}: stopped while waiting for the answer")


@pytest.mark.parametrize("status", ["200 OK", "202 Accepted", "500 Internal Server Error"])
@pytest.mark.thorough
def test_cancelling_ends_reading_and_keeps_what_was_read(serve: Serve, status: str) -> None:
    sent = threading.Event()
    looks = iter([False] * 5)

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"half of it", status=status, length=100))
        sent.set()
        peer.stay_silent()

    outcome = call(serve(script).url(), cancelled=lambda: sent.is_set() and next(looks, True))
    assert "while reading the body" in cancelled(outcome)
    assert outcome.result == Result(type="http", status=int(status[:3]), body="half of it")


def test_cancelling_ends_sending(serve: Serve) -> None:
    asked = threading.Event()

    def script(peer: Peer) -> None:
        peer.connection.recv(10_000)
        asked.set()
        peer.stay_silent()

    message = cancelled(call(serve(script).url(), payload="x" * 20_000_000, cancelled=asked.is_set))
    assert "while sending the request" in message


def test_cancelling_ends_the_tls_handshake(serve: Serve) -> None:
    asked = threading.Event()

    def script(peer: Peer) -> None:
        peer.connection.recv(10_000)
        asked.set()
        peer.stay_silent()

    url = serve(script).url().replace("http:", "https:")
    assert "during the TLS handshake" in cancelled(call(url, cancelled=asked.is_set))


def test_cancelling_ends_connecting(full_port: int) -> None:
    looks = iter([False] * 3)
    url = f"http://127.0.0.1:{full_port}/"
    assert "while connecting" in cancelled(call(url, cancelled=lambda: next(looks, True)))


def test_cancelling_ends_the_name_lookup() -> None:
    asked, over = threading.Event(), threading.Event()

    def lookup(host: str) -> Sequence[str]:
        asked.set()
        over.wait(30)
        return ["127.0.0.1"]

    caller = HttpCaller(allow_loopback=True, lookup=lookup)
    try:
        message = cancelled(call("http://slow.example/", caller=caller, cancelled=asked.is_set))
        assert "resolving the host name" in message
    finally:
        over.set()


def test_a_cancelled_run_is_not_called(serve: Serve) -> None:
    server = serve(answering(response()))
    cancelled(call(server.url(), cancelled=lambda: True))
    assert server.requests == []


@pytest.mark.thorough
def test_checking_for_cancellation_loses_no_data(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.drip(response(b"slowly but surely"))

    outcome = call(serve(script).url())
    assert outcome.result == Result(type="http", status=200, body="slowly but surely")


def test_a_long_request_arrives_whole(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"thanks"))

    server = serve(script)
    assert call(server.url(), payload="x" * 3_000_000).state is RunState.SUCCEEDED
    assert server.request.partition("\r\n\r\n")[2] == f'"{"x" * 3_000_000}"'
