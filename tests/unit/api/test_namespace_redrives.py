"""Redriving the overdue and lost runs of a whole namespace."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.usecases.operations.redrive import PAGES
from tests.unit.api.conftest import HEARTBEAT, JOB, NOON, Api
from tests.unit.api.stored_runs import add

NAMESPACE = f"/v1/namespaces/{HEARTBEAT.namespace}"


def _of_jobs(api: Api, state: MemoryState, *names: str, each: int, run_state: RunState = RunState.QUEUED) -> list[Run]:
    """Overdue runs of several jobs of the namespace, by job, newest first."""
    made: list[Run] = []
    for name in names:
        assert api.put({**JOB, "name": name, "schedule": "@manual"}, path=f"{NAMESPACE}/jobs/{name}").status == 201
        job = JobKey(namespace=HEARTBEAT.namespace, name=name)
        made += reversed(add(state, *[run_state] * each, job=job, claimed_at=NOON))
    return made


def _all_pages(api: Api, body: Any = None, **query: str) -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = api.post(
            f"{NAMESPACE}/redrive", body=body, query=query | ({"cursor": cursor} if cursor else {}) or None
        )
        assert answer.status == 200, answer.body
        found.append([(run["job"], run["run_id"]) for run in answer.body["items"]])
        cursor = answer.body["next"]
    return found


@pytest.mark.parametrize("limit", ["1", "2", "3", "4", "100"])
def test_a_whole_namespace_is_redriven_page_by_page(api: Api, state: MemoryState, limit: str) -> None:
    made = _of_jobs(api, state, "a", "b", "c", each=3)
    pages = _all_pages(api, limit=limit)
    assert [one for page in pages for one in page] == [(str(run.key.job), run.key.run_id) for run in made]
    assert max(map(len, pages)) <= int(limit)
    assert {message.run for message in state.messages} == {run.key for run in made}


def test_lost_runs_of_a_whole_namespace_are_replaced_once(api: Api, state: MemoryState) -> None:
    _of_jobs(api, state, "a", "b", each=2, run_state=RunState.LOST)
    first = [one for page in _all_pages(api, {"lost": True}, limit="3") for one in page]
    assert len(first) == 4
    assert [one for page in _all_pages(api, {"lost": True}, limit="3") for one in page] == first
    assert len(state.runs) == 8


def test_many_jobs_without_overdue_runs_are_gone_through_in_several_pages(api: Api, state: MemoryState) -> None:
    _of_jobs(api, state, *(f"job-{n:02}" for n in range(2 * PAGES + 1)), each=0)
    made = _of_jobs(api, state, "last", each=1)
    pages = _all_pages(api)
    assert [len(page) for page in pages] == [0, 0, 1]
    assert pages[2][0][1] == made[0].key.run_id


def test_a_job_deleted_between_two_pages_does_not_end_the_redrive_of_its_namespace(
    api: Api, state: MemoryState
) -> None:
    _of_jobs(api, state, "a", each=2)
    made = _of_jobs(api, state, "b", each=1)
    cursor = api.post(f"{NAMESPACE}/redrive", query={"limit": "1"}).body["next"]
    api.delete(f"{NAMESPACE}/jobs/a")
    answer = api.post(f"{NAMESPACE}/redrive", query={"cursor": cursor})
    assert [run["run_id"] for run in answer.body["items"]] == [made[0].key.run_id]


@pytest.mark.parametrize("cursor", ["x", "a:b:c", "::x", "::::"])
def test_a_cursor_that_no_page_of_the_namespace_gave_is_refused(api: Api, state: MemoryState, cursor: str) -> None:
    _of_jobs(api, state, "b", each=1)
    answer = api.post(f"{NAMESPACE}/redrive", query={"cursor": cursor})
    assert answer.status == (200 if cursor == "::x" else 400)


def test_a_namespace_takes_no_run_id(api: Api) -> None:
    answer = api.post(f"{NAMESPACE}/redrive", body={"run_id": "20261120T115900Z"})
    assert answer.status == 422
