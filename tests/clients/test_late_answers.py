"""What a target reports with the clients in TypeScript, Go and Java of work that it has taken on: all behave as the SDK's `LateAnswer`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from minutehand.domain.run import Progress, RunState
from tests.clients.conftest import run
from tests.support.api_server import ApiServer
from tests.support.attempt import RUN_ID, TOKEN, Attempt
from tests.support.http_server import Canned, Request, closed_port, document, problem

Play = Callable[..., list[str]]
RESULT = {
    "files": 5,
    "text": 'quote " back \\ line\n tab\t low \u0001 é 😀 </b>',
    "list": [1, 2.5, True, None],
    "empty": {},
    "none": [],
}


def test_an_answer_is_made_from_the_headers_of_the_call(play: Play, attempt: Attempt) -> None:
    about, *said = play("about", "progress", "text", "heartbeat", "succeeded")
    assert about == f"demo/copy {RUN_ID} 2 3 1795186800000"
    assert said == ["go on", "go on", "go on", "done"]
    assert attempt.said == [
        ("progress", {"percent": 40, "text": "2 of 5 files"}),
        ("progress", {"text": "3 of 5 files"}),
        ("heartbeat", {}),
        ("report", {"state": "succeeded", "result": RESULT}),
    ]
    assert attempt.tokens == {f"Bearer {TOKEN}"}
    assert (attempt.run.state, attempt.run.progress) == (
        RunState.SUCCEEDED,
        Progress(percent=None, text="3 of 5 files"),
    )
    assert attempt.run.result
    assert json.loads(attempt.run.result.body) == RESULT


@pytest.mark.parametrize("missing", ["url", "token"])
def test_a_call_that_is_not_to_be_answered_later_is_recognised(
    player: list[str | Path], attempt: Attempt, missing: str
) -> None:
    given = {"url": attempt.url, "token": TOKEN} | {missing: ""}
    failed = run([*player, given["url"], given["token"], "about"])
    assert failed.status == 1
    assert "Minutehand-Callback-Url and Minutehand-Token" in failed.errors
    assert "mode auto or callback" in failed.errors


def test_a_failure_is_reported_with_its_type_and_a_result(play: Play, attempt: Attempt) -> None:
    assert play("failed") == ["done"]
    [report] = attempt.reports()
    assert (report["state"], report["result"]) == ("failed", {"copied": 3})
    assert attempt.run.error
    assert (attempt.run.error.type, attempt.run.error.message) == ("DiskFull", "no room")


def test_a_cancel_is_seen_by_the_next_message(play: Play, attempt: Attempt) -> None:
    attempt.cancel()
    assert play("unwanted", "progress", "unwanted") == ["false", "stop", "true"]


def test_an_attempt_that_is_over_is_unwanted(play: Play, attempt: Attempt) -> None:
    attempt.over()
    assert play("succeeded", "unwanted") == ["409 conflict", "true"]


def test_a_token_of_another_attempt_is_not_allowed(play: Play, attempt: Attempt) -> None:
    assert play("heartbeat", "unwanted", token="another") == ["403 not-allowed", "true"]
    assert attempt.run.state is RunState.WAITING


def test_what_cannot_be_taken_leaves_the_attempt_open(play: Play, attempt: Attempt) -> None:
    assert play("large", "unwanted") == ["413 too-large", "false"]
    assert attempt.run.state is RunState.WAITING


def test_lost_connections_and_busy_answers_are_tried_again(play: Play, api: ApiServer, attempt: Attempt) -> None:
    api.canned += [Canned(drop=True), problem(429), Canned(status=502, body=b"<html>"), problem(500)]
    assert play("succeeded") == ["done"]
    assert len(attempt.reports()) == 5
    assert attempt.run.state is RunState.SUCCEEDED


def test_a_report_whose_answer_was_lost_is_one_when_the_next_try_finds_it(
    play: Play, api: ApiServer, attempt: Attempt
) -> None:
    api.canned.append(Canned(drop=True, late=True))
    assert play("succeeded", "unwanted") == ["done", "false"]
    assert len(attempt.reports()) == 2
    assert attempt.run.state is RunState.SUCCEEDED


def test_after_the_last_try_the_refusal_is_shown(play: Play, attempt: Attempt) -> None:
    attempt.refuse(503)
    assert play("heartbeat", "unwanted") == ["503 blank", "false"]
    assert len(attempt.said) == 7


def test_a_service_that_is_not_there_is_shown_as_unreachable(play: Play) -> None:
    url = f"http://127.0.0.1:{closed_port()}/v1/callbacks/demo/copy/{RUN_ID}/2"
    said, unwanted = play("heartbeat", "unwanted", url=url)
    assert "cannot be reached" in said
    assert unwanted == "false"


@pytest.mark.parametrize(
    "foreign",
    [
        Canned(body=b"<html>Sign in</html>"),
        Canned(status=302, headers={"Location": "/elsewhere"}),
        Canned(status=404, body=b'{"message": "Not Found"}'),
        document([1, 2]),
        document({"ok": True}),
    ],
    ids=["page", "redirect", "other API", "list", "other document"],
)
def test_another_servers_answer_is_recognised(play: Play, api: ApiServer, foreign: Canned) -> None:
    api.instead = lambda request: foreign
    said, unwanted = play("heartbeat", "unwanted")
    assert "does not speak Minutehand's API" in said
    assert unwanted == "false"


def test_any_valid_json_is_read_and_unknown_fields_are_passed_over(play: Play, api: ApiServer) -> None:
    body = '\n{"new": {"deep": [[], {"a": -1.5e3, "b": "\\u00e9\\ud83d\\ude00 \\"}\\\\ \\/\\b"}]},\t"cancel" : true , "lease_ms": 12}\r\n'
    api.canned.append(Canned(body=body.encode()))
    assert play("heartbeat") == ["stop"]


class TestWork:
    def test_it_sends_heartbeats_and_reports_its_result(self, play: Play, attempt: Attempt) -> None:
        assert play("work", "unwanted") == ["done", "false"]
        assert attempt.reports() == [{"state": "succeeded", "result": RESULT}]

    def test_heartbeats_that_arrive_after_its_report_do_not_make_it_unwanted(
        self, play: Play, api: ApiServer, attempt: Attempt
    ) -> None:
        reported, heard = threading.Event(), threading.Semaphore(0)

        def heartbeats_first(request: Request) -> Canned | None:
            if request.path.endswith("/heartbeat"):
                assert reported.wait(30)
                heard.release()
                return None
            answered = api.answer(request)
            reported.set()
            for _ in range(3):
                heard.acquire(timeout=5)
            return Canned(status=answered.status, body=answered.body)

        api.instead = heartbeats_first
        assert play("work", "unwanted") == ["done", "false"]

    def test_its_error_is_reported_without_what_the_api_would_refuse(self, play: Play, attempt: Attempt) -> None:
        assert play("break") == ["raised"]
        [report] = attempt.reports()
        assert (attempt.run.state, report["state"]) == (RunState.FAILED, "failed")
        assert report["error"]["type"] in {"RangeError", "main.oddError", "OddError"}
        assert report["error"]["message"].startswith("odd   [2J half ")
        assert len(report["error"]["message"]) <= 4000

    def test_it_ends_without_a_report_when_its_run_is_cancelled(
        self, play: Play, api: ApiServer, attempt: Attempt
    ) -> None:
        def cancel_at_the_third(request: Request) -> None:
            if len(attempt.said) == 3:
                attempt.cancel()

        api.before = cancel_at_the_third
        assert play("wait", "unwanted") == ["told", "true"]
        assert attempt.reports() == []
        assert [what for what, _ in attempt.said] == ["heartbeat"] * len(attempt.said)

    def test_it_ends_without_a_report_when_the_attempt_is_over(self, play: Play, attempt: Attempt) -> None:
        attempt.over()
        assert play("wait") == ["told"]
        assert attempt.said == [("heartbeat", {})]

    def test_it_goes_on_when_the_service_is_out_of_order_for_a_while(
        self, play: Play, api: ApiServer, attempt: Attempt
    ) -> None:
        def busy_at_first(request: Request) -> Canned | None:
            if len(attempt.said) < 20:
                return problem(500)
            attempt.cancel()
            return None

        api.instead = busy_at_first
        assert play("wait") == ["told"]
        assert len(attempt.said) == 20
