"""Lists of runs in one state, and what a run shows in its state."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Attempt, Progress, RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import MOST_LOOKED_AT
from tests.unit.api.conftest import NOON, PATH, Api
from tests.unit.api.stored_runs import add

ACTIVE = ("queued", "running", "waiting", "retrying")


@pytest.mark.parametrize("wanted", [*RunState], ids=lambda one: one.value)
def test_runs_can_be_listed_by_state(api: Api, state: MemoryState, wanted: RunState) -> None:
    made = add(state, *RunState)
    api.put()
    items = api.get(f"{PATH}/runs", query={"state": wanted.value}).body["items"]
    assert [run["run_id"] for run in items] == [run.key.run_id for run in made if run.state is wanted]


def test_active_runs_are_those_that_have_not_ended(api: Api, state: MemoryState) -> None:
    add(state, *RunState)
    api.put()
    items = api.get(f"{PATH}/runs", query={"state": "active"}).body["items"]
    assert {run["state"] for run in items} == set(ACTIVE)


def test_runs_in_one_state_are_paged_and_each_page_reads_a_limited_number(api: Api, state: MemoryState) -> None:
    rare = [RunState.FAILED, *[RunState.SUCCEEDED] * MOST_LOOKED_AT] * 2 + [RunState.FAILED] * 3
    failed = [run.key.run_id for run in add(state, *rare) if run.state is RunState.FAILED]
    api.put()
    found: list[str] = []
    sizes = []
    query = {"state": "failed", "limit": "2"}
    while True:
        page = api.get(f"{PATH}/runs", query=query).body
        found += [run["run_id"] for run in page["items"]]
        sizes.append(len(page["items"]))
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert found == failed[::-1]
    assert sizes == [2, 1, 1, 1], "a page may be short before the end"


def test_an_unknown_state_is_400_and_the_states_are_listed(api: Api) -> None:
    api.put()
    answer = api.get(f"{PATH}/runs", query={"state": "broken"})
    assert answer.status == 400
    assert answer.errors["state"]["hint"] == (
        "give active, attention, or one of: queued, running, waiting, retrying, succeeded, failed, timed_out, cancelled, skipped, lost"
    )


def test_a_waiting_run_shows_its_deadline_and_progress(api: Api, state: MemoryState) -> None:
    [run] = add(
        state,
        RunState.WAITING,
        deadline_at=NOON,
        retry_at=NOON,
        cancelled_by="olga",
        progress=Progress(percent=40, text="copying"),
        parents=(RunKey(job=JobKey("demo", "extract"), run_id="20261120T120000Z"),),
    )
    shown = api.get(f"{PATH}/runs/{run.key.run_id}").body
    assert shown["deadline_at"] == shown["retry_at"] == "2026-11-20T12:00:30Z"
    assert shown["cancelled_by"] == "olga"
    assert shown["progress"] == {"percent": 40, "text": "copying"}
    assert shown["parents"] == [{"job": "demo/extract", "run_id": "20261120T120000Z"}]


def test_a_skipped_run_names_the_run_that_blocked_it(api: Api, state: MemoryState) -> None:
    [run] = add(state, RunState.SKIPPED, skip_reason=SkipReason.OVERLAP, blocked_by="20261120T110000Z")
    shown = api.get(f"{PATH}/runs/{run.key.run_id}").body
    assert shown["reason"] == "another run of the job was active or waiting: run 20261120T110000Z"
    assert shown["blocked_by"] == "20261120T110000Z"


def test_a_retrying_run_has_no_end_although_its_attempt_has(api: Api, state: MemoryState) -> None:
    [run] = add(state, RunState.RETRYING, attempt=1, started_at=NOON, finished_at=NOON + timedelta(seconds=2))
    shown = api.get(f"{PATH}/runs/{run.key.run_id}").body
    assert (shown["finished_at"], shown["duration_ms"]) == (None, 2000)
    assert [attempt["finished_at"] for attempt in shown["attempts"]] == ["2026-11-20T12:00:32Z"]


def test_an_attempt_that_ended_before_its_run_is_listed_once_with_its_duration(api: Api, state: MemoryState) -> None:
    ended = NOON + timedelta(seconds=2)
    attempt = Attempt(1, "log-1", "", NOON, ended, RunState.FAILED, RunError("HttpStatus", "…"))
    [run] = add(
        state,
        RunState.CANCELLED,
        attempt=1,
        started_at=NOON,
        finished_at=NOON + timedelta(minutes=1),
        attempts=(attempt,),
    )
    shown = api.get(f"{PATH}/runs/{run.key.run_id}").body
    assert (shown["finished_at"], shown["duration_ms"]) == ("2026-11-20T12:01:30Z", 2000)
    assert [(one["number"], one["finished_at"]) for one in shown["attempts"]] == [(1, "2026-11-20T12:00:32Z")]


@pytest.mark.parametrize(
    ("type_", "state_"), [("HttpStatus", "failed"), ("TimedOut", "timed_out"), ("Cancelled", "cancelled")]
)
def test_an_attempt_that_ended_before_a_cancel_keeps_its_own_state(
    api: Api, state: MemoryState, type_: str, state_: str
) -> None:
    error = RunError(type_, "…")
    [run] = add(
        state, RunState.CANCELLED, attempt=1, started_at=NOON, finished_at=NOON, cancelled_by="ada", error=error
    )
    shown = api.get(f"{PATH}/runs/{run.key.run_id}").body
    assert (shown["state"], [attempt["state"] for attempt in shown["attempts"]]) == ("cancelled", [state_])
