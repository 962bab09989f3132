"""What a target says with the SDK of work that it has taken on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import Message
from typing import Any

import pytest
import urllib3

from minutehand.client import ConfigurationError, Conflict, Invalid, LateAnswer, NotAllowed, Unreachable
from minutehand.domain.run import Result, RunState
from tests.support.api_server import ApiServer
from tests.support.attempt import RUN_ID, TOKEN, Attempt
from tests.support.http_server import Canned, closed_port


@pytest.fixture
def attempt(api: ApiServer) -> Attempt:
    return Attempt(api)


@pytest.fixture
def answer(attempt: Attempt) -> Iterator[LateAnswer]:
    answer = LateAnswer(attempt.url, TOKEN, backoff=0, every=3600)
    yield answer
    answer.close()


def headers_of(attempt: Attempt) -> dict[str, str]:
    return {
        "Minutehand-Job": "demo/copy",
        "Minutehand-Run-Id": RUN_ID,
        "Minutehand-Attempt": "2",
        "Minutehand-Attempts-Left": "3",
        "Minutehand-Deadline": "2026-11-20T15:00:00Z",
        "Minutehand-Callback-Url": attempt.url,
        "Minutehand-Token": TOKEN,
        "Content-Type": "application/json",
    }


def message_of(headers: dict[str, str]) -> Message:
    message = Message()
    for name, text in headers.items():
        message[name] = text
    return message


@pytest.mark.parametrize(
    "form",
    [
        dict,
        lambda headers: {name.lower(): text for name, text in headers.items()},
        lambda headers: {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in headers.items()},
        message_of,
    ],
    ids=["as sent", "in lower case", "as WSGI has them", "as http.server has them"],
)
def test_an_answer_is_made_from_the_headers_of_the_call(attempt: Attempt, form: Any) -> None:
    answer = LateAnswer.from_headers(form(headers_of(attempt)))
    assert (answer.job, answer.run_id, answer.attempt, answer.attempts_left) == (
        "demo/copy",
        RUN_ID,
        2,
        3,
    )
    assert answer.deadline == datetime(2026, 11, 20, 15, tzinfo=UTC)
    answer.succeeded({"files": 5})
    assert attempt.said == [("report", {"state": "succeeded", "result": {"files": 5}})]
    assert attempt.tokens == {f"Bearer {TOKEN}"}
    assert (attempt.run.state, attempt.run.result) == (
        RunState.SUCCEEDED,
        Result(type="callback", status=0, body='{"files":5}'),
    )


@pytest.mark.parametrize("missing", ["Minutehand-Callback-Url", "Minutehand-Token"])
def test_a_call_that_is_not_to_be_answered_later_is_recognised(attempt: Attempt, missing: str) -> None:
    headers = headers_of(attempt)
    del headers[missing]
    with pytest.raises(ConfigurationError, match="Minutehand-Callback-Url and Minutehand-Token") as caught:
        LateAnswer.from_headers(headers)
    assert "mode auto or callback" in (caught.value.hint or "")


def test_a_failure_is_reported_with_its_type(answer: LateAnswer, attempt: Attempt) -> None:
    answer.failed("DiskFull", "no room", {"copied": 3})
    error = {"type": "DiskFull", "message": "no room"}
    assert attempt.reports() == [{"state": "failed", "error": error, "result": {"copied": 3}}]


def test_a_failure_may_have_a_stack_trace(answer: LateAnswer, api: ApiServer) -> None:
    answer.failed("DiskFull", "no room", stack="Traceback …")
    error = api.runs("demo/copy")[RUN_ID]["error"]
    assert error == {"type": "DiskFull", "message": "no room", "stack": "Traceback …"}


def test_answers_share_connections_and_leave_them_open(attempt: Attempt) -> None:
    shared = urllib3.PoolManager()
    for _ in range(2):
        answer = LateAnswer(attempt.url, TOKEN, connections=shared)
        answer.heartbeat()
        answer.close()
    [pool] = [shared.pools[key] for key in shared.pools.keys()]  # noqa: SIM118 - it cannot be iterated
    assert (pool.num_connections, pool.num_requests) == (1, 2)
    shared.clear()


def test_progress_and_heartbeats_say_whether_to_stop(answer: LateAnswer, attempt: Attempt) -> None:
    assert not answer.progress(40, "2 of 5")
    assert not answer.progress(text="3 of 5")
    assert not answer.heartbeat()
    assert not answer.unwanted
    attempt.cancel()
    assert answer.heartbeat()
    assert answer.unwanted
    assert attempt.said == [
        ("progress", {"percent": 40, "text": "2 of 5"}),
        ("progress", {"text": "3 of 5"}),
        ("heartbeat", {}),
        ("heartbeat", {}),
    ]


def test_an_attempt_that_is_over_is_unwanted_and_raises(answer: LateAnswer, attempt: Attempt) -> None:
    attempt.over()
    with pytest.raises(Conflict):
        answer.succeeded()
    assert answer.unwanted


def test_a_token_of_another_attempt_is_not_allowed(attempt: Attempt) -> None:
    answer = LateAnswer(attempt.url, "another", backoff=0)
    with pytest.raises(NotAllowed):
        answer.succeeded()
    assert answer.unwanted
    assert attempt.run.state is RunState.WAITING
    answer.close()


def test_what_cannot_be_taken_leaves_the_attempt_open(answer: LateAnswer, attempt: Attempt) -> None:
    with pytest.raises(Invalid):
        answer.succeeded("x" * 300_000)
    assert not answer.unwanted
    assert attempt.run.state is RunState.WAITING


def test_a_report_whose_answer_was_lost_is_one_when_the_next_try_finds_it(
    api: ApiServer, answer: LateAnswer, attempt: Attempt
) -> None:
    api.canned.append(Canned(drop=True, late=True))
    answer.succeeded()
    assert len(attempt.reports()) == 2
    assert attempt.run.state is RunState.SUCCEEDED
    assert not answer.unwanted


def test_a_service_that_is_not_there_is_shown_as_unreachable() -> None:
    answer = LateAnswer(f"http://127.0.0.1:{closed_port()}/v1/callbacks/demo/copy/{RUN_ID}/2", TOKEN, retries=0)
    with pytest.raises(Unreachable):
        answer.heartbeat()
    assert not answer.unwanted


class TestAsAContext:
    def test_it_sends_heartbeats_by_itself(self, attempt: Attempt) -> None:
        with LateAnswer(attempt.url, TOKEN, every=0.01) as answer:
            for _ in range(3):
                assert attempt.beaten.wait(10)
                attempt.beaten.clear()
            answer.succeeded()
        assert [what for what, _ in attempt.said].count("heartbeat") >= 3

    def test_they_show_it_that_its_run_was_cancelled_and_then_nothing_is_reported(self, attempt: Attempt) -> None:
        attempt.cancel()
        with LateAnswer(attempt.url, TOKEN, every=0.01) as answer:
            while not answer.unwanted:
                assert attempt.beaten.wait(10)
        assert attempt.reports() == []

    def test_they_stop_when_the_attempt_is_over(self, attempt: Attempt) -> None:
        attempt.over()
        with LateAnswer(attempt.url, TOKEN, every=0.01) as answer:
            while not answer.unwanted:
                assert attempt.beaten.wait(10)
        assert [what for what, _ in attempt.said] == ["heartbeat"]

    def test_they_go_on_when_the_service_is_out_of_order_for_a_while(self, api: ApiServer, attempt: Attempt) -> None:
        attempt.refuse(500)
        with LateAnswer(attempt.url, TOKEN, every=0.01, backoff=0) as answer:
            assert attempt.beaten.wait(10)
            api.instead = lambda request: None
            attempt.beaten.clear()
            assert attempt.beaten.wait(10)
            assert not answer.unwanted

    def test_a_block_that_says_nothing_has_succeeded(self, attempt: Attempt) -> None:
        with LateAnswer(attempt.url, TOKEN):
            pass
        assert attempt.reports() == [{"state": "succeeded", "result": None}]

    def test_short_work_sends_no_heartbeat_when_the_first_may_wait(self, attempt: Attempt) -> None:
        with LateAnswer(attempt.url, TOKEN, first=3600):
            pass
        assert [what for what, _ in attempt.said] == ["report"]

    def test_a_block_that_has_reported_reports_no_more(self, attempt: Attempt) -> None:
        with LateAnswer(attempt.url, TOKEN) as answer:
            answer.failed("Empty", "nothing to copy")
        assert len(attempt.reports()) == 1

    def test_an_exception_that_leaves_it_is_a_failure(self, attempt: Attempt) -> None:
        with pytest.raises(KeyError), LateAnswer(attempt.url, TOKEN):
            raise KeyError("a\x1b[2Jb")
        [report] = attempt.reports()
        assert report["error"]["type"] == "KeyError"
        assert "\x1b" not in report["error"]["message"]
        assert "test_late_answer.py" in report["error"]["stack"]

    def test_an_exception_that_cannot_be_reported_is_raised_all_the_same(self, attempt: Attempt) -> None:
        attempt.refuse(500)
        with pytest.raises(ValueError, match="mine") as caught, LateAnswer(attempt.url, TOKEN, backoff=0):
            raise ValueError("mine")
        assert "could not be reported" in caught.value.__notes__[0]

    def test_the_end_of_it_leaves_no_thread(self, attempt: Attempt) -> None:
        with LateAnswer(attempt.url, TOKEN):
            assert any(thread.name == "heartbeats" for thread in threading.enumerate())
        assert not any(thread.name == "heartbeats" for thread in threading.enumerate())
