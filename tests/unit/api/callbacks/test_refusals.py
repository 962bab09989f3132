"""Callbacks that are refused: by their token, their body, or the state of the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryDefinitions, MemoryState
from minutehand.client import late_answer
from minutehand.domain.run import Run
from minutehand.entrypoints.api.documents import requests
from minutehand.entrypoints.api.forms.request import LARGEST_BODY
from tests.unit.api.callbacks.waiting import ATTEMPT, RUN, RUN_ID, TOKEN, WAITING
from tests.unit.api.conftest import Answer, Api


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
    answer = api.by(authorized=False).post(f"{ATTEMPT}/heartbeat", body={}, headers=headers)
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
