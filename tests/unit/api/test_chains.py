"""Jobs that depend on each other, by way of the API."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from minutehand.cli.documents.files import parse_text
from minutehand.domain.dependencies import child_key, window_of
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions.revise import revised
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


def test_a_job_lists_its_children_and_its_parents(api: Api) -> None:
    for name, parents in (("extract", []), ("load", ["extract"]), ("mail", ["extract", "demo/load"])):
        assert put(api, name, *parents).status == 201
    assert api.get(f"{JOBS}/extract").body["status"]["children"] == ["demo/load", "demo/mail"]
    status = api.get(f"{JOBS}/mail").body["status"]
    assert status["idle_because"] == "it waits for runs of demo/extract and demo/load"
    assert (status["children"], status["deleted_parents"]) == ([], [])


def test_a_job_lists_only_the_children_that_the_token_may_read(api: Api) -> None:
    elsewhere = "/v1/namespaces/secret/jobs/audit"
    put(api, "extract")
    put(api, "load", "extract")
    assert api.put({"target": JOB["target"], "depends_on": [{"job": "demo/extract"}]}, path=elsewhere).status == 201
    viewer = api.by(role="viewer", namespaces="demo,other")
    assert viewer.get(f"{JOBS}/extract").body["status"]["children"] == ["demo/load"]
    assert api.by(role="admin", namespaces="demo").post(f"{JOBS}/extract/pause").body["status"]["children"] == [
        "demo/load"
    ]
    assert viewer.by(namespaces="demo,secret").get(f"{JOBS}/extract").body["status"]["children"] == [
        "demo/load",
        "secret/audit",
    ]
    assert api.get(f"{JOBS}/extract").body["status"]["children"] == ["demo/load", "secret/audit"]


def test_a_cycle_names_no_job_of_a_namespace_that_the_token_may_not_read(api: Api) -> None:
    """demo/first -> demo/second -> secret/third -> shared/fourth -> demo/first"""
    put(api, "first")
    put(api, "second", "first")
    for path, parent in (("secret/jobs/third", "demo/second"), ("shared/jobs/fourth", "secret/third")):
        document = {"target": JOB["target"], "depends_on": [{"job": parent}]}
        assert api.put(document, path=f"/v1/namespaces/{path}").status == 201
    [(path, message)] = errors(put(api.by(namespaces="demo,shared"), "first", "shared/fourth"))
    assert path == "depends_on[0].job"
    assert message.endswith("demo/first -> demo/second -> … -> shared/fourth -> demo/first")
    assert "secret" not in message


def test_a_child_lists_its_deleted_parents(api: Api) -> None:
    put(api, "extract")
    put(api, "load", "extract")
    assert api.delete(f"{JOBS}/extract").status == 204
    status = api.get(f"{JOBS}/load").body["status"]
    assert status["deleted_parents"] == ["demo/extract"]
    assert status["idle_because"].startswith("its parent demo/extract was deleted")
    [listed] = api.get(JOBS).body["items"]
    assert listed["status"]["idle_because"] == status["idle_because"]


def test_a_missing_parent_is_reported_with_its_path(api: Api) -> None:
    put(api, "extract")
    answer = put(api, "load", "extract", "nobody")
    assert errors(answer) == [("depends_on[1].job", "there is no job demo/nobody")]


def test_a_cycle_is_reported_with_the_jobs_in_it(api: Api) -> None:
    put(api, "extract")
    put(api, "load", "extract")
    circle = "demo/load runs after demo/extract already: demo/extract -> demo/load -> demo/extract"
    assert errors(put(api, "extract", "load")) == [("depends_on[0].job", circle)]


def test_a_window_that_does_not_divide_a_day_is_refused(api: Api) -> None:
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
        ({"expected": "demo/extract"}, "this requires dry_run=true"),
        ({"expected": "extract", "dry_run": "true"}, "'extract' is not a list of jobs"),
        ({"expected": "", "dry_run": "true"}, "'' is not a list of jobs"),
        ({"expected": "demo/a,demo/B", "dry_run": "true"}, "'demo/a,demo/B' is not a list of jobs"),
    ],
)
def test_an_invalid_list_of_expected_jobs_is_refused(api: Api, query: dict[str, str], message: str) -> None:
    answer = put(api, "load", query=query)
    assert (answer.status, answer.body["errors"][0]["message"]) == (400, message)


ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "how-to" / "chains.md").read_text(encoding="utf-8")
YAML = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.parametrize(
    ("text", "namespace"),
    [*((text, "shop") for text in YAML), ((ROOT / "examples/chain/nightly.yaml").read_text(encoding="utf-8"), "demo")],
    ids=["the guide", "the example"],
)
def test_the_chain_of_the_guide_and_the_example_can_be_saved(api: Api, text: str, namespace: str) -> None:
    for _, document in parse_text("nightly.yaml", text.replace("127.0.0.1", "example.com")):
        path = f"/v1/namespaces/{namespace}/jobs/{document['name']}"
        saved = api.put({"namespace": namespace} | document, path=path)
        assert (saved.status, saved.body["warnings"]) == (201, [])
    extract = api.get(f"/v1/namespaces/{namespace}/jobs/extract").body
    assert extract["status"]["children"] == [f"{namespace}/alarm", f"{namespace}/report"]


def test_the_guide_quotes_the_errors_as_they_are(api: Api) -> None:
    shop = "/v1/namespaces/shop/jobs"
    for name, parents in (("extract", []), ("stock", ["extract"]), ("report", ["stock"])):
        depends: dict[str, Any] = {"depends_on": [{"job": parent} for parent in parents]}
        assert api.put(JOB | depends, path=f"{shop}/{name}").status == 201
    circle = api.put(JOB | {"depends_on": [{"job": "report"}]}, path=f"{shop}/extract").body["errors"][0]["message"]
    assert f"`{circle}`" in GUIDE
    api.delete(f"{shop}/extract")
    put(api, "child")
    waits = api.put({"target": JOB["target"], "depends_on": [{"job": "stock"}]}, path=f"{shop}/child")
    assert waits.status == 201
    api.put({"target": JOB["target"], "depends_on": [{"job": "extract"}]}, path=f"{shop}/stock")
    because = api.get(f"{shop}/stock").body["status"]["idle_because"]
    assert f"`{because.partition(';')[0]}`" in GUIDE


def test_the_windows_of_the_guide_are_right() -> None:
    report = Job(
        key=JobKey("shop", "report"),
        schedule="@manual",
        target=HttpTarget(method="POST", url="https://example.com/report"),
        timezone="Europe/Paris",
        join_window=timedelta(days=1),
    )
    now = datetime(2026, 11, 20, 10, 40, tzinfo=UTC)
    key = child_key(revised(None, report, now=now, who="ada"), window_of(report, now))
    assert f"`{key.run_id.partition('~')[0]}~child-…`" in GUIDE
