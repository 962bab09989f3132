"""Errors name every wrong field of a document by a JSON Pointer (RFC 6901)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.conftest import JOB, PATH, Answer, Api

TARGET = JOB["target"]


def _pointers(answer: Answer) -> set[str]:
    return {error["pointer"] for error in answer.body["errors"]}


def _followed(pointer: str, document: Any) -> Any:
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


def test_every_wrong_field_of_a_job_has_a_pointer(api: Api) -> None:
    job = {
        "schedule": ["61 * * * *", "0 9 * * *", "0 25 * * *"],
        "timezon": "UTC",
        "labels": {"a/b": "x\n"},
        "target": {"type": "http", "url": "ftp://example.com", "headers": {"X.Y": "a\nb"}},
        "retry": {"max_attempts": 0},
    }
    answer = api.put(job)
    assert answer.status == 422
    wanted = {"/schedule/0", "/schedule/2", "/timezon", "/target/url", "/target/headers", "/retry/max_attempts"}
    assert wanted <= {pointer.removesuffix("/X.Y") for pointer in _pointers(answer)}
    for pointer in _pointers(answer):
        _followed(pointer, job)


def test_a_missing_field_has_the_pointer_that_it_would_have(api: Api) -> None:
    assert _pointers(api.put({"target": {"type": "http"}})) == {"/schedule", "/target/url"}


def test_what_the_stores_refuse_is_listed_together(api: Api) -> None:
    job = JOB | {"calendars": ["none"], "depends_on": [{"job": "no-such"}, {"job": "demo/other"}]}
    assert _pointers(api.put(job)) == {"/calendars", "/depends_on/0/job", "/depends_on/1/job"}


def test_a_dry_run_lists_them_too(api: Api) -> None:
    job = JOB | {"calendars": ["none"], "depends_on": [{"job": "no-such"}]}
    assert _pointers(api.put(job, query={"dry_run": "true"})) == {"/calendars", "/depends_on/0/job"}


def test_a_warning_has_a_pointer(api: Api) -> None:
    [warning] = api.put(JOB | {"schedule": ["0 9 13 * FRI", "0 8 * * *"]}).body["warnings"]
    assert (warning["path"], warning["pointer"]) == ("schedule[0]", "/schedule/0")


@pytest.mark.parametrize(
    ("method", "path", "body", "pointer"),
    [
        ("PUT", "/v1/namespaces/demo/calendars/c", {"dates": ["2026-13-01"]}, "/dates/0"),
        ("PUT", "/v1/namespaces/demo", {"max_concurrency": 0}, "/max_concurrency"),
        ("POST", f"{PATH}/pause", {"until": "soon"}, "/until"),
        ("POST", "/v1/tokens", {"name": "a", "role": "king", "namespaces": ["demo"]}, "/role"),
    ],
)
def test_every_document_has_pointers(api: Api, method: str, path: str, body: Any, pointer: str) -> None:
    api.put()
    assert _pointers(api.send(method, path, body)) == {pointer}


@pytest.mark.parametrize(
    ("method", "path", "query"),
    [("GET", f"{PATH}/next", {"count": "x"}), ("POST", f"{PATH}.UPPER/trigger", None)],
)
def test_a_query_parameter_or_a_name_in_the_path_has_no_pointer(
    api: Api, method: str, path: str, query: dict[str, str | list[str]] | None
) -> None:
    body = {"name": 1} if method == "POST" else None
    assert all("pointer" not in error for error in api.send(method, path, body, query=query).body["errors"])
