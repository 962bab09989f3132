"""Expected answers: the statuses and the pattern of the body that count as success."""

from __future__ import annotations

import gzip
from datetime import timedelta

import pytest

from minutehand.domain.declaration.field import Refused
from minutehand.domain.run import RunState
from minutehand.targets.http.fields import Expect, Mode
from minutehand.targets.http.patterns import LARGEST, SEARCHED
from minutehand.targets.http.texts import check_pattern
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import Peer, answering, response
from tests.unit.targets.test_answers import Serve
from tests.unit.targets.test_failures import failed


@pytest.mark.parametrize("status", ["404 Not Found", "204 No Content", "299 Odd"])
def test_a_status_that_is_named_alone_or_by_its_class_is_success(serve: Serve, status: str) -> None:
    server = serve(answering(response(status=status)))
    assert call(server.url(), expect=Expect(status=("2xx", "404"))).state is RunState.SUCCEEDED


def test_a_status_that_is_not_expected_is_a_failure_that_says_what_is(serve: Serve) -> None:
    server = serve(answering(response(b"made", status="200 OK")))
    outcome = call(server.url("/a"), expect=Expect(status=("201", "404")))
    error = failed(outcome, "HttpStatus")
    assert error.message == f"200 OK from POST {server.url('/a')}; target.expect.status is 201, 404"
    assert outcome.result is not None
    assert outcome.result.body == "made"


def test_an_expected_redirect_is_success(serve: Serve) -> None:
    server = serve(answering(response(status="302 Found", headers="Location: /b")))
    assert call(server.url(), expect=Expect(status=("302",))).state is RunState.SUCCEEDED


def test_an_accepted_call_whose_status_is_not_expected_has_failed(serve: Serve) -> None:
    server = serve(answering(response(status="202 Accepted")))
    failed(call(server.url(), expect=Expect(status=("200",)), callback_url="https://api.test/"), "HttpStatus")


def test_an_expected_answer_begins_the_wait_of_a_target_that_answers_later(serve: Serve) -> None:
    server = serve(answering(response(b"queued as 5", status="404 Not Found")))
    expect = Expect(status=("404",), body="queued")
    outcome = call(server.url(), mode=Mode.CALLBACK, expect=expect, callback_url="https://api.test/")
    assert outcome.state is RunState.WAITING
    other = serve(answering(response(b"refused", status="404 Not Found")))
    failed(call(other.url(), mode=Mode.CALLBACK, expect=expect, callback_url="https://api.test/"), "UnexpectedBody")


@pytest.mark.parametrize(
    ("pattern", "body", "matches"),
    [
        ("ok", "all ok now", True),
        ("^ok$", "all ok now", False),
        ('"status": *"(ok|done)"', '{"status": "done"}', True),
        ("(?i)FERTIG", "fertig", True),
        ("gr.n", "grün", True),
        ("^$", "", True),
        (".", "", False),
    ],
)
def test_the_body_must_match_the_pattern(serve: Serve, pattern: str, body: str, matches: bool) -> None:
    server = serve(answering(response(body.encode())))
    outcome = call(server.url("/a"), expect=Expect(body=pattern))
    if matches:
        assert outcome.state is RunState.SUCCEEDED
        return
    error = failed(outcome, "UnexpectedBody")
    assert error.message == f"200 OK from POST {server.url('/a')}, whose body does not match target.expect.body"
    assert outcome.result is not None
    assert outcome.result.body == body


def test_a_body_is_searched_up_to_a_limit(serve: Serve) -> None:
    server = serve(answering(response(b"x" * (SEARCHED - 2) + b"ok")))
    assert call(server.url(), expect=Expect(body="ok")).state is RunState.SUCCEEDED
    server = serve(answering(response(b"x" * (SEARCHED - 1) + b"ok")))
    error = failed(call(server.url(), expect=Expect(body="ok")), "UnexpectedBody")
    assert error.message.endswith("within its first 262,144 bytes")


@pytest.mark.parametrize(
    "answer",
    [
        response(b"\x89PNG", headers="Content-Type: image/png"),
        response(gzip.compress(b"ok"), headers="Content-Type: text/plain\r\nContent-Encoding: gzip"),
    ],
)
def test_a_body_that_is_not_text_matches_no_pattern(serve: Serve, answer: bytes) -> None:
    error = failed(call(serve(answering(answer)).url(), expect=Expect(body="image|text")), "UnexpectedBody")
    assert "is not text but <" in error.message


def test_a_body_that_breaks_off_is_not_searched(serve: Serve) -> None:
    failed(call(serve(answering(response(b"ok", length=5))).url(), expect=Expect(body="ok")), "ConnectionLost")


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", "missing )"),
        ("a(?=b)", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        ("((a{100}){100}){100}", "invalid repetition size"),
        (".{200}", f"{LARGEST} is the most"),
        ("\ud800", "cannot be read"),
    ],
)
def test_a_pattern_that_cannot_be_searched_in_bounded_time_is_refused(pattern: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        check_pattern(pattern)
    assert said in refused.value.message
    assert refused.value.hint


@pytest.mark.thorough
@pytest.mark.parametrize("pattern", ["(a*)*c", "(a|a)*c", "(a+a+)+c", "(.*)(.*)(.*)(.*)(.*)c", "[ab]*a[ab]{480}c"])
def test_a_pattern_that_makes_other_engines_explode_ends(serve: Serve, pattern: str) -> None:
    check_pattern(pattern)

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(response(b"aab" * (SEARCHED // 2)))

    failed(call(serve(script).url(), expect=Expect(body=pattern), timeout=60), "UnexpectedBody")


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ("Retry-After: 120", timedelta(minutes=2)),
        ("retry-after:  0", timedelta(0)),
        (
            "Date: Fri, 20 Nov 2026 09:00:00 GMT\r\nRetry-After: Fri, 20 Nov 2026 10:00:00 GMT",
            timedelta(hours=1),
        ),
        ("Date: Fri, 20 Nov 2026 09:00:00 GMT\r\nRetry-After: Fri, 20 Nov 2026 08:00:00 GMT", timedelta(0)),
        ("Retry-After: Friday, 20-Nov-26 09:05:00 GMT", timedelta(minutes=5)),
        ("Date: yesterday\r\nRetry-After: Fri, 20 Nov 2026 09:00:30 GMT", timedelta(seconds=30)),
        ("X-A: b", None),
        ("Retry-After: soon", None),
        ("Retry-After: -5", None),
        ("Retry-After: 1.5", None),
        ("Retry-After: 99999999999999999999", None),
        ("Retry-After: Fri, 20 Nov 99999 10:00:00 GMT", None),
    ],
)
def test_a_failed_answer_says_how_long_to_wait(serve: Serve, headers: str, wait: timedelta | None) -> None:
    for status in ("429 Too Many Requests", "503 Service Unavailable", "500 Oops"):
        outcome = call(serve(answering(response(status=status, headers=headers))).url())
        assert (outcome.state, outcome.retry_after) == (RunState.FAILED, wait)


def test_an_unexpected_body_may_say_how_long_to_wait(serve: Serve) -> None:
    server = serve(answering(response(b"busy", headers="Retry-After: 7")))
    assert call(server.url(), expect=Expect(body="ok")).retry_after == timedelta(seconds=7)
