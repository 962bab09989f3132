"""Jobs that depend on each other, by way of the API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.conftest import JOB, Answer, Api

JOBS = "/v1/namespaces/demo/jobs"


def put(api: Api, name: str, *parents: str, query: dict[str, str] | None = None, **more: Any) -> Answer:
    """Save a job that depends on these, without a schedule if there are any."""
    depends: dict[str, Any] = {"depends_on": [{"job": parent} for parent in parents]} if parents else {}
    document = {"target": JOB["target"]} | depends if parents else JOB
    return api.put(document | more, path=f"{JOBS}/{name}", query=query or {})


def errors(answer: Answer) -> list[tuple[str, str]]:
    assert answer.status == 422
    return [(error["path"], error["message"]) for error in answer.body["errors"]]


def test_a_job_tells_who_depends_on_it_and_whom_it_waits_for(api: Api) -> None:
    for name, parents in (("extract", []), ("load", ["extract"]), ("mail", ["extract", "demo/load"])):
        assert put(api, name, *parents).status == 201
    assert api.get(f"{JOBS}/extract").body["status"]["children"] == ["demo/load", "demo/mail"]
    status = api.get(f"{JOBS}/mail").body["status"]
    assert status["idle_because"] == "it waits for runs of demo/extract and demo/load"
    assert (status["children"], status["deleted_parents"]) == ([], [])


def test_a_parents_deletion_is_told_by_its_children(api: Api) -> None:
    put(api, "extract")
    put(api, "load", "extract")
    assert api.delete(f"{JOBS}/extract").status == 204
    status = api.get(f"{JOBS}/load").body["status"]
    assert status["deleted_parents"] == ["demo/extract"]
    assert status["idle_because"].startswith("its parent demo/extract was deleted")
    [listed] = api.get(JOBS).body["items"]
    assert listed["status"]["idle_because"] == status["idle_because"]


def test_a_parent_that_is_not_there_is_told_by_its_place(api: Api) -> None:
    put(api, "extract")
    answer = put(api, "load", "extract", "nobody")
    assert errors(answer) == [("depends_on[1].job", "there is no job demo/nobody")]


def test_a_circle_is_told_with_its_path(api: Api) -> None:
    put(api, "extract")
    put(api, "load", "extract")
    circle = "demo/load runs after demo/extract already: demo/extract -> demo/load -> demo/extract"
    assert errors(put(api, "extract", "load")) == [("depends_on[0].job", circle)]


def test_a_window_that_divides_no_day_is_told(api: Api) -> None:
    put(api, "extract")
    answer = put(api, "load", "extract", join_window="5h")
    assert errors(answer) == [("join_window", "5h neither divides a day nor is whole days")]


def test_a_dry_run_may_expect_parents_that_are_saved_first(api: Api) -> None:
    query = {"dry_run": "true", "expected": "demo/extract,demo/other"}
    assert put(api, "load", "extract", query=query).status == 200
    assert errors(put(api, "load", "extract", query={"dry_run": "true", "expected": "demo/other"}))
    assert api.get(f"{JOBS}/load").status == 404


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"expected": "demo/extract"}, "this goes with dry_run=true alone"),
        ({"expected": "extract", "dry_run": "true"}, "'extract' is no list of jobs"),
        ({"expected": "", "dry_run": "true"}, "'' is no list of jobs"),
        ({"expected": "demo/a,demo/B", "dry_run": "true"}, "'demo/a,demo/B' is no list of jobs"),
    ],
)
def test_what_is_expected_in_another_form_is_refused(api: Api, query: dict[str, str], message: str) -> None:
    answer = put(api, "load", query=query)
    assert (answer.status, answer.body["errors"][0]["message"]) == (400, message)
