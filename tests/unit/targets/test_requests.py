"""Requests as they are sent."""

import json

import pytest

from minutehand import __version__
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.fields import Mode
from minutehand.usecases.ports.target import ParentResult
from tests.unit.targets.conftest import SCHEDULED_FOR, TOKEN, call
from tests.unit.targets.servers import answering, response
from tests.unit.targets.test_answers import Serve

OK = answering(response())
LATER = (
    "minutehand-callback-url",
    "minutehand-token",
    "minutehand-deadline",
    "minutehand-attempts-left",
)


def test_a_request_identifies_its_run(serve: Serve) -> None:
    server = serve(OK)
    call(server.url("/a?b=c"), attempt=3)
    assert server.request.startswith("POST /a?b=c HTTP/1.1\r\n")
    assert server.sent_headers == {
        "host": f"127.0.0.1:{server.port}",
        "content-length": "0",
        "user-agent": f"minutehand/{__version__}",
        "accept-encoding": "identity",
        "minutehand-job": "demo/beat",
        "minutehand-run-id": "20261120T090000Z",
        "minutehand-attempt": "3",
        "minutehand-scheduled-for": "2026-11-20T09:00:00Z",
        "minutehand-deadline": "2026-11-20T09:00:10Z",
        "minutehand-attempts-left": "2",
        "idempotency-key": "demo/beat/20261120T090000Z",
    }


def test_a_target_that_may_answer_later_gets_the_callback_url_and_the_token(serve: Serve) -> None:
    sent = {}
    for mode in Mode:
        server = serve(OK)
        call(server.url(), mode=mode, callback_url="https://api.test/v1/callbacks/demo/beat/r/1")
        sent[mode] = {name: text for name, text in server.sent_headers.items() if name in LATER}
    assert sent[Mode.AUTO] == sent[Mode.CALLBACK]
    assert sent[Mode.AUTO] == {
        "minutehand-callback-url": "https://api.test/v1/callbacks/demo/beat/r/1",
        "minutehand-token": TOKEN,
        "minutehand-deadline": "2026-11-20T09:00:10Z",
        "minutehand-attempts-left": "2",
    }
    assert sent[Mode.SYNC] == {}


def test_the_idempotency_key_is_the_same_for_every_attempt(serve: Serve) -> None:
    keys = set()
    for attempt in (1, 2):
        server = serve(OK)
        call(server.url(), attempt=attempt)
        keys.add(server.sent_headers["idempotency-key"])
    assert len(keys) == 1


def test_the_payload_is_sent_as_compact_json(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), payload={"a": [1, 2.5, None], "b": "grün"})
    assert server.sent_headers["content-type"] == "application/json"
    assert server.request.endswith('\r\n\r\n{"a":[1,2.5,null],"b":"gr\\u00fcn"}')


@pytest.mark.parametrize("payload", [False, 0, "", [], {}])
def test_an_empty_payload_is_still_a_payload(serve: Serve, payload: object) -> None:
    server = serve(OK)
    call(server.url(), payload=payload)
    assert server.sent_headers["content-type"] == "application/json"
    assert server.sent_headers["content-length"] != "0"


@pytest.mark.parametrize("method", ["GET", "HEAD", "get"])
def test_get_and_head_carry_no_payload(serve: Serve, method: str) -> None:
    server = serve(OK)
    assert call(server.url(), method=method, payload={"a": 1}).state is RunState.SUCCEEDED
    assert server.request.endswith("\r\n\r\n")
    assert "content-type" not in server.sent_headers
    assert "content-length" not in server.sent_headers


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "PURGE"])
def test_other_methods_carry_the_payload(serve: Serve, method: str) -> None:
    server = serve(OK)
    call(server.url(), method=method, payload=1)
    assert server.request.startswith(f"{method} / HTTP/1.1\r\n")
    assert server.request.endswith("\r\n\r\n1")


def test_headers_of_the_target_replace_the_services_own_in_any_case(serve: Serve) -> None:
    server = serve(OK)
    mine = (
        ("content-type", "text/json"),
        ("USER-AGENT", "me"),
        ("Accept-Encoding", "br"),
        ("X-Name", "Grün"),
    )
    call(server.url(), payload=1, headers=mine)
    sent = server.sent_headers
    assert {name: sent[name.lower()] for name, _ in mine} == dict(mine)
    for name, _ in mine:
        assert server.request.lower().count(f"\r\n{name.lower()}: ") == 1


@pytest.mark.parametrize("name", ["Host", "idempotency-key", "MINUTEHAND-JOB", "Minutehand-Anything"])
def test_no_header_of_the_target_passes_for_another_run_or_another_host(serve: Serve, name: str) -> None:
    server = serve(OK)
    call(server.url(), headers=((name, "forged"),))
    assert "forged" not in server.request
    assert server.sent_headers["host"] == f"127.0.0.1:{server.port}"
    assert server.sent_headers["minutehand-job"] == "demo/beat"


def test_a_header_given_twice_is_sent_twice(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), headers=(("X-A", "1"), ("X-A", "2")))
    assert "X-A: 1\r\nX-A: 2\r\n" in server.request


