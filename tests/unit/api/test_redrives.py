"""Redriving the overdue and lost runs of a job."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryOutbox, MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Payload
from tests.unit.api.conftest import HEARTBEAT, JOB, NOON, PATH, Api, FakeClock
from tests.unit.api.stored_runs import add, redriven


def test_a_redrive_sends_only_overdue_runs_again(api: Api, state: MemoryState) -> None:
    api.put()
    add(state, RunState.SUCCEEDED)
    waits = add(state, RunState.RUNNING, RunState.QUEUED, lease_until=NOON + timedelta(minutes=1), attempt=1)
    state.messages.clear()
    assert redriven(api) == [waits[1].key.run_id]
    assert [(message.run, message.not_before) for message in state.messages] == [(waits[1].key, NOON)]
    assert state.runs[waits[1].key].resent_at == NOON


def test_a_redrive_whose_messages_the_queue_does_not_take_is_no_success(
    api: Api, state: MemoryState, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.put()
    [run] = add(state, RunState.QUEUED)
    monkeypatch.setattr(MemoryOutbox, "send", lambda _, messages: [False] * len(messages))
    assert api.post(f"{PATH}/redrive").status == 503
    monkeypatch.undo()
    assert redriven(api) == [run.key.run_id]


def test_a_redrive_of_overdue_runs_is_paged(api: Api, state: MemoryState) -> None:
    api.put()
    made = [run.key.run_id for run in add(state, *[RunState.QUEUED] * 3)]
    first = api.post(f"{PATH}/redrive", query={"limit": "2"}).body
    assert [run["run_id"] for run in first["items"]] == made[:0:-1]
    assert redriven(api, limit="2", cursor=first["next"]) == made[:1]
    assert api.post(f"{PATH}/redrive", query={"cursor": "x"}).status == 400


def test_a_single_run_is_sent_again_only_if_overdue(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put()
    [run] = add(state, RunState.RUNNING, attempt=1, lease_until=NOON + timedelta(seconds=10))
    early = api.post(f"{PATH}/redrive", body={"run_id": run.key.run_id})
    assert early.status == 409
    assert "is running and not overdue: a worker checks it at 2026-11-20T12:00:40Z" in early.body["detail"]
    clock.move(seconds=10)
    assert redriven(api, {"run_id": run.key.run_id}) == [run.key.run_id]
    assert state.messages[-1].attempt == 2


def test_redriving_an_ended_run_repeats_its_follow_up(api: Api, state: MemoryState) -> None:
    api.put()
    [run] = add(state, RunState.FAILED)
    assert redriven(api, {"run_id": run.key.run_id}) == [run.key.run_id]
    assert state.messages[-1].run == run.key
    assert state.runs[run.key] == run


def test_a_lost_run_is_replaced_once(api: Api, state: MemoryState) -> None:
    api.put()
    lost = add(state, RunState.LOST, RunState.FAILED, RunState.LOST, claimed_at=NOON)
    new = redriven(api, {"lost": True})
    assert len(set(new)) == 2
    assert [run_id.partition("~trigger-")[0] for run_id in new] == [lost[2].key.run_id, lost[0].key.run_id]
    assert redriven(api, {"lost": True}) == new
    assert redriven(api, {"lost": True, "run_id": lost[0].key.run_id}) == new[1:]


def test_a_replacement_of_a_lost_run_has_its_payload(api: Api, ports: Ports, state: MemoryState) -> None:
    api.put()
    asked = api.post(f"{PATH}/trigger", body={"payload": {"day": 1}, "ignore_overlap": True}).body
    key = RunKey(HEARTBEAT, asked["run_id"])
    state.runs[key] = replace(state.runs[key], state=RunState.LOST)
    [new] = redriven(api, {"lost": True})
    made = state.runs[RunKey(HEARTBEAT, new)]
    assert ports.runs.payload(made.key) == Payload({"day": 1})
    assert made.overlap is Overlap.ALLOW


def test_a_lost_run_whose_payload_expired_is_not_replaced(api: Api, state: MemoryState) -> None:
    api.put()
    kept, gone = add(state, RunState.LOST, RunState.LOST, claimed_at=NOON)
    state.runs[gone.key] = replace(gone, own_payload=True)
    assert len(redriven(api, {"lost": True})) == 1, "the other one alone"
    answer = api.post(f"{PATH}/redrive", body={"lost": True, "run_id": gone.key.run_id})
    assert (answer.status, kept.own_payload) == (409, False)
    assert "is gone, since its retention is over; trigger the job with a payload" in answer.body["detail"]


def test_a_replacement_of_a_lost_run_has_its_parents(api: Api, state: MemoryState) -> None:
    api.put()
    parents = (RunKey(job=JobKey("demo", "extract"), run_id="20261120T120000Z"),)
    add(state, RunState.LOST, parents=parents, claimed_at=NOON)
    [new] = redriven(api, {"lost": True})
    assert state.runs[RunKey(HEARTBEAT, new)].parents == parents


def test_a_run_that_is_not_lost_is_not_replaced(api: Api, state: MemoryState) -> None:
    api.put()
    [run] = add(state, RunState.FAILED)
    answer = api.post(f"{PATH}/redrive", body={"lost": True, "run_id": run.key.run_id})
    assert answer.status == 409
    assert "was not lost: it is failed" in answer.body["detail"]


@pytest.mark.parametrize(
    ("body", "path"), [({"run_id": "20261120"}, "run_id"), ({"run_id": 5}, "run_id"), ({"lst": True}, "lst")]
)
def test_an_invalid_redrive_is_422(api: Api, body: Any, path: str) -> None:
    api.put()
    assert set(api.post(f"{PATH}/redrive", body=body).errors) == {path}


def test_a_redrive_of_an_unknown_run_or_job_is_404(api: Api) -> None:
    assert api.post(f"{PATH}/redrive").status == 404
    api.put(JOB)
    assert api.post(f"{PATH}/redrive", body={"run_id": "20261120T110000Z"}).status == 404
