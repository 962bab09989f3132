"""Runs in one state, cancelling and redriving over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryOutbox, MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Attempt, Progress, Run, RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.operations.redrive import PAGES
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import MOST_LOOKED_AT, Payload
from tests.unit.api.conftest import HEARTBEAT, JOB, NOON, PATH, Api, FakeClock

ACTIVE = ("queued", "running", "waiting", "retrying")


def add(state: MemoryState, *states: RunState, **fields: Any) -> Sequence[Run]:
    """Runs of the minutes up to noon, the last given the newest."""
    made = []
    for n, each in enumerate(states):
        at = NOON - timedelta(minutes=len(states) - n)
        run = Run(
            key=RunKey.scheduled(HEARTBEAT, at),
            target="http",
            revision=1,
            claimed_at=at,
            expires_at=NOON + timedelta(days=1),
            state=each,
        )
        made.append(replace(run, **fields))
    state.runs.update((run.key, run) for run in made)
    return made


def redriven(api: Api, body: Any = None, **query: str) -> list[str]:
    answer = api.post(f"{PATH}/redrive", body=body, query=query or None)
    assert answer.status == 200
    return [run["run_id"] for run in answer.body["items"]]


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
        "give active, or one of: queued, running, waiting, retrying, succeeded, failed, timed_out, cancelled, skipped, lost"
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


def test_a_queued_run_is_cancelled_at_once(api: Api) -> None:
    api.put()
    run_id = api.post(f"{PATH}/trigger").body["run_id"]
    operator = api.by(token="olga", role="operator")
    answer = operator.post(f"{PATH}/runs/{run_id}/cancel")
    assert (answer.status, answer.body["state"], answer.body["cancelled_by"]) == (200, "cancelled", "olga")
    again = operator.post(f"{PATH}/runs/{run_id}/cancel")
    assert (again.status, again.body) == (200, answer.body)


def test_cancelling_a_running_run_only_records_the_request(api: Api, state: MemoryState) -> None:
    api.put()
    [run] = add(state, RunState.RUNNING, attempt=1, nonce="n", started_at=NOON, lease_until=NOON + timedelta(minutes=1))
    answer = api.post(f"{PATH}/runs/{run.key.run_id}/cancel")
    assert (answer.status, answer.body["state"], answer.body["cancelled_by"]) == (202, "running", "ada")


def test_an_ended_run_cannot_be_cancelled(api: Api, state: MemoryState) -> None:
    api.put()
    [run] = add(state, RunState.SUCCEEDED)
    answer = api.post(f"{PATH}/runs/{run.key.run_id}/cancel")
    assert answer.status == 409
    assert "has ended already: succeeded" in answer.body["detail"]


@pytest.mark.parametrize("run_id", ["20261120T110000Z", "nonsense", "20261120T110000Z~x", "payload"])
def test_cancelling_an_unknown_run_is_404(api: Api, run_id: str) -> None:
    api.put()
    assert api.post(f"{PATH}/runs/{run_id}/cancel").status == 404


def test_cancelling_needs_an_operator_and_redriving_an_admin(api: Api) -> None:
    api.put()
    assert api.by(role="viewer").post(f"{PATH}/runs/20261120T110000Z/cancel").status == 403
    assert api.by(role="operator").post(f"{PATH}/redrive").status == 403


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


def _of_jobs(api: Api, state: MemoryState, *names: str, each: int, run_state: RunState = RunState.QUEUED) -> list[Run]:
    """Overdue runs of several jobs of the namespace, by job, newest first."""
    made: list[Run] = []
    for name in names:
        key = JobKey(namespace=HEARTBEAT.namespace, name=name)
        assert api.put({**JOB, "name": name, "schedule": "@manual"}, path=f"/v1/namespaces/{key.namespace}/jobs/{name}")
        for n in range(1, each + 1):
            at = NOON - timedelta(minutes=n)
            run = Run(
                key=RunKey.scheduled(key, at),
                target="http",
                revision=1,
                claimed_at=NOON,
                expires_at=NOON + timedelta(days=1),
                state=run_state,
            )
            state.runs[run.key] = run
            made.append(run)
    return made


def _all_pages(api: Api, path: str, body: Any = None, **query: str) -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = api.post(path, body=body, query=query | ({"cursor": cursor} if cursor else {}) or None)
        assert answer.status == 200, answer.body
        found.append([(run["job"], run["run_id"]) for run in answer.body["items"]])
        cursor = answer.body["next"]
    return found


@pytest.mark.parametrize("limit", ["1", "2", "3", "4", "100"])
def test_a_whole_namespace_is_redriven_page_by_page(api: Api, state: MemoryState, limit: str) -> None:
    made = _of_jobs(api, state, "a", "b", "c", each=3)
    path = f"/v1/namespaces/{HEARTBEAT.namespace}/redrive"
    pages = _all_pages(api, path, limit=limit)
    assert [one for page in pages for one in page] == [(str(run.key.job), run.key.run_id) for run in made]
    assert max(map(len, pages)) <= int(limit)
    assert {message.run for message in state.messages} == {run.key for run in made}


def test_lost_runs_of_a_whole_namespace_are_replaced_once(api: Api, state: MemoryState) -> None:
    _of_jobs(api, state, "a", "b", each=2, run_state=RunState.LOST)
    path = f"/v1/namespaces/{HEARTBEAT.namespace}/redrive"
    first = [one for page in _all_pages(api, path, {"lost": True}, limit="3") for one in page]
    assert len(first) == 4
    assert [one for page in _all_pages(api, path, {"lost": True}, limit="3") for one in page] == first
    assert len(state.runs) == 8


def test_many_jobs_without_overdue_runs_are_gone_through_in_several_pages(api: Api, state: MemoryState) -> None:
    _of_jobs(api, state, *(f"job-{n:02}" for n in range(2 * PAGES + 1)), each=0)
    made = _of_jobs(api, state, "last", each=1)
    path = f"/v1/namespaces/{HEARTBEAT.namespace}/redrive"
    pages = _all_pages(api, path)
    assert [len(page) for page in pages] == [0, 0, 1]
    assert pages[2][0][1] == made[0].key.run_id


def test_a_job_deleted_between_two_pages_does_not_end_the_redrive_of_its_namespace(
    api: Api, state: MemoryState
) -> None:
    _of_jobs(api, state, "a", each=2)
    made = _of_jobs(api, state, "b", each=1)
    path = f"/v1/namespaces/{HEARTBEAT.namespace}/redrive"
    cursor = api.post(path, query={"limit": "1"}).body["next"]
    api.delete(f"/v1/namespaces/{HEARTBEAT.namespace}/jobs/a")
    answer = api.post(path, query={"cursor": cursor})
    assert [run["run_id"] for run in answer.body["items"]] == [made[0].key.run_id]


@pytest.mark.parametrize("cursor", ["x", "a:b:c", "::x", "::::"])
def test_a_cursor_that_no_page_of_the_namespace_gave_is_refused(api: Api, state: MemoryState, cursor: str) -> None:
    _of_jobs(api, state, "b", each=1)
    answer = api.post(f"/v1/namespaces/{HEARTBEAT.namespace}/redrive", query={"cursor": cursor})
    assert answer.status == (200 if cursor == "::x" else 400)


def test_a_namespace_takes_no_run_id(api: Api) -> None:
    answer = api.post(f"/v1/namespaces/{HEARTBEAT.namespace}/redrive", body={"run_id": "20261120T115900Z"})
    assert answer.status == 422
