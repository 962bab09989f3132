"""Schedules that no job has yet: described, previewed, compared."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from tests.unit.api.conftest import JOB, Answer, Api

PATH = "/v1/schedules"


def ask(api: Api, what: str, **document: Any) -> Answer:
    return api.post(f"{PATH}/{what}", body=document)


def test_a_schedule_is_described_in_words(api: Api) -> None:
    answer = ask(api, "describe", schedule="30 9 * * MON-FRI", timezone="Europe/Paris")
    assert (answer.status, answer.body["timezone"], answer.body["dialect"]) == (200, "Europe/Paris", "vixie")
    assert answer.body["description"] == "At 09:30 on weekdays, Paris time"
    assert answer.body["warnings"] == []


def test_a_doubtful_schedule_has_a_warning_with_its_place(api: Api) -> None:
    [warning] = ask(api, "describe", schedule=["0 8 * * *", "0 9 13 * FRI"]).body["warnings"]
    assert (warning["path"], warning["pointer"]) == ("schedule[1]", "/schedule/1")


def test_a_preview_is_that_of_a_job_with_this_schedule(api: Api) -> None:
    document = {"schedule": "@every 90m", "timezone": "America/New_York", "start_at": "2026-11-20T00:10:00Z"}
    planned = api.put(JOB | document, query={"dry_run": "true"}).body["preview"]
    answer = ask(api, "preview", **document)
    assert answer.body["items"] == planned["items"]
    assert answer.body["items"][0]["at"] == "2026-11-20T12:10:00Z"


def test_a_job_name_decides_the_instants_of_a_hashed_schedule(api: Api) -> None:
    planned = api.put(JOB | {"schedule": "H H * * *"}, query={"dry_run": "true"}).body["preview"]
    answer = ask(api, "preview", schedule="H H * * *", job="demo/heartbeat")
    assert answer.body["items"] == planned["items"]
    [error] = ask(api, "preview", schedule="H H * * *").body["errors"]
    assert (error["path"], error["hint"]) == ("schedule", "give `job`, the name of the job as namespace/name")


def test_a_preview_goes_on_after_an_instant_up_to_the_end(api: Api) -> None:
    answer = ask(
        api, "preview", schedule="@daily", count=5, after="2027-01-01T00:00:00Z", end_at="2027-01-03T00:00:00Z"
    )
    assert [each["at"][:10] for each in answer.body["items"]] == ["2027-01-02", "2027-01-03"]


def test_a_schedule_that_is_over_has_no_runs(api: Api) -> None:
    assert ask(api, "preview", schedule="@daily", end_at="2020-01-01T00:00:00Z").body["items"] == []
    assert ask(api, "preview", schedule="@manual").body["items"] == []


@pytest.mark.parametrize(
    ("old", "new", "summary"),
    [
        ("0 * * * *", "0,30 * * * *", "24 more runs a day"),
        ("* * * * *", "*/2 * * * *", "720 fewer runs a day"),
        ("0 9 * * *", "0 10 * * *", "1 new run a day, and 1 that is gone"),
        ("0 9 * * *", "00 9 * * *", "no run changes"),
        ("@manual", "@manual", "neither schedule has a run in this span"),
    ],
)
def test_a_comparison_says_in_words_what_an_edit_changes(api: Api, old: str, new: str, summary: str) -> None:
    answer = ask(api, "diff", old={"schedule": old}, new={"schedule": new}, count=1)
    assert answer.body["summary"] == summary
    assert len(answer.body["first_added"]) <= 1


def test_a_comparison_counts_as_the_dry_run_of_an_edit_does(api: Api) -> None:
    api.put()
    diff = api.put(JOB | {"schedule": "*/15 * * * *"}, query={"dry_run": "true"}).body["preview"]["diff"]
    answer = ask(api, "diff", old={"schedule": JOB["schedule"]}, new={"schedule": "*/15 * * * *"}).body
    assert {name: answer[name] for name in diff} == diff
    assert (answer["kept"], answer["added"], answer["removed"]) == (720, 2160, 0)
    assert answer["first_added"][0] == "2026-11-20T12:15:00Z"


def test_a_long_comparison_is_cut(api: Api) -> None:
    every = {"schedule": "@every 1s"}
    answer = ask(api, "diff", old=every, new=every, days=366)
    assert answer.body["cut"]
    assert answer.body["until"] < "2026-12-01"


@pytest.mark.parametrize(
    ("what", "document", "pointers"),
    [
        ("describe", {}, {"/schedule"}),
        ("describe", {"schedule": "61 * * * *", "timezone": "Mars"}, {"/schedule", "/timezone"}),
        ("describe", {"schedule": "@daily", "count": 3}, {"/count"}),
        ("describe", {"schedule": "@daily", "job": "report"}, {"/job"}),
        ("preview", {"schedule": "@daily", "count": 101}, {"/count"}),
        ("preview", {"schedule": "@daily", "after": "9999-12-31T00:00:00Z"}, {"/after"}),
        (
            "preview",
            {"schedule": "@daily", "start_at": "2026-12-02T00:00:00Z", "end_at": "2026-12-01T00:00:00Z"},
            {"/end_at"},
        ),
        (
            "diff",
            {"old": {"schedule": "61 * * * *"}, "new": {"schedule": ["@daily", "0 25 * * *"]}},
            {"/old/schedule", "/new/schedule/1"},
        ),
        ("diff", {"old": {"schedule": "@daily"}}, {"/new"}),
        ("diff", {"old": {"schedule": "@daily"}, "new": {"schedule": "@daily"}, "days": 0}, {"/days"}),
    ],
)
def test_every_wrong_field_is_named(api: Api, what: str, document: dict[str, Any], pointers: set[str]) -> None:
    answer = ask(api, what, **document)
    assert answer.status == 422
    assert {error["pointer"] for error in answer.body["errors"]} == pointers


def test_any_token_may_ask_and_nothing_is_stored(api: Api, state: MemoryState) -> None:
    viewer = api.by(token="eve", role="viewer", namespaces="shop")
    assert ask(viewer, "describe", schedule="@daily").status == 200
    assert not state.definitions
    assert api.by(authorized=False).post(f"{PATH}/describe", body={"schedule": "@daily"}).status == 401
