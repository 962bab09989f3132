"""Many jobs in one request, and a result for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryDefinitions, MemoryState
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable, Unreadable
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api import bulk
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.job_change import Change
from tests.unit.api.conftest import JOB, Answer, Api, FakeClock

PATH = "/v1/jobs"


def job(name: str, **more: Any) -> dict[str, Any]:
    return {"namespace": "demo", "name": name, **JOB, **more}


def body(*jobs: Any, **more: Any) -> dict[str, Any]:
    return {"jobs": [{"job": each} for each in jobs], **more}


def results(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [each["result"] for each in answer.body["items"]]


def test_each_job_has_its_own_result(api: Api) -> None:
    api.post(PATH, body=body(job("a"), job("b")))
    answer = api.post(PATH, body=body(job("a"), job("b", schedule="@daily"), job("c"), job("d", schedule="61 * * * *")))
    assert results(answer) == ["unchanged", "updated", "created", "refused"]
    assert [each["revision"] for each in answer.body["items"]] == [1, 2, 1, None]
    assert (answer.body["refused"], answer.body["left"]) == (1, 0)
    problem = answer.body["items"][3]["problem"]
    assert (problem["status"], problem["errors"][0]["pointer"]) == (422, "/schedule")
    assert api.get("/v1/namespaces/demo/jobs/d").status == 404


def test_the_same_request_again_changes_nothing(api: Api) -> None:
    jobs = body(*(job(f"j{n}") for n in range(20)))
    assert set(results(api.post(PATH, body=jobs))) == {"created"}
    assert set(results(api.post(PATH, body=jobs))) == {"unchanged"}


def test_parents_are_saved_before_their_children_whatever_their_order(api: Api) -> None:
    child = job("child", depends_on=[{"job": "parent"}])
    assert results(api.post(PATH, body=body(child, job("parent")))) == ["created", "created"]


def test_a_child_whose_parent_is_refused_is_refused_too(api: Api) -> None:
    child = job("child", depends_on=[{"job": "parent"}])
    assert results(api.post(PATH, body=body(child, job("parent", timeout="x")))) == ["refused", "refused"]


def test_a_circle_and_a_second_job_of_a_name_are_refused(api: Api) -> None:
    circle = [job("x", depends_on=[{"job": "y"}]), job("y", depends_on=[{"job": "x"}])]
    answer = api.post(PATH, body=body(*circle, job("a"), job("a", schedule="@daily")))
    assert results(answer) == ["refused", "refused", "created", "refused"]
    assert answer.body["items"][0]["problem"]["errors"][0]["path"] == "depends_on"
    assert "twice" in answer.body["items"][3]["problem"]["detail"]


def test_each_save_is_audited_and_logged_as_a_single_one(api: Api, lines: Callable[[], list[dict[str, Any]]]) -> None:
    api.post(PATH, body=body(job("a"), job("b")))
    api.put(path="/v1/namespaces/demo/jobs/c")
    records = api.get("/v1/audit", query={"namespace": "demo"}).body["items"]
    assert {(each["job"], each["action"], each["actor"]) for each in records} == {(n, "save", "ada") for n in "abc"}
    saves = [line for line in lines() if line.get("action") == "save"]
    assert [(each["job"], each["revision"], each["new"]) for each in saves] == [
        (f"demo/{name}", 1, True) for name in "abc"
    ]


def test_a_condition_holds_for_its_job_alone(api: Api) -> None:
    api.post(PATH, body=body(job("a"), job("b")))
    changed = {"schedule": "@daily"}
    jobs = [
        {"job": job("a", **changed), "if_revision": 2},
        {"job": job("b", **changed), "if_revision": 1},
        {"job": job("b", **changed), "if_revision": 0},
        {"job": job("c"), "if_revision": 0},
    ]
    answer = api.post(PATH, body={"jobs": jobs[:2] + jobs[3:]})
    assert results(answer) == ["refused", "updated", "created"]
    assert answer.body["items"][0]["problem"]["status"] == 412
    assert results(api.post(PATH, body={"jobs": [jobs[2]]})) == ["refused"]


def test_a_dry_run_saves_nothing_and_knows_the_jobs_of_the_request(api: Api, state: MemoryState) -> None:
    jobs = body(job("child", depends_on=[{"job": "parent"}, {"job": "later"}]), job("parent"), expected=["demo/later"])
    answer = api.post(PATH, body=jobs, query={"dry_run": "true"})
    assert results(answer) == ["created", "created"]
    assert answer.body["items"][0]["job"]["name"] == "child"
    assert "preview" not in answer.body["items"][0]["job"]
    assert not state.definitions
    previewed = api.post(PATH, body=jobs, query={"dry_run": "true", "preview": "true"}).body["items"]
    assert len(previewed[0]["job"]["preview"]["items"]) == 10


def test_a_dry_run_answers_what_a_single_one_answers(api: Api) -> None:
    api.put()
    changed = JOB | {"schedule": "@daily"}
    single = api.put(changed, query={"dry_run": "true"}).body
    [item] = api.post(
        PATH, body=body(job("heartbeat", schedule="@daily")), query={"dry_run": "true", "preview": "true"}
    ).body["items"]
    assert item["job"] == single
    assert item["result"] == "updated"


@pytest.mark.parametrize(
    "document", [7, "job", None, [], {}, {"name": 7}, {"name": ".."}, {"name": "a", "namespace": 1}]
)
def test_what_is_no_job_is_refused_and_keeps_no_other_from_being_saved(api: Api, document: Any) -> None:
    assert results(api.post(PATH, body=body(document, job("a")))) == ["refused", "created"]


def test_a_token_saves_in_its_own_namespaces_alone(api: Api) -> None:
    api.post(PATH, body=body(job("theirs")))
    ours = api.by(token="ci", namespaces="shop")
    answer = ours.post(
        PATH,
        body=body(
            job("theirs", schedule="@daily"),
            job("none"),
            job("ours", namespace="shop"),
            job("child", namespace="shop", depends_on=[{"job": "demo/theirs"}]),
        ),
    )
    assert results(answer) == ["refused", "refused", "created", "refused"]
    existing, missing, _, child = answer.body["items"]
    assert existing["problem"] == missing["problem"]
    assert child["problem"]["status"] == existing["problem"]["status"] == 403
    assert api.by(role="operator").post(PATH, body=body(job("a"))).status == 403


@pytest.mark.parametrize(
    ("given", "status", "path"),
    [
        ({"body": body(job("a"), expected=["demo/b"])}, 422, "expected"),
        ({"body": body(job("a")), "query": {"preview": "true"}}, 400, "preview"),
        ({"body": body(job("a"), expected=["b"]), "query": {"dry_run": "true"}}, 422, "expected"),
        ({"body": {"jobs": {}}}, 422, "jobs"),
        ({"body": {"jobs": [{"jobb": {}}]}}, 422, "jobs[0].jobb"),
        ({"body": {"jobs": [{"job": {}, "if_revision": -1}]}}, 422, "jobs[0].if_revision"),
    ],
)
def test_a_request_that_makes_no_sense_saves_nothing(
    api: Api, state: MemoryState, given: dict[str, Any], status: int, path: str
) -> None:
    answer = api.post(PATH, **given)
    assert answer.status == status
    assert path in answer.errors
    assert not state.definitions


def test_what_takes_too_long_is_left_for_another_request(
    api_over: Callable[[Ports], Api], clock: FakeClock, ports: Ports, state: MemoryState
) -> None:
    class Slow(MemoryDefinitions):
        def save(self, change: Change) -> bool:
            clock.move(seconds=10)
            return super().save(change)

    slow = api_over(ports._replace(definitions=Slow(state)))
    answer = slow.post(PATH, body=body(*(job(f"j{n}") for n in range(4))))
    assert results(answer) == ["created", "created", "left", "left"]
    assert answer.body["left"] == 2
    assert timedelta(seconds=10) < bulk.LASTS < timedelta(seconds=20)


def test_an_answer_that_grows_too_large_leaves_the_rest(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MOST_BYTES", 3000)
    answer = api.post(PATH, body=body(*(job(f"j{n}") for n in range(10))), query={"dry_run": "true"})
    assert results(answer)[0] == "created"
    assert results(answer)[-1] == "left"


def test_a_store_that_fails_for_one_job_refuses_that_one(
    api_over: Callable[[Ports], Api], ports: Ports, state: MemoryState
) -> None:
    class Failing(MemoryDefinitions):
        def save(self, change: Change) -> bool:
            if change.after.job.key.name == "b":
                raise Unavailable("the store did not answer")
            if change.after.job.key.name == "c":
                raise RuntimeError("a bug")
            return super().save(change)

    answer = api_over(ports._replace(definitions=Failing(state))).post(PATH, body=body(*map(job, "abcd")))
    assert results(answer) == ["created", "refused", "refused", "created"]
    assert [each["problem"]["status"] for each in answer.body["items"][1:3]] == [503, 500]
    assert "a bug" not in str(answer.body)


def test_limits_of_jobs_of_one_request_are_compared(api: Api) -> None:
    answer = api.post(
        PATH, body=body(job("a", limits=[{"name": "db", "max": 2}]), job("b", limits=[{"name": "db", "max": 3}]))
    )
    assert [len(each["warnings"]) for each in answer.body["items"]] == [0, 1]


@pytest.mark.parametrize(
    ("condition", "result", "revision"), [({}, "updated", 3), ({"if_revision": 1}, "refused", None)]
)
def test_a_change_that_came_between_reading_and_saving_is_seen(
    api: Api,
    api_over: Callable[[Ports], Api],
    ports: Ports,
    state: MemoryState,
    condition: dict[str, int],
    result: str,
    revision: int | None,
) -> None:
    api.post(PATH, body=body(job("a"), job("b")))
    others: list[Answer] = []

    class Overtaken(MemoryDefinitions):
        def save(self, change: Change) -> bool:
            if not others:
                others.append(api.put(JOB | {"schedule": "@weekly"}, "/v1/namespaces/demo/jobs/b"))
            return super().save(change)

    jobs = [{"job": job("a", timeout="9s")}, {"job": job("b", schedule="@daily"), **condition}]
    answer = api_over(ports._replace(definitions=Overtaken(state))).post(PATH, body={"jobs": jobs})
    assert [(each["result"], each["revision"]) for each in answer.body["items"]] == [("updated", 2), (result, revision)]


def test_a_job_that_cannot_be_read_keeps_no_other_from_being_saved(
    api_over: Callable[[Ports], Api], ports: Ports, state: MemoryState
) -> None:
    class Damaged(MemoryDefinitions):
        def get(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
            if any(each.name == "b" for each in jobs):
                raise Unreadable("demo/b is damaged")
            return super().get(jobs)

    answer = api_over(ports._replace(definitions=Damaged(state))).post(PATH, body=body(*map(job, "abc")))
    assert results(answer) == ["created", "refused", "created"]
