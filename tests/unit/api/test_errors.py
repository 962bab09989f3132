"""Errors as problem details: routes that are none, stores that fail, and what must not leak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryDefinitions, MemoryState, MemoryTimers
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.job_change import Change
from tests.unit.api.conftest import JOB, PATH, Api, known_tokens

Lines = Callable[[], list[dict[str, Any]]]


class AlwaysTooLate(MemoryDefinitions):
    """Somebody else's change always comes first."""

    def save(self, change: Change) -> bool:
        return False


class Failing(MemoryTimers):
    """Fails when a timer is asked for."""

    def __init__(self, state: MemoryState, failure: Exception) -> None:
        super().__init__(state)
        self._failure = failure

    def get(self, job: JobKey) -> Timer | BrokenTimer | None:
        raise self._failure


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/namespaces/demo/jobs/a/b/c", "/v1/namespaces//jobs", "/v2/health"])
def test_an_unknown_route_is_404_with_a_problem_document(api: Api, path: str) -> None:
    answer = api.get(path)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert f"there is no route {path!r}" in answer.body["detail"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", PATH, "DELETE, GET, PUT"),
        ("GET", f"{PATH}/pause", "POST"),
        ("DELETE", "/v1/namespaces/demo/jobs", "GET"),
        ("POST", "/v1/health", "GET"),
        ("POST", "/v1/health/", "GET"),
        ("PATCH", f"{PATH}/runs", "GET"),
    ],
)
def test_an_unsupported_method_is_405_with_the_supported_ones(api: Api, method: str, path: str, allowed: str) -> None:
    answer = api.send(method, path)
    assert answer.status == 405
    assert answer.headers["allow"] == allowed
    assert answer.body["detail"] == f"{path} does not support {method}; it supports {allowed}"


def test_a_trailing_slash_makes_no_difference(api: Api) -> None:
    assert api.get("/v1/health/").status == 200


def test_a_change_that_keeps_losing_to_others_is_409(
    ports: Ports, state: MemoryState, api_over: Callable[[Ports], Api]
) -> None:
    answer = api_over(ports._replace(definitions=AlwaysTooLate(state))).put()
    assert answer.status == 409
    assert "try again" in answer.body["detail"]


def test_a_store_that_does_not_answer_is_503_with_retry_after(
    ports: Ports, state: MemoryState, api_over: Callable[[Ports], Api], lines: Lines
) -> None:
    failing = Failing(state, Unavailable("table stack-JobsTable-X1: ProvisionedThroughputExceeded"))
    answer = api_over(ports._replace(timers=failing)).put()
    assert answer.status == 503
    assert answer.headers["retry-after"] == "1"
    assert "it is safe to send it again" in answer.body["detail"]
    assert "JobsTable" not in str(answer.body)
    [line] = lines()
    assert "JobsTable" in str(line["exc_info"])


def test_an_unexpected_error_is_500_with_the_request_id_and_without_internals(
    ports: Ports, state: MemoryState, api_over: Callable[[Ports], Api], lines: Lines
) -> None:
    failing = Failing(state, RuntimeError("secret detail"))
    answer = api_over(ports._replace(timers=failing)).put()
    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.body["request_id"] == "req-1"
    assert "secret" not in str(answer.body)
    [line] = lines()
    assert line["request_id"] == "req-1"
    assert "secret detail" in str(line["exc_info"])


def test_ports_that_cannot_be_made_are_500_and_health_still_answers() -> None:
    def broken() -> Ports:
        raise KeyError("JOBS_TABLE")

    api = Api(app=make_app(Deployment(tokens_of=known_tokens, ports_of=broken)))
    answer = api.get()
    assert answer.status == 500
    assert "JOBS_TABLE" not in str(answer.body)
    assert api.get("/v1/health").status == 200


def test_pausing_a_job_whose_schedule_no_longer_parses_reports_the_schedule(api: Api, state: MemoryState) -> None:
    api.put()
    key = JobKey(namespace="demo", name="heartbeat")
    stored = state.definitions[key]
    state.definitions[key] = replace(stored, job=replace(stored.job, timezone="Gone/Zone"))
    answer = api.post(f"{PATH}/pause")
    assert answer.status == 422
    assert "Gone/Zone" in answer.errors["timezone"]["message"]


def test_a_browser_of_another_origin_may_call_the_api(api: Api) -> None:
    answer = api.send("OPTIONS", PATH, headers={"Origin": "https://dashboard.example"})
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    allowed = answer.headers["access-control-allow-headers"].replace(" ", "").split(",")
    assert {"Authorization", "Content-Type", "Idempotency-Key"} <= set(allowed)
    assert {"GET", "PUT", "POST", "DELETE"} <= set(answer.headers["access-control-allow-methods"].split(","))


def test_a_browser_of_another_origin_may_read_answers_and_problems(api: Api) -> None:
    origin = {"Origin": "https://dashboard.example"}
    assert api.put(JOB, headers=origin).headers["access-control-allow-origin"] == "*"
    assert api.get("/nowhere", headers=origin).headers["access-control-allow-origin"] == "*"
    assert api.by(authorized=False).get(headers=origin).headers["access-control-allow-origin"] == "*"


def test_a_request_leaves_nothing_behind_for_the_next(api: Api) -> None:
    assert api.by(token="eve").put().body["status"]["updated_by"] == "eve"
    assert api.by(authorized=False).put().status == 401
    assert api.put(JOB | {"owner": "x"}).body["status"]["updated_by"] == "ada"


def test_no_answer_may_be_kept_by_a_cache(api: Api) -> None:
    api.put()
    wrong = api.send("PATCH", PATH)
    answers = [
        api.get(),
        api.get(f"{PATH}/runs"),
        api.get("/v1/health"),
        api.get(f"{PATH}x"),
        wrong,
        api.put({}),
        api.delete(),
    ]
    assert [answer.status for answer in answers] == [200, 200, 200, 404, 405, 422, 204]
    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}
