"""Triggering jobs and reading runs over HTTP."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Result, Run, RunError, RunState, SkipReason, Usage
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.outputs import whole
from tests.unit.api.conftest import HEARTBEAT, JOB, NOON, PATH, Api, FakeClock

HOUR = NOON.replace(second=0)
RUN_ID = "20261120T120000Z"


def _run(**changed: object) -> Run:
    run = Run(
        key=RunKey.scheduled(HEARTBEAT, HOUR),
        target="http",
        revision=1,
        claimed_at=HOUR - timedelta(seconds=90),
        expires_at=HOUR + timedelta(days=30),
    )
    return replace(run, **changed)


def _keep(state: MemoryState, *runs: Run) -> None:
    state.runs.update((run.key, run) for run in runs)


def test_a_trigger_answers_202_and_the_queued_run(api: Api, state: MemoryState) -> None:
    api.put()
    answer = api.post(f"{PATH}/trigger")
    assert answer.status == 202
    assert answer.body["run_id"].startswith("20261120T120030Z~trigger-")
    assert answer.body["state"] == "queued"
    assert [message.run.run_id for message in state.messages] == [answer.body["run_id"]]
    assert api.get(f"{PATH}/runs/{answer.body['run_id']}").body == answer.body


def test_a_repeated_idempotency_key_answers_200_and_the_same_run(
    api: Api, state: MemoryState, clock: FakeClock
) -> None:
    api.put()
    first = api.post(f"{PATH}/trigger", headers={"Idempotency-Key": "deploy-7"})
    clock.move(seconds=5)
    again = api.post(f"{PATH}/trigger", headers={"idempotency-key": "deploy-7"})
    assert (first.status, again.status) == (202, 200)
    assert again.body == first.body
    assert len(state.messages) == 1


def test_without_an_idempotency_key_each_trigger_creates_a_run(api: Api) -> None:
    api.put()
    assert api.post(f"{PATH}/trigger").body["run_id"] != api.post(f"{PATH}/trigger").body["run_id"]


@pytest.mark.parametrize("key", ["", "two words", "k" * 129, "ü", "line\nbreak"])
def test_an_invalid_idempotency_key_is_400(api: Api, state: MemoryState, key: str) -> None:
    api.put()
    answer = api.post(f"{PATH}/trigger", headers={"Idempotency-Key": key})
    assert answer.status == 400
    assert answer.errors["Idempotency-Key"]["hint"].startswith("send 1 to 128 visible ASCII")
    assert not state.runs


@pytest.mark.parametrize("payload", [1, None, {"day": [1, "ü"]}])
def test_a_trigger_may_have_its_own_payload_and_ignore_the_overlap_policy(
    api: Api, state: MemoryState, payload: object
) -> None:
    api.put(JOB | {"payload": "the job's"})
    answer = api.post(f"{PATH}/trigger", body={"payload": payload, "ignore_overlap": True})
    assert answer.status == 202
    [run] = state.runs.values()
    assert (run.own_payload, run.overlap) == (True, Overlap.ALLOW)
    assert state.payloads[run.key].value == payload


def test_a_trigger_without_a_payload_uses_the_jobs(api: Api, state: MemoryState) -> None:
    api.put()
    api.post(f"{PATH}/trigger", body={"ignore_overlap": False})
    [run] = state.runs.values()
    assert (run.own_payload, run.overlap, state.payloads) == (False, None, {})


def test_a_trigger_of_a_job_that_no_agent_runs_names_no_node(api: Api, state: MemoryState) -> None:
    api.put()
    refused = api.post(f"{PATH}/trigger", body={"node": "web-1"})
    assert refused.status == 422
    assert "its target is of type http" in refused.errors["node"]["message"]
    assert not state.runs


def test_a_trigger_refuses_unknown_fields(api: Api, state: MemoryState) -> None:
    api.put()
    answer = api.post(f"{PATH}/trigger", body={"pay_load": 1, "ignore_overlap": "yes"})
    assert answer.status == 422
    assert answer.errors["pay_load"]["hint"] == "did you mean `payload`?"
    assert answer.errors["ignore_overlap"]["message"] == "this must be true or false, not text"
    assert api.post(f"{PATH}/trigger", body="[1]").status == 400
    assert not state.runs


def test_an_idempotency_key_reused_with_another_payload_is_409(api: Api, clock: FakeClock) -> None:
    api.put()
    headers = {"Idempotency-Key": "deploy-7"}
    first = api.post(f"{PATH}/trigger", body={"payload": 1}, headers=headers)
    clock.move(seconds=5)
    answer = api.post(f"{PATH}/trigger", body={"payload": True}, headers=headers)
    assert (answer.status, answer.body["type"]) == (409, "urn:problem-type:minutehand:key-reused")
    assert f"made run {first.body['run_id']} of demo/heartbeat, with another payload" in answer.body["detail"]
    assert api.post(f"{PATH}/trigger", body={"payload": 1}, headers=headers).body == first.body


def test_the_tilde_of_a_run_id_may_be_encoded(api: Api) -> None:
    api.put()
    run_id = api.post(f"{PATH}/trigger").body["run_id"]
    assert api.get(f"{PATH}/runs/{run_id.replace('~', '%7E')}").body["run_id"] == run_id


def test_a_paused_job_can_be_triggered(api: Api) -> None:
    api.put(JOB | {"paused": True})
    assert api.post(f"{PATH}/trigger").status == 202


def test_a_queued_run_has_neither_start_nor_end(api: Api, state: MemoryState) -> None:
    _keep(state, _run())
    assert api.get(f"{PATH}/runs/{RUN_ID}").body == {
        "run_id": RUN_ID,
        "job": "demo/heartbeat",
        "scheduled_for": "2026-11-20T12:00:00Z",
        "starts_at": "2026-11-20T12:00:00Z",
        "state": "queued",
        "attempt": 0,
        "claimed_at": "2026-11-20T11:58:30Z",
        "started_at": None,
        "finished_at": None,
        "lateness_ms": None,
        "duration_ms": None,
        "result": None,
        "error": None,
        "reason": None,
        "retry_at": None,
        "waits_for": None,
        "deadline_at": None,
        "lease_until": None,
        "cancelled_by": None,
        "blocked_by": None,
        "progress": None,
        "parents": [],
        "units": None,
        "attempts": [],
        "output": None,
    }


def test_a_run_shows_its_usage_with_record_units(api: Api, state: MemoryState) -> None:
    used = Usage(write=7.0, read=3.0, calls=4.0, messages=0.4, worker_ms=12)
    _keep(state, _run(units=used))
    shown = {
        "write": 7.0,
        "read": 3.0,
        "calls": 4.0,
        "messages": 0.4,
        "worker_ms": 12,
        "puts": 0,
        "stored_bytes": 0,
    }
    assert api.get(f"{PATH}/runs/{RUN_ID}").body["units"] == shown
    assert api.get(f"{PATH}/runs").body["items"][0]["units"] == shown


def test_a_succeeded_run_shows_result_lateness_and_duration(api: Api, state: MemoryState) -> None:
    started = HOUR + timedelta(milliseconds=1250)
    run = _run(
        state=RunState.SUCCEEDED,
        attempt=2,
        started_at=started,
        finished_at=started + timedelta(milliseconds=87),
        lateness=timedelta(milliseconds=1250),
        result=Result(type="http", status=200, body="fine"),
    )
    _keep(state, run)
    answer = api.get(f"{PATH}/runs/{RUN_ID}").body
    assert (answer["state"], answer["attempt"]) == ("succeeded", 2)
    assert (answer["started_at"], answer["finished_at"]) == ("2026-11-20T12:00:01.250Z", "2026-11-20T12:00:01.337Z")
    assert (answer["lateness_ms"], answer["duration_ms"]) == (1250, 87)
    assert answer["result"] == {"type": "http", "status": 200, "body": "fine"}
    assert answer["error"] is None


def test_a_run_shows_its_whole_output_and_a_list_only_the_beginning(api: Api, state: MemoryState) -> None:
    run = _run(
        state=RunState.FAILED,
        attempt=1,
        result=Result(type="http", status=500, body="begin"),
        error=RunError(type="HttpStatus", message="status 500"),
        detailed=True,
    )
    _keep(state, run)
    state.outputs[run.key, 1] = whole(
        Result(type="http", status=500, body="beginning and end"),
        RunError(type="HttpStatus", message="status 500", stack="Traceback …"),
        run.expires_at,
    )
    shown = api.get(f"{PATH}/runs/{RUN_ID}").body
    assert shown["result"]["body"] == "beginning and end"
    assert shown["error"] == {"type": "HttpStatus", "message": "status 500", "stack": "Traceback …"}
    [listed] = api.get(f"{PATH}/runs").body["items"]
    assert listed["result"]["body"] == "begin"
    assert listed["error"] == {"type": "HttpStatus", "message": "status 500", "stack": None}


def test_a_run_whose_whole_output_expired_shows_the_beginning(api: Api, state: MemoryState) -> None:
    _keep(state, _run(state=RunState.SUCCEEDED, result=Result(type="http", status=200, body="begin"), detailed=True))
    assert api.get(f"{PATH}/runs/{RUN_ID}").body["result"]["body"] == "begin"


@pytest.mark.parametrize(
    ("why", "word"),
    [(SkipReason.PAUSED, "paused"), (SkipReason.DELETED, "deleted"), (SkipReason.SUPERSEDED, "edit took effect")],
)
def test_a_skipped_run_says_why_in_a_sentence(api: Api, state: MemoryState, why: SkipReason, word: str) -> None:
    _keep(state, _run(state=RunState.SKIPPED, skip_reason=why, finished_at=HOUR))
    answer = api.get(f"{PATH}/runs/{RUN_ID}").body
    assert answer["state"] == "skipped"
    assert word in answer["reason"]


def test_a_reopened_run_has_no_skip_reason(api: Api, state: MemoryState) -> None:
    _keep(state, _run(state=RunState.QUEUED, skip_reason=SkipReason.PAUSED))
    assert api.get(f"{PATH}/runs/{RUN_ID}").body["reason"] is None


def test_other_items_of_the_store_cannot_be_read_as_runs(api: Api, state: MemoryState) -> None:
    _keep(state, _run(key=RunKey(job=HEARTBEAT, run_id=f"{RUN_ID}#1")))
    assert api.get(f"{PATH}/runs/{RUN_ID}%231").status == 404


def test_runs_are_listed_newest_first_in_pages(api: Api, state: MemoryState) -> None:
    api.put()
    _keep(state, *(_run(key=RunKey.scheduled(HEARTBEAT, HOUR - timedelta(hours=ago))) for ago in range(5)))
    seen: list[str] = []
    query = {"limit": "2"}
    for _ in range(3):
        page = api.get(f"{PATH}/runs", query=query).body
        seen += [run["run_id"] for run in page["items"]]
        query = {"limit": "2", "cursor": page["next"]}
    assert page["next"] is None
    assert seen == [f"20261120T{hour:02}0000Z" for hour in (12, 11, 10, 9, 8)]


def test_a_page_has_20_runs_by_default(api: Api, state: MemoryState) -> None:
    _keep(state, *(_run(key=RunKey.scheduled(HEARTBEAT, HOUR - timedelta(hours=ago))) for ago in range(30)))
    assert len(api.get(f"{PATH}/runs").body["items"]) == 20
    assert len(api.get(f"{PATH}/runs", query={"limit": "100"}).body["items"]) == 30


def test_a_job_without_runs_has_an_empty_list(api: Api) -> None:
    api.put()
    assert api.get(f"{PATH}/runs").body == {"items": [], "next": None}


def test_a_deleted_job_still_lists_its_runs(api: Api, state: MemoryState) -> None:
    api.put()
    _keep(state, _run())
    api.delete()
    assert [run["run_id"] for run in api.get(f"{PATH}/runs").body["items"]] == [RUN_ID]
    assert api.get(f"{PATH}/runs/{RUN_ID}").status == 200


def test_runs_of_an_unknown_job_are_404(api: Api) -> None:
    answer = api.get(f"{PATH}/runs")
    assert answer.status == 404
    assert "there never was one" in answer.body["detail"]


@pytest.mark.parametrize("run_id", [RUN_ID, "nonsense", "20261399T999999Z", "20261120T120000Z~output-1", "a~b"])
def test_a_run_that_does_not_exist_is_404(api: Api, run_id: str) -> None:
    api.put()
    answer = api.get(f"{PATH}/runs/{run_id}")
    assert answer.status == 404
    assert run_id in answer.body["detail"]
