"""Fields that cannot be accepted: each with its place and what would be right, all at once."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.schedule.words import LONGEST
from tests.unit.api.bad_input.fields import jobs, runs, schedules, targets
from tests.unit.api.bad_input.fields.row import TARGET, target
from tests.unit.api.conftest import JOB, Api

FIELDS = [*schedules.ROWS, *targets.ROWS, *runs.ROWS, *jobs.ROWS]


@pytest.mark.parametrize(("wrong", "path", "message", "hint"), FIELDS, ids=[f"{f[1]}: {f[2]}"[:60] for f in FIELDS])
def test_an_invalid_field_is_422_with_its_path_and_a_hint(
    api: Api, wrong: dict[str, Any], path: str, message: str, hint: str
) -> None:
    answer = api.put(JOB | wrong)
    assert answer.status == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert list(answer.errors) == [path]
    assert message in answer.errors[path]["message"]
    assert hint in answer.errors[path].get("hint", "")
    assert (answer.body["status"], answer.body["title"]) == (422, "Invalid fields")
    assert answer.body["detail"].startswith(f"{path}: ")


def test_all_invalid_fields_are_reported_at_once(api: Api) -> None:
    answer = api.put(
        {
            "schedule": "61 * * * *",
            "timezone": "Nowhere",
            "dialect": "x",
            "owner": 7,
            "colour": "red",
            "timeout": "8d",
            "catchup_window": "1s",
            "join": "any",
            "retry": {"max_attempts": 0, "backoff": {"factor": 0}},
            "depends_on": [],
            "paused": {"until": "2026-11-20T12:00:00Z"},
            "target": {"type": "http", "url": "nowhere", "headers": {"X-A": "\n", "X B": ""}},
            "name": "other",
        }
    )
    assert answer.status == 422
    assert set(answer.errors) == {
        "schedule",
        "timezone",
        "dialect",
        "owner",
        "colour",
        "timeout",
        "catchup_window",
        "join",
        "retry.max_attempts",
        "retry.backoff.factor",
        "paused.until",
        "target.url",
        "target.headers.X-A",
        "target.headers.X B",
        "name",
    }
    assert answer.body["detail"].startswith("15 fields are invalid: ")


def test_a_schedules_error_points_at_the_character(api: Api) -> None:
    errors = api.put(JOB | {"schedule": "0 25 * * *"}).errors
    assert errors["schedule"]["column"] == 2


def test_a_urls_error_points_at_the_character(api: Api) -> None:
    assert api.put(JOB | target(url="https://a b/")).errors["target.url"]["column"] == 9


def test_an_empty_document_lacks_a_schedule_and_a_target(api: Api) -> None:
    errors = api.put({}).errors
    assert set(errors) == {"schedule", "target"}
    assert '"*/5 * * * *"' in errors["schedule"]["hint"]
    assert '"type": "http"' in errors["target"]["hint"]


def test_a_schedule_is_required_without_parents(api: Api) -> None:
    assert set(api.put({"target": TARGET}).errors) == {"schedule"}
    assert set(api.put({"target": TARGET, "depends_on": []}).errors) == {"schedule"}
    assert set(api.put({"target": TARGET, "depends_on": [{"on": "end"}]}).errors) == {"depends_on[0].job"}
    assert set(api.put({"target": TARGET, "timeout": "x"}).errors) == {"schedule", "timeout"}


def test_a_contradiction_with_an_invalid_field_is_not_reported(api: Api) -> None:
    wrong = {"misfire_grace": "2 days", "catchup_window": "1m", "timeout": "1", "run_timeout": "1s", "join": "any"}
    assert set(api.put(JOB | wrong).errors) == {"misfire_grace", "timeout", "join"}


@pytest.mark.thorough
def test_a_document_of_thousands_of_unknown_fields_gets_a_short_answer(api: Api) -> None:
    answer = api.put(JOB | {f"f{n}": 1 for n in range(9000)})
    assert answer.status == 422
    assert len(answer.body["errors"]) == 100
    assert answer.body["detail"].startswith("9000 fields are invalid: ")
    assert len(answer.body["detail"]) < 200


def test_the_longest_schedule_of_the_library_is_accepted(api: Api) -> None:
    ends = "0", "* * * *"
    blanks = " " * (LONGEST - len("".join(ends)))
    assert api.put(JOB | {"schedule": blanks.join(ends)}).status == 201
    assert api.put(JOB | {"schedule": f" {blanks}".join(ends)}).status == 422


@pytest.mark.parametrize("name", ["", "<", "<http", "<flag>", "[key]", "a.b"])
def test_a_field_with_an_odd_name_is_unknown(api: Api, name: str) -> None:
    answer = api.put(JOB | {name: 1})
    assert (answer.status, [error["message"] for error in answer.body["errors"]]) == (422, ["unknown field"])
