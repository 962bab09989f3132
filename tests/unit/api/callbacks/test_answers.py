"""Reports and heartbeats of targets that answer later, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.run import Progress, Result, RunError, RunState
from tests.unit.api.callbacks.waiting import RUN_ID, TOKEN, WAITING
from tests.unit.api.conftest import JOB, NOON, PATH, Answer, Api, FakeClock


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


def test_a_report_of_failure_may_have_a_stack_trace(say: Callable[..., Answer], api: Api) -> None:
    error = {"type": "KeyError", "message": "'day'", "stack": 'Traceback …\n  File "jobs.py", line 3'}
    assert say("report", {"state": "failed", "error": error}).body["state"] == "failed"
    assert api.get(f"{PATH}/runs/{RUN_ID}").body["error"] == error


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


@pytest.mark.parametrize("state_", ["succeeded", "failed"])
def test_the_token_with_which_a_target_reports_is_not_kept(
    say: Callable[..., Answer], state: MemoryState, api: Api, state_: str
) -> None:
    say("progress", {"text": f"with {TOKEN}"})
    progress = state.runs[WAITING.key].progress
    assert progress is not None
    assert progress.text == "with ****"
    error = {"type": "Denied", "message": f"no {TOKEN}", "stack": f"at {TOKEN[3:]}"}
    said = {"state": state_, "result": {"headers": {"Minutehand-Token": TOKEN}, "end": "x" * 5000 + TOKEN}}
    say("report", said if state_ == "succeeded" else said | {"error": error})
    assert state.runs[WAITING.key].state is RunState(state_)
    kept = [*map(repr, vars(state).values()), str(api.get(f"{PATH}/runs/{RUN_ID}").body)]
    kept.append(str(api.get(f"{PATH}/runs/{RUN_ID}/output").body))
    assert "****" in "".join(kept)
    assert TOKEN not in "".join(kept)
    assert TOKEN[3:] not in "".join(kept)
