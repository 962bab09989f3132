"""Attempts of a run and what they left, over HTTP."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryOutputs, MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Attempt, Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.report import keep_output
from minutehand.usecases.ports.outputs import whole
from tests.unit.api.conftest import NOON, PATH, Api

RUN = Run(
    key=RunKey.triggered(JobKey(namespace="demo", name="heartbeat"), NOON, "abc"),
    target="http",
    revision=1,
    claimed_at=NOON,
    expires_at=NOON + timedelta(days=30),
    state=RunState.SUCCEEDED,
    attempt=2,
    worker="2026/11/20/[7]def",
    started_at=NOON + timedelta(seconds=20),
    finished_at=NOON + timedelta(seconds=21),
    result=Result(type="http", status=200, body="done"),
    attempts=(
        Attempt(
            number=1,
            worker="",
            nonce="n",
            started_at=NOON,
            finished_at=NOON + timedelta(seconds=3),
            state=RunState.TIMED_OUT,
            error=RunError(type="Timeout", message="no answer"),
        ),
    ),
)
SHOWN = f"{PATH}/runs/{RUN.key.run_id}"


@pytest.fixture(autouse=True)
def _stored(state: MemoryState) -> None:
    state.runs[RUN.key] = RUN


def leave(state: MemoryState, body: str, *, attempt: int = 2) -> None:
    """Have an attempt leave a text, as a worker does."""
    result = Result(type="http", status=200, body=body)
    keep_output(MemoryOutputs(state), RUN.key, attempt, whole(result, None, RUN.expires_at), RUN.scheduled_for)
    if attempt == RUN.attempt:
        state.runs[RUN.key] = replace(RUN, result=result._replace(body=body[:256]), detailed=True)


def test_a_run_shows_the_log_that_its_target_answered_with(api: Api, state: MemoryState) -> None:
    assert "log" not in api.get(SHOWN).body["result"]
    result = Result(type="lambda", status=200, body="done", log="START\nEND\n")
    keep_output(MemoryOutputs(state), RUN.key, 2, whole(result, None, RUN.expires_at), RUN.scheduled_for)
    state.runs[RUN.key] = replace(RUN, detailed=True)
    assert api.get(SHOWN).body["result"] == {"type": "lambda", "status": 200, "body": "done", "log": "START\nEND\n"}


def test_a_run_shows_all_its_attempts_oldest_first(api: Api) -> None:
    assert api.get(SHOWN).body["attempts"] == [
        {
            "number": 1,
            "worker": None,
            "started_at": "2026-11-20T12:00:30Z",
            "finished_at": "2026-11-20T12:00:33Z",
            "state": "timed_out",
            "error": {"type": "Timeout", "message": "no answer", "stack": None},
            "lost_at": None,
        },
        {
            "number": 2,
            "worker": "2026/11/20/[7]def",
            "started_at": "2026-11-20T12:00:50Z",
            "finished_at": "2026-11-20T12:00:51Z",
            "state": "succeeded",
            "error": None,
            "lost_at": None,
        },
    ]


def test_a_short_output_is_whole_in_the_run(api: Api) -> None:
    expected = {"bytes": 4, "truncated": False, "cut": False, "url": f"{SHOWN}/output?attempt=2"}
    assert api.get(SHOWN).body["output"] == expected
    answer = api.get(f"{SHOWN}/output")
    assert (answer.status, answer.body) == (
        200,
        {
            "run_id": RUN.key.run_id,
            "job": "demo/heartbeat",
            "attempt": 2,
            "bytes": 4,
            "truncated": False,
            "cut": False,
            "text": "done",
            "url": None,
        },
    )


def test_the_run_shows_the_end_of_a_long_output_and_the_route_the_whole(api: Api, state: MemoryState) -> None:
    leave(state, "begin" + "x" * 5_000 + "end")
    shown = api.get(SHOWN).body
    assert (shown["result"]["body"][-4:], len(shown["result"]["body"])) == ("xend", 4096)
    assert (shown["output"]["bytes"], shown["output"]["truncated"]) == (5_008, True)
    assert api.get(f"{SHOWN}/output").body["text"] == "begin" + "x" * 5_000 + "end"


def test_a_very_long_output_is_answered_as_a_link(api: Api, state: MemoryState) -> None:
    leave(state, "x" * 600_000)
    answer = api.get(f"{SHOWN}/output").body
    assert (answer["text"], answer["bytes"], answer["truncated"]) == (None, 600_000, False)
    assert answer["url"].startswith("https://")


def test_the_output_of_an_earlier_attempt_is_read_by_its_number(api: Api, state: MemoryState) -> None:
    missing = api.get(f"{SHOWN}/output", query={"attempt": "1"})
    assert (missing.status, "attempt 1 of run" in missing.body["detail"]) == (404, True)
    leave(state, "first", attempt=1)
    answer = api.get(f"{SHOWN}/output", query={"attempt": "1"}).body
    assert (answer["attempt"], answer["text"]) == (1, "first")


@pytest.mark.parametrize("attempt", ["0", "-1", "one", "101", ""])
def test_an_invalid_attempt_number_is_400(api: Api, attempt: str) -> None:
    answer = api.get(f"{SHOWN}/output", query={"attempt": attempt})
    assert answer.status == 400
    assert "not an attempt number" in answer.errors["attempt"]["message"]


def test_an_unknown_attempt_and_an_unknown_run_are_404(api: Api) -> None:
    answer = api.get(f"{SHOWN}/output", query={"attempt": "3"})
    assert (answer.status, "has had 2 attempts" in answer.body["detail"]) == (404, True)
    assert api.get(f"{PATH}/runs/20261120T120000Z/output").status == 404


def test_reading_outputs_needs_a_viewer_of_the_namespace(api: Api) -> None:
    assert api.by(role="viewer", namespaces="other").get(f"{SHOWN}/output").status == 403
    assert api.by(role="viewer", namespaces="demo").get(f"{SHOWN}/output").status == 200
