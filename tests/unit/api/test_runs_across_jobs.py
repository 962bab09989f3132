"""Lists of runs of all jobs."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.queries import find_runs
from tests.unit.api.conftest import JOB, NOON, Api, FakeClock

RUNS = "/v1/runs"
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
TOP = NOON.replace(second=0)


def keep(state: MemoryState, name: str, /, *instants: datetime, **fields: Any) -> list[RunKey]:
    """Runs of a job `namespace/name`, succeeded unless `fields` say otherwise; and that its namespace exists."""
    job = JobKey.of(name)
    state.namespaces.add(job.namespace)
    made = [
        Run(
            key=RunKey.scheduled(job, at),
            revision=1,
            claimed_at=at,
            expires_at=at + timedelta(days=30),
            **{"target": "http", "state": RunState.SUCCEEDED, "finished_at": at + MINUTE} | fields,
        )
        for at in instants
    ]
    state.runs.update((run.key, run) for run in made)
    return [run.key for run in made]


def listed(api: Api, **query: str | list[str]) -> list[tuple[str, str]]:
    """Every run over all pages, as job and id."""
    found: list[tuple[str, str]] = []
    more: dict[str, str] = {}
    while True:
        answer = api.get(RUNS, query={**query, **more})
        assert answer.status == 200, answer.body
        found += [(run["job"], run["run_id"]) for run in answer.body["items"]]
        if answer.body["next"] is None:
            return found
        more = {"cursor": answer.body["next"]}


def named(keys: Sequence[RunKey]) -> list[tuple[str, str]]:
    return [(str(key.job), key.run_id) for key in keys]


def test_runs_of_all_namespaces_are_listed_newest_first_and_then_by_job(api: Api, state: MemoryState) -> None:
    [old] = keep(state, "a/one", TOP - HOUR)
    both = [*keep(state, "b/two", TOP), *keep(state, "b/one", TOP), *keep(state, "a/two", TOP)]
    answer = api.get(RUNS)
    assert [(run["job"], run["run_id"]) for run in answer.body["items"]] == named([*sorted(both), old])
    assert (answer.body["next"], answer.body["looked_until"]) == (None, "2026-11-19T12:00:31Z")


def test_by_default_the_runs_of_the_last_24_hours_are_listed(api: Api, state: MemoryState) -> None:
    first = NOON - timedelta(hours=24) + timedelta(seconds=1)
    wanted = keep(state, "a/one", NOON, first)
    keep(state, "a/one", NOON + timedelta(seconds=1), first - timedelta(seconds=1))
    assert listed(api) == named(wanted)


def test_an_interval_includes_its_start_and_excludes_its_end(api: Api, state: MemoryState) -> None:
    keys = keep(state, "a/one", *(TOP - n * HOUR for n in range(50)))
    found = listed(api, **{"from": "2026-11-19T06:00:00Z", "to": "2026-11-19T10:00:00Z"})
    assert found == named([key for key in keys if "20261119T06" <= key.run_id < "20261119T10"])
    assert len(found) == 4


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_every_run_is_on_exactly_one_page_newest_first(api: Api, state: MemoryState, limit: int) -> None:
    instants = [TOP - n * 7 * MINUTE for n in range(20)]
    keys = [key for name in ("a/one", "a/two", "b/one") for key in keep(state, name, *instants)]
    wanted = sorted(sorted(keys), key=lambda key: key.run_id, reverse=True)
    assert listed(api, limit=str(limit)) == named(wanted)


def test_runs_claimed_between_two_pages_neither_hide_nor_repeat_others(
    api: Api, state: MemoryState, clock: FakeClock
) -> None:
    keys = keep(state, "a/one", *(TOP - n * MINUTE for n in range(9)))
    found, query = [], {"limit": "2"}
    for step in range(5):
        answer = api.get(RUNS, query=query)
        found += [(run["job"], run["run_id"]) for run in answer.body["items"]]
        query["cursor"] = answer.body["next"]
        clock.move(minutes=1)
        keep(state, "a/two", TOP + step * MINUTE + MINUTE)
    assert found == named(keys)


def test_runs_in_a_state_are_listed(api: Api, state: MemoryState) -> None:
    active = keep(state, "a/one", TOP, state=RunState.RUNNING, finished_at=None)
    keep(state, "a/one", TOP - HOUR)
    assert listed(api, state="active") == listed(api, state="running") == named(active)
    assert listed(api, state="queued") == []


def test_runs_that_want_attention_are_listed_by_their_end(api: Api, state: MemoryState) -> None:
    [late] = keep(state, "a/one", TOP - 5 * HOUR, state=RunState.LOST, finished_at=TOP)
    half = timedelta(milliseconds=500)
    first, second = (
        keep(state, f"a/{name}", TOP - HOUR, state=RunState.FAILED, finished_at=TOP - HOUR + wait)[0]
        for name, wait in (("two", half), ("three", MINUTE))
    )
    keep(state, "b/one", TOP, state=RunState.SKIPPED)
    [long_ago] = keep(state, "b/two", TOP - 40 * HOUR, state=RunState.TIMED_OUT, finished_at=TOP - 2 * HOUR)
    assert listed(api, state="attention", limit="1") == named([late, second, first, long_ago])
    assert listed(api, state="attention") == named([late, second, first, long_ago])
    assert listed(api, state="failed") == named([second, first])


def test_runs_that_ended_at_once_are_each_on_one_page(api: Api, state: MemoryState) -> None:
    keys = [keep(state, f"a/{n}", TOP, state=RunState.FAILED, finished_at=TOP)[0] for n in range(5)]
    assert listed(api, state="failed", limit="2") == named(keys)


def test_runs_of_a_namespace_are_listed(api: Api, state: MemoryState) -> None:
    [wanted] = keep(state, "a/one", TOP)
    keep(state, "b/one", TOP)
    assert listed(api, namespace="a") == named([wanted])
    assert listed(api.by(namespaces="a,b"), namespace="a") == named([wanted])


def test_a_token_sees_the_runs_of_its_namespaces_only(api: Api, state: MemoryState) -> None:
    wanted = keep(state, "a/one", TOP)
    keep(state, "b/one", TOP)
    assert listed(api.by(namespaces="a,c", role="viewer")) == named(wanted)
    assert listed(api.by(namespaces="")) == []


@pytest.mark.parametrize("namespace", ["b", "never-was", "No Name"])
def test_another_namespace_is_refused_whether_it_exists_or_not(api: Api, state: MemoryState, namespace: str) -> None:
    keep(state, "b/one", TOP)
    answer = api.by(namespaces="a").get(RUNS, query={"namespace": namespace})
    assert answer.status == 403
    assert answer.body["detail"] == f"the token 'ada' is admin in 'a'; this needs viewer in '{namespace}'"


def test_runs_are_found_by_the_labels_that_their_jobs_have_now(api: Api, state: MemoryState) -> None:
    for name, labels in (("a/one", {"team": "data", "tier": "1"}), ("a/two", {"team": "data"}), ("b/one", {})):
        namespace, job = name.split("/")
        assert api.put(JOB | {"labels": labels}, f"/v1/namespaces/{namespace}/jobs/{job}").status == 201
    state.runs.clear()
    one, two, _, _ = (keep(state, name, TOP)[0] for name in ("a/one", "a/two", "b/one", "b/gone"))
    assert listed(api, label="team=data") == named([one, two])
    assert listed(api, label=["tier=1", "team=data"]) == named([one])
    assert listed(api, label="team=dat") == []
    api.put(JOB | {"labels": {"team": "web"}}, "/v1/namespaces/a/jobs/one")
    api.delete("/v1/namespaces/a/jobs/two")
    state.runs = {key: run for key, run in state.runs.items() if key in (one, two)}
    assert (listed(api, label="team=data"), listed(api, label="team=web")) == ([], named([one]))


def test_runs_are_found_by_the_type_of_target_that_they_had(api: Api, state: MemoryState) -> None:
    keep(state, "a/one", TOP)
    wanted = keep(state, "a/two", TOP, target="sqs")
    assert listed(api, target="sqs") == named(wanted)


@pytest.mark.parametrize("namespaces", [1, 3])
def test_a_page_looks_at_a_bounded_number_of_hours_and_says_until_when(
    api: Api, state: MemoryState, monkeypatch: pytest.MonkeyPatch, namespaces: int
) -> None:
    monkeypatch.setattr(find_runs, "MOST_HOURS", 4 * namespaces)
    [old] = keep(state, "ns0/one", TOP - 20 * HOUR)
    for number in range(namespaces):
        state.namespaces.add(f"ns{number}")
    untils, query, found = [], {}, []
    while True:
        answer = api.get(RUNS, query=query)
        untils.append(answer.body["looked_until"])
        found += answer.body["items"]
        if answer.body["next"] is None:
            break
        query = {"cursor": answer.body["next"]}
    assert untils[:2] == ["2026-11-20T09:00:00Z", "2026-11-20T05:00:00Z"]
    assert (len(untils), [run["run_id"] for run in found]) == (7, [old.run_id])


def test_a_page_looks_at_a_bounded_number_of_runs(
    api: Api, state: MemoryState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_runs, "MOST_LOOKED_AT", 4)
    keys = keep(state, "a/one", *(TOP - n * MINUTE for n in range(10)), state=RunState.SKIPPED)
    state.runs[keys[9]] = replace(state.runs[keys[9]], state=RunState.CANCELLED)
    first = api.get(RUNS, query={"state": "cancelled"})
    assert (first.body["items"], first.body["looked_until"]) == ([], "2026-11-20T11:57:00Z")
    assert listed(api, state="cancelled") == named(keys[9:])


def test_too_many_namespaces_are_refused_for_a_list_by_time(
    api: Api, state: MemoryState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_runs, "MOST_HOURS", 2)
    for name in ("a", "b", "c"):
        keep(state, f"{name}/one", TOP - HOUR, state=RunState.FAILED)
    answer = api.get(RUNS)
    assert answer.status == 400
    assert answer.errors["namespace"]["message"] == "these are runs of 3 namespaces; 2 are the most of one list"
    assert answer.errors["namespace"]["hint"].startswith("give one namespace, or a state")
    assert (len(listed(api, state="failed")), len(listed(api, namespace="a"))) == (3, 1)


def test_a_cursor_belongs_to_its_query(api: Api, state: MemoryState) -> None:
    keep(state, "a/one", *(TOP - n * MINUTE for n in range(5)))
    cursor = api.get(RUNS, query={"limit": "2", "namespace": "a"}).body["next"]
    assert api.get(RUNS, query={"limit": "1", "namespace": "a", "cursor": cursor}).status == 200
    for query in ({}, {"namespace": "b"}, {"namespace": "a", "state": "failed"}, {"namespace": "a", "label": "a=b"}):
        answer = api.get(RUNS, query=query | {"cursor": cursor})
        assert answer.status == 400
        assert "another list" in answer.errors["cursor"]["message"]
    assert api.get("/v1/namespaces/a/jobs", query={"cursor": cursor}).status == 400


INTERVAL = "2026-11-19T12:00:00Z,2026-11-20T12:00:00Z"


@pytest.mark.parametrize(
    "last",
    [
        "x",
        ",,,",
        INTERVAL,
        f"{INTERVAL},soon",
        f"{INTERVAL},20261120T110000Z,a",
        f"{INTERVAL},20261120T110000Z,a/B",
        f"{INTERVAL},20261120T110000Z~x,a/b",
        f"{INTERVAL},2026-11-20T11:00:00Z",
        f"{INTERVAL},2026-11-20,a/b,20261120T110000Z",
        "2026-11-19T12:00:00,2026-11-20T12:00:00Z,20261120T110000Z,a/b",
        f"{INTERVAL},99999999T999999Z",
        f"{INTERVAL},20261120T110000Z,a/b,c,d,e",
    ],
)
def test_an_altered_cursor_is_refused(api: Api, last: str) -> None:
    text = json.dumps(["runs across jobs", "", last])
    answer = api.get(RUNS, query={"cursor": base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")})
    assert answer.status == 400
    assert "`next` of the previous page" in answer.errors["cursor"]["hint"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("label", "team"),
        ("label", "=data"),
        ("label", "team=two\nlines"),
        ("label", [f"l{n}=x" for n in range(11)]),
        ("target", "fax"),
        ("state", "bad"),
        ("namespace", "No Name"),
        ("from", "yesterday"),
        ("from", "2026-11-21T00:00:00Z"),
        ("to", "1969-01-01T00:00:00Z"),
    ],
)
def test_an_invalid_filter_is_400_and_named(api: Api, name: str, value: str | list[str]) -> None:
    answer = api.get(RUNS, query={name: value})
    assert answer.status == 400
    assert list(answer.errors) == [name]
    assert answer.errors[name]["hint"]
