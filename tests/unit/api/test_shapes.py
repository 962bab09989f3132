"""The SDK's types are those of the API's answers: no field is missing there, and none is made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.client import ahead_shapes, backfill_shapes, explained, namespaces, shapes
from minutehand.domain.job import JobKey
from minutehand.domain.run import Progress, Result, Run, RunKey, RunState
from minutehand.entrypoints.api.rendering.run import run_document
from tests.unit.api.conftest import JOB, NOON, PATH, Api, FakeClock

LIST = PATH.rpartition("/")[0]


def fields(shape: Any) -> set[str]:
    return set(shape.__annotations__)


@pytest.mark.parametrize("more", [{}, {"paused": True}, {"max_runs": 3, "schedule": ["@daily", "@hourly"]}])
def test_a_job_is_answered_as_its_type_says(api: Api, more: dict[str, Any]) -> None:
    api.put(JOB | more)
    job = api.get().body
    [summary] = api.get(LIST).body["items"]
    assert job.keys() == fields(shapes.Job) - {"backfill"}
    assert summary.keys() == fields(shapes.JobSummary)
    assert job["status"].keys() == fields(shapes.JobStatus)
    assert job["retry"].keys() == fields(shapes.Retry)
    assert job["retry"]["backoff"].keys() == fields(shapes.Backoff)
    assert summary["status"].keys() == fields(shapes.SummaryStatus)


def test_a_parent_and_a_pause_are_answered_as_their_types_say(api: Api) -> None:
    api.put(path="/v1/namespaces/demo/jobs/extract")
    api.put(JOB | {"depends_on": [{"job": "extract"}], "paused": {"until": "2026-12-01T00:00:00Z"}})
    job = api.get().body
    assert job["depends_on"][0].keys() == fields(shapes.Dependency)
    assert job["paused"].keys() == fields(shapes.Pause)


def test_what_lies_ahead_is_answered_as_its_types_say(api: Api) -> None:
    api.put({"weekly": ["SAT"]}, path="/v1/namespaces/demo/calendars/weekend")
    spring = {"schedule": "30 2 * * *", "timezone": "America/New_York", "start_at": "2027-03-12T00:00:00Z"}
    api.put(JOB | spring | {"dialect": "robfig", "calendars": ["weekend"]})
    ahead = api.get(f"{PATH}/next").body
    edit = api.put(JOB | {"schedule": "0 9 13 * FRI"}, query={"dry_run": "true"}).body
    assert ahead.keys() == fields(ahead_shapes.NextRuns)
    assert edit["preview"].keys() == fields(ahead_shapes.Preview)
    assert edit["preview"]["diff"].keys() == fields(ahead_shapes.Edit)
    assert edit["warnings"][0].keys() == fields(shapes.FieldError)
    for name, shape in (
        ("items", ahead_shapes.ComingRun),
        ("blocked", ahead_shapes.BlockedRuns),
        ("skipped", ahead_shapes.SkippedTimes),
    ):
        assert ahead[name][0].keys() == fields(shape)


def test_a_run_is_answered_as_its_type_says(api: Api) -> None:
    api.put()
    run = api.post(f"{PATH}/trigger", headers={"Idempotency-Key": "k"}).body
    assert run.keys() == fields(shapes.Run)
    assert api.get(f"{PATH}/runs/{run['run_id']}").body.keys() == fields(shapes.Run)
    [listed] = api.get(f"{PATH}/runs").body["items"]
    assert listed.keys() == fields(shapes.Run) - {"attempts", "output"}


def test_what_a_run_left_is_answered_as_its_types_say(api: Api, state: MemoryState) -> None:
    api.put()
    run_id = api.post(f"{PATH}/trigger").body["run_id"]
    [run] = state.runs.values()
    result = Result(type="http", status=200, body="done")
    state.runs[run.key] = replace(run, state=RunState.SUCCEEDED, attempt=1, started_at=NOON, result=result)
    shown = api.get(f"{PATH}/runs/{run_id}").body
    assert shown["attempts"][0].keys() == fields(shapes.Attempt)
    assert shown["output"].keys() == fields(shapes.RunOutput)
    assert api.get(shown["output"]["url"].partition("?")[0]).body.keys() == fields(shapes.Output)


def test_an_explanation_is_answered_as_its_types_say(api: Api, clock: FakeClock) -> None:
    api.put(JOB | {"schedule": "*/10 * * * *"})
    clock.move(minutes=15)
    found = api.get(f"{PATH}/explain", query={"from": "2026-11-20T12:00:00Z"}).body
    assert found.keys() == fields(explained.Explanation)
    before, overdue = found["items"]
    assert (before["kind"], overdue["kind"]) == ("not_there", "overdue")
    assert before.keys() == fields(explained.Finding)
    assert before["revision"].keys() == fields(explained.PastRevision)
    assert overdue["ticks"].keys() == fields(explained.TicksAround)


def test_what_a_run_has_inside_is_answered_as_its_types_say() -> None:
    key = RunKey.scheduled(JobKey("demo", "heartbeat"), NOON)
    run = Run(key=key, target="http", revision=1, claimed_at=NOON, expires_at=NOON)
    shown = run_document(replace(run, progress=Progress(40, "copying"), parents=(key,)))
    assert shown["progress"].keys() == fields(shapes.Progress)
    assert shown["parents"][0].keys() == fields(shapes.ParentRun)


def test_a_problem_is_answered_as_its_type_says(api: Api) -> None:
    problem = api.put({"schedule": "61 * * * *"}).body
    assert problem.keys() <= fields(shapes.Problem)
    assert all(error.keys() <= fields(shapes.FieldError) for error in problem["errors"])


def test_a_backfill_is_answered_as_its_types_say(api: Api, clock: FakeClock) -> None:
    api.put()
    asked = {"from": "2026-11-20T06:00:00Z", "to": "2026-11-20T12:00:00Z"}
    assert api.post(f"{PATH}/backfills", body=asked).body.keys() == fields(backfill_shapes.Backfill)
    assert api.post(f"{PATH}/backfills", body=asked | {"dry_run": True}).body.keys() == fields(
        backfill_shapes.BackfillExtent
    )
    api.post(f"{PATH}/pause")
    clock.move(seconds=7200)
    resumed = api.post(f"{PATH}/resume", body={"catch_up": "all"}).body
    assert resumed.keys() == fields(shapes.Job)
    assert resumed["backfill"].keys() == fields(backfill_shapes.Backfill)


def test_a_namespace_is_answered_as_its_type_says(api: Api) -> None:
    namespace = api.post("/v1/namespaces/demo/pause").body
    assert namespace.keys() == fields(namespaces.Namespace)
    assert namespace["status"].keys() == fields(namespaces.NamespaceStatus)
    assert namespace["status"]["pauses"][0].keys() == fields(namespaces.NamespacePause)
