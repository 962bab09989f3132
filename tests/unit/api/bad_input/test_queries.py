"""Query parameters that cannot be accepted."""

from __future__ import annotations

import pytest

from tests.unit.api.conftest import PATH, Api


@pytest.mark.parametrize("limit", ["0", "1001", "-1", "ten", "", "1.5", "\u0661", "9" * 5000])
@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/v1/namespaces/demo/jobs", 1000),
        ("/v1/jobs", 1000),
        ("/v1/runs", 100),
        ("/v1/namespaces", 100),
        (f"{PATH}/runs", 100),
    ],
)
def test_an_invalid_limit_is_400(api: Api, path: str, most: int, limit: str) -> None:
    answer = api.get(path, query={"limit": limit})
    assert answer.status == 400
    assert answer.errors["limit"]["hint"] == f"give a number from 1 to {most}"


@pytest.mark.parametrize("cursor", ["", "x", "ü", "e30", "bm90IGpzb24"])
@pytest.mark.parametrize(
    "path",
    [
        "/v1/namespaces/demo/jobs",
        "/v1/namespaces/demo/calendars",
        f"{PATH}/runs",
        "/v1/jobs",
        "/v1/runs",
        "/v1/namespaces",
    ],
)
def test_an_invalid_cursor_is_400(api: Api, path: str, cursor: str) -> None:
    answer = api.get(path, query={"cursor": cursor})
    assert answer.status == 400
    assert "`next` of the previous page" in answer.errors["cursor"]["hint"]


@pytest.mark.parametrize("text", ["yes", "1", "True", ""])
def test_a_dry_run_that_is_neither_true_nor_false_is_400(api: Api, text: str) -> None:
    answer = api.put(query={"dry_run": text})
    assert answer.status == 400
    assert answer.errors["dry_run"]["hint"] == "give true or false"


def test_a_misspelt_dry_run_is_400(api: Api) -> None:
    answer = api.put(query={"dryrun": "true"})
    assert answer.status == 400
    assert answer.errors["dryrun"]["hint"] == "did you mean `dry_run`?"


@pytest.mark.parametrize("texts", [["1", "2"], ["1", "1"]])
def test_a_repeated_query_parameter_is_400(api: Api, texts: list[str]) -> None:
    answer = api.get(f"{PATH}/runs", query={"limit": texts[-1]}, multiValueQueryStringParameters={"limit": texts})
    assert answer.status == 400
    assert answer.errors["limit"] == {"path": "limit", "message": "this is given 2 times", "hint": "give it once"}


def test_a_parameter_of_a_route_without_any_is_400(api: Api) -> None:
    assert api.get(query={"verbose": "1"}).errors["verbose"]["hint"] == "leave it out: this takes no parameters"
