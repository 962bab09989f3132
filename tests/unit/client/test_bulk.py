"""Many jobs saved with few calls."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.client import AnswerError, Client, NotAllowed, bulk
from minutehand.domain.token import Role
from tests.support.api_server import TARGET, ApiServer
from tests.support.http_server import document


def job(name: str, **more: Any) -> dict[str, Any]:
    return {"namespace": "demo", "name": name, "schedule": "@hourly", "target": TARGET, **more}


@pytest.mark.thorough
def test_many_jobs_take_few_calls_and_come_in_their_order(api: ApiServer, client: Client) -> None:
    jobs = [job(f"j{n:03}") for n in range(bulk.JOBS_A_CALL * 2 + 1)]
    saved = client.apply_jobs(jobs)
    assert [each["name"] for each in saved] == [each["name"] for each in jobs]
    assert {each["result"] for each in saved} == {"created"}
    assert len(api.requests) == 3
    assert {each["result"] for each in client.apply_jobs(jobs)} == {"unchanged"}


def test_a_refused_job_raises_nothing(client: Client) -> None:
    wrong, right = client.apply_jobs([job("a", schedule="61 * * * *"), job("b")])
    assert (wrong["result"], right["result"]) == ("refused", "created")
    assert wrong["problem"]["errors"][0]["pointer"] == "/schedule"


def test_parents_are_saved_first_also_across_calls(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "JOBS_A_CALL", 1)
    chain = [job(f"j{n}", depends_on=[{"job": f"j{n + 1}"}] if n < 3 else []) for n in range(4)]
    tried = client.apply_jobs(chain, dry_run=True, preview=True)
    assert {each["result"] for each in tried} == {"created"}
    assert tried[3]["job"]["preview"]["items"]
    assert {each["result"] for each in client.apply_jobs(chain)} == {"created"}


def test_jobs_of_a_circle_are_refused(client: Client) -> None:
    circle = [job("a", depends_on=[{"job": "b"}]), job("b", depends_on=[{"job": "a"}])]
    assert [each["result"] for each in client.apply_jobs([*circle, job("c")])] == ["refused", "refused", "created"]


def test_a_revision_is_a_condition(client: Client) -> None:
    client.apply_jobs([job("a"), job("b")])
    changed = [job("a", timeout="5s"), job("b", timeout="5s")]
    saved = client.apply_jobs(changed, if_revisions={"demo/a": 0, "demo/b": 1})
    assert [each["result"] for each in saved] == ["refused", "updated"]


def test_large_jobs_go_in_several_calls_and_one_too_large_is_refused_alone(api: ApiServer, client: Client) -> None:
    saved = client.apply_jobs([job("a", payload="x" * 200_000), job("b", payload="x" * 300_000), job("c")])
    assert [each["result"] for each in saved] == ["created", "refused", "created"]
    assert saved[1]["problem"]["status"] == 413


def test_what_the_api_left_is_sent_again(api: ApiServer, client: Client) -> None:
    done = {"namespace": "demo", "name": "a", "result": "created", "revision": 1, "warnings": []}
    left = {"namespace": "demo", "name": "b", "result": "left", "revision": None, "warnings": []}
    api.canned.append(document({"items": [done, left], "refused": 0, "left": 1}))
    assert [each["result"] for each in client.apply_jobs([job("a"), job("b")])] == ["created", "created"]
    assert [each["job"]["name"] for each in api.requests[1].body["jobs"]] == ["b"]


def refused(name: str, **problem: Any) -> dict[str, Any]:
    result = {"namespace": "demo", "name": name, "result": "refused", "revision": None, "warnings": []}
    return {**result, "problem": {"title": "Refused", **problem}}


@pytest.mark.parametrize(
    "busy", [{"status": 503}, {"status": 409, "type": "urn:problem-type:minutehand:conflict"}], ids=["busy", "conflict"]
)
def test_what_the_api_was_too_busy_for_is_sent_again_with_what_was_refused_beside_it(
    api: ApiServer, client: Client, busy: dict[str, Any]
) -> None:
    done = {"namespace": "demo", "name": "a", "result": "created", "revision": 1, "warnings": []}
    answer = {"items": [done, refused("b", **busy), refused("c", status=422)], "refused": 2, "left": 0}
    api.canned.append(document(answer))
    saved = client.apply_jobs([job("a"), job("b"), job("c", depends_on=[{"job": "b"}])])
    assert [each["result"] for each in saved] == ["created"] * 3
    assert [each["job"]["name"] for each in api.requests[1].body["jobs"]] == ["b", "c"]


def test_a_store_that_stays_busy_is_the_result_after_some_repetitions(api: ApiServer, client: Client) -> None:
    api.canned += [document({"items": [refused("a", status=503)], "refused": 1, "left": 0})] * (bulk.MOST_REPEATED + 1)
    [saved] = client.apply_jobs([job("a")])
    assert saved["problem"]["status"] == 503
    assert len(api.requests) == bulk.MOST_REPEATED + 1


@pytest.mark.parametrize(
    "problem", [{"status": 422}, {"status": 409, "type": "urn:problem-type:minutehand:quota-reached"}]
)
def test_a_refusal_for_the_job_itself_is_not_repeated(api: ApiServer, client: Client, problem: dict[str, Any]) -> None:
    api.canned.append(document({"items": [refused("a", **problem)], "refused": 1, "left": 0}))
    [saved] = client.apply_jobs([job("a")])
    assert saved["problem"]["status"] == problem["status"]
    assert len(api.requests) == 1


@pytest.mark.parametrize("results", [[], ["left", "left"], None])
def test_an_answer_that_says_nothing_of_the_jobs_is_an_error(
    api: ApiServer, client: Client, results: list[str] | None
) -> None:
    items = results and [
        {"namespace": "demo", "name": "a", "result": each, "revision": None, "warnings": []} for each in results
    ]
    api.canned.append(document({"items": items}))
    with pytest.raises(AnswerError):
        client.apply_jobs([job("a"), job("b")])


def test_a_token_that_may_save_nowhere_is_an_error(api: ApiServer, client: Client) -> None:
    api.allow(Role.VIEWER)
    with pytest.raises(NotAllowed):
        client.apply_jobs([job("a")])


def test_an_export_is_imported_in_parts(api: ApiServer, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "JOBS_A_CALL", 2)
    client.apply_jobs([job("a", depends_on=[{"job": "c"}]), job("b"), job("c")])
    client.set_namespace("demo", max_concurrency=3)
    items = list(client.export())
    assert [each["kind"] for each in items] == ["namespace", "job", "job", "job"]
    before = dict(api.jobs)
    api.forget()
    assert {each["result"] for each in client.import_all(items)} == {"created"}
    assert api.jobs == before


def test_schedules_are_asked_about_without_a_job(client: Client) -> None:
    assert client.describe_schedule("@daily")["description"] == "At 00:00 every day, UTC"
    preview = client.preview_schedule({"schedule": "@hourly", "timezone": "Asia/Tokyo"}, count=3)
    assert len(preview["items"]) == 3
    assert client.diff_schedules("0 * * * *", "0,30 * * * *")["summary"] == "24 more runs a day"