def test_user_and_password_of_the_url_become_authorization(serve: Serve) -> None:
    server = serve(OK)
    call(server.url().replace("http://", "http://us%40er:p:w@"))
    assert server.sent_headers["authorization"] == "Basic dXNAZXI6cDp3"
    assert server.sent_headers["host"] == f"127.0.0.1:{server.port}"


def test_a_fragment_is_not_sent_and_odd_characters_are_encoded(serve: Serve) -> None:
    server = serve(OK)
    call(server.url("/a b?ü=\r\n#f"))
    assert server.request.startswith("POST /a%20b?%C3%BC=%0D%0A HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("X-A", "secret\r\nX-B: c", "line break"),
        ("X-A", "secret\n c", "line break"),
        ("X-A", "secret\0", "NUL"),
        ("X-A", "secret→", "percent-encode"),
        ("X A", "secret", "not a valid header name"),
        ("X:A\r\n", "secret", "not a valid header name"),
        ("", "secret", "not a valid header name"),
        ("Content-Length", "5", "set by this service"),
        ("transfer-encoding", "chunked", "set by this service"),
        ("Connection", "keep-alive", "set by this service"),
    ],
)
def test_headers_that_would_change_the_request_are_refused(serve: Serve, name: str, value: str, said: str) -> None:
    server = serve(OK)
    outcome = call(server.url(), headers=((name, value),))
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "InvalidRequest"
    assert said in outcome.error.message
    assert "secret" not in outcome.error.message + outcome.error.stack
    assert server.connections == 0


@pytest.mark.parametrize("method", ["", "GE T", "GET\r\nX: y", "GÉT"])
def test_an_invalid_method_is_refused(serve: Serve, method: str) -> None:
    server = serve(OK)
    outcome = call(server.url(), method=method)
    assert outcome.error is not None
    assert outcome.error.type == "InvalidRequest"
    assert server.connections == 0


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/path",
        "example.com/x",
        "ftp://secret@host/",
        "file:///etc/secret",
        "http://",
        "http://ho st/?secret",
        "http://host:99999/?secret",
        "http://[::1/secret",
        "http+unix://secret/",
    ],
)
def test_a_url_that_is_not_http_is_refused_without_showing_it(url: str) -> None:
    outcome = call(url)
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "InvalidRequest"
    assert "secret" not in outcome.error.message + outcome.error.stack


def test_a_payload_that_is_not_json_is_a_failure_not_an_exception(serve: Serve) -> None:
    outcome = call(serve(OK).url(), payload=object())
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "TypeError"
    assert "Traceback" in outcome.error.stack


def test_proxies_of_the_environment_are_not_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, server = serve(OK), serve(OK)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url())
    assert call(server.url()).state is RunState.SUCCEEDED
    assert (proxy.connections, server.connections) == (0, 1)


def test_each_call_has_a_connection_of_its_own(serve: Serve) -> None:
    server = serve(OK)
    call(server.url())
    call(server.url())
    assert server.connections == 2


EXTRACT, LOAD = JobKey("demo", "extract"), JobKey("other", "load")
PARENTS = (
    ParentResult(
        RunKey.scheduled(EXTRACT, SCHEDULED_FOR), RunState.SUCCEEDED, Result("http", 200, '{"rows": 7}'), None, False
    ),
    ParentResult(
        RunKey.triggered(LOAD, SCHEDULED_FOR, "by-hand"), RunState.LOST, None, RunError("WorkerLost", "it died"), False
    ),
)
STARTED_BY = "demo/extract/20261120T090000Z, other/load/20261120T090000Z~trigger-by-hand"


def test_the_body_carries_the_results_of_the_parent_runs(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), parents=PARENTS)
    assert server.sent_headers["minutehand-parents"] == STARTED_BY
    assert server.sent_headers["content-type"] == "application/json"
    assert json.loads(server.request.partition("\r\n\r\n")[2]) == {
        "parents": [
            {
                "job": "demo/extract",
                "run_id": "20261120T090000Z",
                "state": "succeeded",
                "scheduled_for": "2026-11-20T09:00:00Z",
                "result": {"status": 200, "body": '{"rows": 7}', "truncated": False},
                "error": None,
            },
            {
                "job": "other/load",
                "run_id": "20261120T090000Z~trigger-by-hand",
                "state": "lost",
                "scheduled_for": "2026-11-20T09:00:00Z",
                "result": None,
                "error": {"type": "WorkerLost", "message": "it died"},
            },
        ]
    }


@pytest.mark.parametrize("payload", [{}, 0, {"parents": "mine"}])
def test_a_payload_is_sent_instead_of_parent_results(serve: Serve, payload: object) -> None:
    server = serve(OK)
    call(server.url(), payload=payload, parents=PARENTS)
    assert json.loads(server.request.partition("\r\n\r\n")[2]) == payload
    assert server.sent_headers["minutehand-parents"] == STARTED_BY


def test_a_get_names_its_parents_only_in_the_header(serve: Serve) -> None:
    server = serve(OK)
    call(server.url(), method="GET", parents=PARENTS)
    assert server.request.endswith("\r\n\r\n")
    assert server.sent_headers["minutehand-parents"] == STARTED_BY
