"""A purge removes what a job's runs have left behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from minutehand.adapters.memory import MemoryOutputs, MemoryState
from minutehand.domain.run import Result, Run, RunState
from minutehand.usecases.ports.outputs import Output
from tests.unit.api.conftest import HEARTBEAT, NOON, PATH, Api
from tests.unit.api.stored_runs import add

DAY = timedelta(days=1)


def old(state: MemoryState, runs: Sequence[Run]) -> None:
    """Make runs two days old."""
    for run in runs:
        state.runs[run.key] = replace(run, claimed_at=NOON - 2 * DAY)


def ids(runs: Sequence[Run]) -> list[str]:
    return [run.key.run_id for run in reversed(runs)]


def with_output(state: MemoryState, run: Run) -> None:
    output = Output(
        result=Result(type="http", status=200, body="secret"),
        error=None,
        size=6,
        expires_at=NOON + DAY,
    )
    MemoryOutputs(state).keep(run.key, 1, output)


def test_old_runs_are_removed_and_those_of_the_last_day_lose_their_outputs(api: Api, state: MemoryState) -> None:
    api.put()
    state.runs.clear()
    gone = add(state, RunState.SUCCEEDED, RunState.FAILED)
    old(state, gone)
    fresh = add(state, RunState.SUCCEEDED)
    with_output(state, fresh[0])
    answer = api.post(f"{PATH}/purge", body={})
    left = {key.run_id for key in state.runs}
    assert answer.status == 200
    assert answer.body["removed"] == [each for each in ids(gone) if each not in left]
    assert answer.body["emptied"] == ids(fresh)
    assert (answer.body["active"], answer.body["next"], state.outputs) == ([], None, {})
    assert left == {fresh[0].key.run_id}


def test_active_runs_keep_everything(api: Api, state: MemoryState) -> None:
    api.put()
    state.runs.clear()
    active = add(state, RunState.RUNNING, RunState.QUEUED)
    old(state, active)
    body = api.post(f"{PATH}/purge", body={}).body
    assert (body["removed"], body["emptied"], body["active"]) == ([], [], ids(active))
    assert {key.run_id for key in state.runs} == set(ids(active))


def test_a_purge_spares_runs_scheduled_at_its_instant_or_later(api: Api, state: MemoryState) -> None:
    api.put()
    state.runs.clear()
    runs = add(state, RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.SUCCEEDED)
    old(state, runs)
    before = runs[1].scheduled_for.isoformat().replace("+00:00", "Z")
    assert api.post(f"{PATH}/purge", body={"before": before}).body["removed"] == [runs[0].key.run_id]
    assert len(state.runs) == 2


def test_a_purge_goes_page_by_page_and_works_for_a_deleted_job(api: Api, state: MemoryState) -> None:
    api.put()
    api.delete()
    state.runs.clear()
    old(state, add(state, *[RunState.SUCCEEDED] * 5))
    removed: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        body = api.post(f"{PATH}/purge", body={}, query={"limit": "2", **cursor}).body
        removed += body["removed"]
        if body["next"] is None:
            break
        cursor = {"cursor": body["next"]}
    assert (len(removed), dict(state.runs)) == (5, {})


def test_a_purge_is_on_record_and_only_for_admins(api: Api, state: MemoryState) -> None:
    api.put()
    state.runs.clear()
    old(state, add(state, RunState.SUCCEEDED))
    assert api.by(role="operator").post(f"{PATH}/purge", body={}).status == 403
    api.by(token="eve").post(f"{PATH}/purge", body={})
    [record, *_] = api.get("/v1/audit", query={"namespace": HEARTBEAT.namespace}).body["items"]
    assert (record["actor"], record["action"], len(record["about"]["runs"])) == ("eve", "purge", 1)


def test_a_job_that_never_was_has_nothing_to_purge(api: Api) -> None:
    assert api.post(f"{PATH}/purge", body={}).status == 404
