"""The documents and the requests by which a run comes to its handler."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.handlers.errors import InvalidInvocation
from minutehand.handlers.invocation import Callback, Invocation
from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.http.request import request_of
from minutehand.usecases.ports.target import Call, ParentResult
from tests.unit.handlers.conftest import event

NIGHT = datetime(2026, 11, 20, 2, tzinfo=UTC)
KEY = RunKey(JobKey("reports", "nightly"), "20261120T020000Z")
RUN = Run(key=KEY, target="http", revision=1, claimed_at=NIGHT, expires_at=NIGHT, attempt=2)


def call(run: Run = RUN, **fields: Any) -> Call:
    given: dict[str, Any] = {"payload": None, "timeout": NIGHT - NIGHT, "deadline": NIGHT.replace(hour=3)}
    given |= {"attempts_left": 3, "token": "secret", "callback_url": "https://api.example.com/v1/callbacks/x"}
    return Call(run=run, **given | fields)


def of_http(call: Call, **target: Any) -> Invocation:
    """The invocation that a service reads from the request that the worker makes."""
    request = request_of(HttpTarget(url="https://example.com/", **target), call)
    return Invocation.of_request(dict(request.headers), request.body or b"")


def test_a_service_reads_what_the_worker_sends() -> None:
    assert of_http(call(payload={"day": "2026-11-20"})) == Invocation(
        job="reports/nightly",
        run_id="20261120T020000Z",
        attempt=2,
        attempts_left=3,
        scheduled_for=NIGHT,
        deadline=NIGHT.replace(hour=3),
        payload={"day": "2026-11-20"},
        callback=Callback("https://api.example.com/v1/callbacks/x", "secret"),
    )


def test_a_service_reads_the_parents_results() -> None:
    parent = RunKey(JobKey("reports", "extract"), "20261120T010000Z")
    result = ParentResult(parent, RunState.SUCCEEDED, Result(type="callback", status=0, body='{"rows":7}'), None, False)
    child = Run(key=KEY, target="http", revision=1, claimed_at=NIGHT, expires_at=NIGHT, attempt=1, parents=(parent,))
    read = of_http(call(child, parents=(result,)))
    assert read.payload is None
    assert [(each.job, each.state, each.result) for each in read.parents] == [
        ("reports/extract", "succeeded", {"rows": 7})
    ]


def test_a_child_with_a_payload_of_its_own_knows_its_parents_without_their_results() -> None:
    parent = RunKey(JobKey("reports", "extract"), "20261120T010000Z")
    child = replace(RUN, parents=(parent,))
    read = of_http(call(child, payload={"parents": 1, "day": 2}))
    assert read.payload == {"parents": 1, "day": 2}
    assert [(each.job, each.run_id, each.state, each.result) for each in read.parents] == [
        ("reports/extract", "20261120T010000Z", "", None)
    ]


def test_a_payload_that_looks_like_parents_is_a_payload() -> None:
    assert of_http(call(payload={"parents": [1]})).payload == {"parents": [1]}


def test_a_caller_that_waits_gives_no_callback() -> None:
    assert of_http(call(callback_url="")).callback is None


def test_an_event_of_a_function_is_read() -> None:
    document = event(
        payload=[1],
        handler="nightly",
        callback={"url": "https://a", "token": "b"},
        sent_at="2026-11-20T02:00:00.5Z",
        parents=[
            {"job": "a/b", "run_id": "c", "state": "failed", "result": None, "error": {"type": "E", "message": "m"}}
        ],
    )
    read = Invocation.of(document)
    assert (read.job, read.handler, read.payload, read.callback) == (
        "reports/nightly",
        "nightly",
        [1],
        ("https://a", "b"),
    )
    assert (read.attempts_left, read.scheduled_for, read.sent_at) == (2, NIGHT, NIGHT.replace(microsecond=500_000))
    assert read.parents[0].error == {"type": "E", "message": "m"}
    assert "secret" not in repr(Invocation.of(event(callback={"url": "https://a", "token": "secret"})))


def test_the_least_that_an_event_needs_is_its_job_and_its_run() -> None:
    read = Invocation.of({"job": "a/b", "run_id": "20261120T020000Z~trigger-1"})
    assert (read.attempt, read.scheduled_for, read.payload, read.deadline) == (1, NIGHT, None, None)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ([], "the event is not an object"),
        ({}, "it has no 'job'"),
        ({"job": "a/b"}, "it has no 'run_id'"),
        ({"job": "a/b", "run_id": "x"}, "the run 'x' has no instant"),
        (event(attempt="two"), "attempt is 'two', which is not a number"),
        (event(deadline="2026-11-20T02:00:00"), "deadline is '2026-11-20T02:00:00', which is not an instant"),
        (event(attempt="9" * 5_000), "attempt is '999"),
        (event(scheduled_for="0001-01-01T00:00:00+23:59"), "scheduled_for is '0001-01-01T00:00:00+23:59', which is"),
        (event(deadline=7), "deadline is 7, which is not an instant"),
        (event(parents={}), "parents is not a list"),
        (event(parents=[1]), "an entry of parents is not a parent's run"),
        (event(parents=[{"result": 7}]), "an entry of parents is not a parent's run"),
        (event(callback={"url": "https://a"}), "callback lacks its url or its token"),
    ],
)
def test_an_event_that_is_no_run_is_refused(document: object, why: str) -> None:
    with pytest.raises(InvalidInvocation) as caught:
        Invocation.of(document)
    assert why in str(caught.value)
    assert caught.value.hint


def test_a_request_that_is_no_run_is_refused() -> None:
    with pytest.raises(InvalidInvocation, match="it has no Minutehand-Job; only a job with a target of type http"):
        Invocation.of_request({"Content-Type": "application/json"}, b"")
    headers = {"Minutehand-Job": "a/b", "Minutehand-Run-Id": "20261120T020000Z"}
    with pytest.raises(InvalidInvocation, match="the body is not JSON"):
        Invocation.of_request(headers, b"day=7")


def test_a_parent_s_answer_that_was_cut_is_not_json() -> None:
    body = json.dumps({"rows": [1, 2]})[:8]
    parent = Invocation.of(
        event(parents=[{"job": "a/b", "run_id": "c", "result": {"body": body, "truncated": True}}])
    ).parents[0]
    assert parent.truncated
    with pytest.raises(ValueError, match="Expecting"):
        parent.result  # noqa: B018 - raises
