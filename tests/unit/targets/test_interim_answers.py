"""Interim answers, such as 103 Early Hints: read over, up to the final answer."""

from __future__ import annotations

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.final_response import MOST_INTERIM
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import failed

HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
PROCESSING = b"HTTP/1.1 102 Processing\r\nContent-Length: 7\r\nConnection: close\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
DONE = Result(type="http", status=200, body="done")


@pytest.mark.parametrize(
    "interim",
    [HINTS, PROCESSING, CONTINUE, HINTS + CONTINUE + PROCESSING + HINTS, HINTS * MOST_INTERIM],
    ids=["early hints", "processing", "continue", "several", "as many as are read"],
)
def test_an_interim_answer_is_not_the_answer(serve: Serve, interim: bytes) -> None:
    outcome = call(serve(answering(interim + response(b"done"))).url())
    assert (outcome.state, outcome.result) == (RunState.SUCCEEDED, DONE)


def test_a_failure_after_an_interim_answer_is_the_answer(serve: Serve) -> None:
    outcome = call(serve(answering(HINTS + response(b"no", status="500 Oops"))).url())
    assert outcome.result == Result(type="http", status=500, body="no")
    assert failed(outcome, "HttpStatus").message.startswith("500 Internal Server Error")


def test_an_interim_answer_does_not_say_whether_the_connection_is_kept(serve: Serve) -> None:
    def script(peer: Peer) -> None:
        for body in (b"done", b"again"):
            peer.read_request()
            peer.send(PROCESSING + response(body, headers="Connection: keep-alive"))
        peer.stay_silent()

    server, caller = serve(script), HttpCaller(allow_loopback=True)
    assert call(server.url(), caller=caller).result == DONE
    assert call(server.url(), caller=caller).result == Result(type="http", status=200, body="again")
    assert server.connections == 1


def test_too_many_interim_answers_are_no_answer(serve: Serve) -> None:
    error = failed(call(serve(answering(HINTS * (MOST_INTERIM + 1) + response(b"done"))).url()), "NotHttp")
    assert error.message.endswith(f"more than {MOST_INTERIM} interim answers (1xx) came before the final one")


def test_a_connection_that_closes_after_an_interim_answer_gave_no_answer(serve: Serve) -> None:
    outcome = call(serve(answering(HINTS)).url())
    assert failed(outcome, "ConnectionLost").message.endswith("the connection closed before the target answered")


def test_switching_protocols_is_a_final_answer(serve: Serve) -> None:
    outcome = call(serve(answering(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\n\r\n")).url())
    assert failed(outcome, "HttpStatus").message.startswith("101 Switching Protocols")


@pytest.mark.slow
def test_a_server_that_only_sends_interim_answers_is_left_at_the_time_limit(serve: Serve) -> None:
    outcome = call(serve(lambda peer: peer.drip(HINTS * 50)).url(), timeout=0.3)
    assert outcome.state is RunState.TIMED_OUT
    assert outcome.error is not None
    assert "waiting for the answer" in outcome.error.message
