"""What targets that answer later may say, and what is refused of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryDefinitions, MemoryState
from minutehand.client import late_answer
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Attempt, Progress, Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce
from minutehand.entrypoints import telemetry
from minutehand.entrypoints.api.documents import requests
from minutehand.entrypoints.api.forms.request import LARGEST_BODY
from tests.unit.api.conftest import JOB, NOON, PATH, Answer, Api, FakeClock

TOKEN = "the-attempts-own-token"
RUN_ID = "20261120T120000Z"
RUN = f"/v1/callbacks/demo/heartbeat/{RUN_ID}"
ATTEMPT = f"{RUN}/2"
WAITING = Run(
    key=RunKey(JobKey("demo", "heartbeat"), RUN_ID),
    target="http",
    revision=1,
    claimed_at=NOON,
    expires_at=NOON + timedelta(days=30),
    state=RunState.WAITING,
    attempt=2,
    nonce=attempt_nonce(TOKEN),
    started_at=NOON,
    lateness=timedelta(0),
    lease_until=NOON + timedelta(seconds=30),
    deadline_at=NOON + timedelta(hours=1),
    attempts=(Attempt(1, "w", attempt_nonce("older"), NOON, NOON, RunState.FAILED, None),),
)


@pytest.fixture
def run(api: Api, state: MemoryState) -> Run:
    api.put(JOB | {"timeout": "1h", "target": JOB["target"] | {"heartbeat": "30s"}})
    state.runs[WAITING.key] = WAITING
    return WAITING


@pytest.fixture
def say(api: Api, run: Run) -> Callable[..., Answer]:
    def send(what: str, body: Any = None, *, token: str = TOKEN, path: str = ATTEMPT) -> Answer:
        headers = {"minutehand-token": token} if token else {}
        return api.by(authorized=False).post(f"{path}/{what}", body={} if body is None else body, headers=headers)

    return send


def test_a_report_of_success_ends_the_run_and_its_result_is_kept(
    say: Callable[..., Answer], state: MemoryState, api: Api
) -> None:
    answer = say("report", {"state": "succeeded", "result": {"rows": 7, "of": "Grün"}})
    assert (answer.status, answer.body) == (
        200,
        {"state": "succeeded", "cancel": False, "deadline": None, "lease_until": None, "lease_ms": None},
    )
    run = state.runs[WAITING.key]
    assert (run.state, run.finished_at) == (RunState.SUCCEEDED, NOON)
    assert run.result == Result(type="callback", status=0, body='{"rows":7,"of":"Grün"}')
    shown = api.get(f"{PATH}/runs/{RUN_ID}").body["result"]
    assert shown["type"] == "callback"
    assert shown["status"] is None


def test_a_report_of_failure_names_what_went_wrong(say: Callable[..., Answer], state: MemoryState) -> None:
    error = {"type": "DiskFull", "message": "no room\nfor the copy"}
    assert say("report", {"state": "failed", "error": error}).body["state"] == "failed"
    run = state.runs[WAITING.key]
    assert (run.state, run.result) == (RunState.FAILED, None)
    assert run.error is not None
    assert (run.error.type, run.error.message) == ("DiskFull", "no room\nfor the copy")


def test_a_report_of_failure_needs_no_error(say: Callable[..., Answer], state: MemoryState) -> None:
    say("report", {"state": "failed"})
    assert state.runs[WAITING.key].error == RunError(
        type="Failed", message="the target reported a failure without a reason"
    )


def test_a_failure_that_is_retried_is_answered_as_retrying(api: Api, say: Callable[..., Answer]) -> None:
    api.put(JOB | {"retry": {"max_attempts": 3}})
    answer = say("report", {"state": "failed"})
    assert (answer.body["state"], answer.body["lease_until"]) == ("retrying", None)


def test_progress_is_kept_and_extends_the_lease(
    say: Callable[..., Answer], state: MemoryState, clock: FakeClock
) -> None:
    clock.move(seconds=20)
    answer = say("progress", {"percent": 40, "text": "2 of 5 files"})
    assert answer.body == {
        "state": "waiting",
        "cancel": False,
        "deadline": "2026-11-20T13:00:30Z",
        "lease_until": "2026-11-20T12:01:20Z",
        "lease_ms": 30_000,
    }
    assert state.runs[WAITING.key].progress == Progress(percent=40, text="2 of 5 files")


@pytest.mark.parametrize("said", [{"percent": 0}, {"percent": 100}, {"text": "nearly"}])
def test_progress_may_be_a_number_or_a_line(
    say: Callable[..., Answer], state: MemoryState, said: dict[str, Any]
) -> None:
    assert say("progress", said).status == 200
    assert state.runs[WAITING.key].progress == Progress(percent=said.get("percent"), text=said.get("text", ""))


def test_a_heartbeat_may_carry_progress(say: Callable[..., Answer], state: MemoryState, clock: FakeClock) -> None:
    clock.move(seconds=5)
    assert say("heartbeat").body["lease_ms"] == 30_000
    assert state.runs[WAITING.key].progress is None
    say("heartbeat", {"percent": 1})
    say("heartbeat")
    assert state.runs[WAITING.key].progress == Progress(percent=1, text="")


def test_only_a_heartbeat_needs_no_body(say: Callable[..., Answer], clock: FakeClock) -> None:
    clock.move(seconds=5)
    assert say("heartbeat", "").body["lease_ms"] == 30_000
    assert [say(what, "").status for what in ("progress", "report")] == [400, 400]


def test_a_heartbeat_answers_that_the_run_was_cancelled(say: Callable[..., Answer], state: MemoryState) -> None:
    state.runs[WAITING.key] = replace(WAITING, cancelled_by="ada")
    answer = say("heartbeat")
    assert (answer.body["state"], answer.body["cancel"]) == ("cancelled", True)
    assert state.runs[WAITING.key].state is RunState.CANCELLED


@pytest.mark.parametrize(
    "headers",
    [
        {"Minutehand-Token": TOKEN},
        {"MINUTEHAND-TOKEN": f" {TOKEN} "},
        {"Authorization": f"Bearer {TOKEN}"},
        {"authorization": f"bearer {TOKEN}"},
        {"authorization": "Basic YTpi", "minutehand-token": TOKEN},
    ],
)
def test_the_token_may_be_in_either_header(api: Api, run: Run, headers: dict[str, str]) -> None:
    assert api.by(authorized=False).post(f"{ATTEMPT}/heartbeat", body={}, headers=headers).status == 200


@pytest.mark.parametrize("headers", [{}, {"authorization": "Basic YTpi"}, {"authorization": "Bearer"}])
def test_a_callback_without_a_token_is_refused(api: Api, run: Run, headers: dict[str, str]) -> None:
    answer = api.post(f"{ATTEMPT}/heartbeat", body={}, headers=headers)
    assert answer.status == 401
    assert "Minutehand-Token" in answer.body["detail"]


@pytest.mark.parametrize(
    "path",
    [
        ATTEMPT,
        f"{RUN}/1",
        f"{RUN}/3",
        f"{RUN}/0",
        f"{RUN}/two",
        ATTEMPT.replace(RUN_ID, "20261120T130000Z"),
        ATTEMPT.replace(RUN_ID, "nonsense"),
        ATTEMPT.replace("heartbeat", "no-such-job"),
        ATTEMPT.replace("demo", "no-such-namespace"),
    ],
)
def test_a_wrong_token_gets_the_same_answer_for_any_run(
    say: Callable[..., Answer], state: MemoryState, path: str
) -> None:
    answers = [say(what, {"state": "failed"} if what == "report" else {}, token="foreign", path=path)
               for what in ("report", "heartbeat")]  # fmt: skip
    assert {answer.status for answer in answers} == {403}
    assert {answer.body["detail"] for answer in answers} == {
        "the token does not belong to this attempt of this run; send the one that came with the call"
    }
    assert state.runs[WAITING.key] == WAITING


def test_the_token_of_an_earlier_attempt_is_refused(say: Callable[..., Answer], state: MemoryState) -> None:
    earlier = f"{RUN}/1"
    answer = say("report", {"state": "succeeded"}, token="older", path=earlier)
    assert answer.status == 409
    assert "attempt 1" in answer.body["detail"]
    assert say("report", {"state": "succeeded"}, token="older").status == 403
    assert state.runs[WAITING.key] == WAITING


def test_a_second_report_is_refused_with_the_state_of_the_run(say: Callable[..., Answer], state: MemoryState) -> None:
    say("report", {"state": "succeeded"})
    before = state.runs[WAITING.key]
    for what, body in (("report", {"state": "failed"}), ("progress", {"percent": 1}), ("heartbeat", {})):
        answer = say(what, body)
        assert answer.status == 409
        assert "succeeded" in answer.body["detail"]
    assert state.runs[WAITING.key] == before


@pytest.mark.parametrize(
    ("what", "body", "path", "message", "hint"),
    [
        ("report", {}, "state", "this is required", 'write "succeeded" or "failed"'),
        ("report", {"state": "done"}, "state", "is not a valid value", "'succeeded' or 'failed'"),
        ("report", {"state": "timed_out"}, "state", "is not a valid value", "'succeeded' or 'failed'"),
        ("report", {"state": "failed", "reason": "x"}, "reason", "unknown field", "the fields are: state"),
        ("report", {"state": "succeeded", "error": {"type": "A"}}, "error", "has no error", "leave it out"),
        ("report", {"state": "failed", "error": "x"}, "error", "must be an object", "{…}"),
        ("report", {"state": "failed", "error": {"message": "x"}}, "error.type", "required", "one word"),
        ("report", {"state": "failed", "error": {"type": "a b"}}, "error.type", "not an error type", "one word"),
        ("report", {"state": "failed", "error": {"type": "A" * 65}}, "error.type", "not an error type", "at most 64"),
        ("report", {"state": "failed", "error": {"type": "A", "message": "x" * 4001}}, "error.message", "4,000", ""),
        (
            "report",
            {"state": "failed", "error": {"type": "A", "message": "\x1b[2J"}},
            "error.message",
            "not allowed",
            "",
        ),
        ("progress", {}, "percent", "percent and text are both missing", "heartbeat"),
        ("progress", {"percent": 101}, "percent", "101 is out of range", "give 0 to 100"),
        ("progress", {"percent": -1}, "percent", "-1 is out of range", "give 0 to 100"),
        ("progress", {"percent": 0.5}, "percent", "must be a whole number", "fraction"),
        ("progress", {"percent": "40"}, "percent", "must be a whole number", "quotes"),
        ("progress", {"percent": True}, "percent", "must be a whole number", "quotes"),
        ("progress", {"text": "a\nb"}, "text", "is not allowed here", "one line"),
        ("progress", {"text": "x" * 201}, "text", "201 characters; 200 is the most", "shorten"),
        ("progress", {"procent": 4}, "procent", "unknown field", "`percent`"),
        ("heartbeat", {"percent": 101}, "percent", "101 is out of range", "give 0 to 100"),
    ],
)
def test_an_invalid_callback_is_refused_with_the_path_of_each_error(
    say: Callable[..., Answer], state: MemoryState, what: str, body: object, path: str, message: str, hint: str
) -> None:
    answer = say(what, body)
    assert answer.status == 422
    assert message in answer.errors[path]["message"]
    assert hint in answer.errors[path].get("hint", "")
    assert state.runs[WAITING.key] == WAITING


@pytest.mark.parametrize("body", ["", "null", "[1]", "{", '{"state": NaN}'])
def test_a_body_that_is_not_a_json_object_is_refused(say: Callable[..., Answer], body: str) -> None:
    assert say("report", body).status == 400


def test_a_result_that_is_too_large_is_refused_with_a_hint(say: Callable[..., Answer], state: MemoryState) -> None:
    answer = say("report", {"state": "succeeded", "result": "x" * 2_000_000})
    assert answer.status == 413
    assert "store large data elsewhere and put its address into the result" in answer.body["detail"]
    assert state.runs[WAITING.key] == WAITING
    assert say("report", {"state": "succeeded", "result": "x" * (LARGEST_BODY - 100)}).status == 200


def test_the_sdk_never_sends_a_message_that_is_too_long() -> None:
    assert late_answer.LONGEST_MESSAGE == requests.LONGEST_MESSAGE


def test_a_report_is_logged_and_its_token_is_not(
    say: Callable[..., Answer], lines: Callable[[], list[dict[str, Any]]]
) -> None:
    say("report", {"state": "succeeded"})
    [line] = [line for line in lines() if line.get("action") == "report"]
    assert (line["job"], line["run_id"], line["attempt"]) == ("demo/heartbeat", RUN_ID, 2)
    assert TOKEN not in str(line)


@pytest.mark.parametrize("what", ["report", "progress", "heartbeat"])
@pytest.mark.parametrize("body", ["{", "[]", {"unknown": 1}, "x" * (LARGEST_BODY + 1)], ids=lambda body: str(body)[:9])
def test_the_token_is_judged_before_the_body(say: Callable[..., Answer], what: str, body: Any) -> None:
    assert say(what, body, token="garbage").status == 403
    assert say(what, body).status in (400, 413, 422)


def test_a_garbage_token_costs_one_read(say: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(*_: Any) -> None:
        raise AssertionError("a caller without the token had the definition read")

    monkeypatch.setattr(MemoryDefinitions, "get", unread)
    assert say("report", {"state": "failed"}, token="garbage").status == 403


@pytest.fixture
def counted() -> Callable[[], dict[str, list[float]]]:
    telemetry.metrics.clear_metrics()
    return lambda: {name: one["Value"] for name, one in telemetry.metrics.metric_set.items()}


@pytest.mark.parametrize(("ends", "metric"), [("succeeded", "RunsSucceeded"), ("failed", "RunsFailed")])
def test_the_end_of_a_run_that_its_target_reports_is_counted_once(
    say: Callable[..., Answer], counted: Callable[[], Any], ends: str, metric: str
) -> None:
    assert say("report", {"state": ends}).status == 200
    assert say("report", {"state": ends}).status == 409
    assert counted() == {metric: [1]}


def test_a_cancel_is_counted_once(api: Api, counted: Callable[[], Any], clock: FakeClock) -> None:
    api.put(JOB)
    run_id = api.post(f"{PATH}/trigger").body["run_id"]
    for _ in range(2):
        assert api.post(f"{PATH}/runs/{run_id}/cancel").status == 200
        clock.move(seconds=1)
    assert counted() == {"RunsCancelled": [1]}


def test_a_run_that_ends_because_its_target_hears_of_the_cancel_is_counted(
    api: Api, say: Callable[..., Answer], counted: Callable[[], Any]
) -> None:
    assert say("heartbeat").status == 200
    assert api.post(f"{PATH}/runs/{RUN_ID}/cancel").status == 202
    assert counted() == {}
    assert say("heartbeat").body["state"] == "cancelled"
    assert counted() == {"RunsCancelled": [1]}
