"""Calendars over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.calendar import CalendarKey
from tests.unit.api.conftest import Api, FakeClock

CALENDARS = "/v1/namespaces/shop/calendars"
PATH = f"{CALENDARS}/holidays"
KEY = CalendarKey("shop", "holidays")
CALENDAR = {
    "description": "When nobody is there",
    "dates": ["2027-01-01..2027-01-02", "2026-12-24", "2026-12-25..2026-12-31", "2026-10-03"],
    "weekly": ["fri 18:00-24:00", "SUN", "SAT 00:00-12:00", "SAT 12:00-24:00"],
    "periods": ["2026-12-01T11:00:00Z..2026-12-01T12:00:00Z", "2026-12-01T19:00:00+09:00..2026-12-01T11:30:00Z"],
}
NORMAL = {
    "namespace": "shop",
    "name": "holidays",
    "description": "When nobody is there",
    "dates": ["2026-10-03", "2026-12-24..2027-01-02"],
    "weekly": ["SAT,SUN", "FRI 18:00-24:00"],
    "periods": ["2026-12-01T10:00:00Z..2026-12-01T12:00:00Z"],
}


def test_a_calendar_is_created_and_answered_sorted_and_merged(api: Api) -> None:
    answer = api.put(CALENDAR, path=PATH)
    assert answer.status == 201
    assert answer.body == NORMAL | {
        "status": {"revision": 1, "updated_at": "2026-11-20T12:00:30Z", "updated_by": "ada", "jobs": 0}
    }
    assert api.get(PATH).body == answer.body


def test_an_equal_calendar_changes_nothing_however_it_is_written(api: Api, clock: FakeClock) -> None:
    created = api.put(CALENDAR, path=PATH)
    clock.move(hours=1)
    for body in (CALENDAR, NORMAL, created.body):
        again = api.by(token="bob").put(body, path=PATH)
        assert (again.status, again.body) == (200, created.body)


def test_a_change_is_the_next_revision(api: Api, clock: FakeClock, state: MemoryState) -> None:
    api.put(CALENDAR, path=PATH)
    state.calendars[KEY] = state.calendars[KEY]._replace(users=2)
    clock.move(hours=1)
    answer = api.by(token="bob").put(NORMAL | {"dates": []}, path=PATH)
    assert (answer.status, answer.body["dates"]) == (200, [])
    assert answer.body["status"] == {
        "revision": 2,
        "updated_at": "2026-11-20T13:00:30Z",
        "updated_by": "bob",
        "jobs": 2,
    }


def test_a_calendar_may_be_empty(api: Api) -> None:
    answer = api.put({}, path=PATH)
    assert (answer.status, answer.body["dates"], answer.body["weekly"], answer.body["periods"]) == (201, [], [], [])


def test_a_dry_run_answers_what_would_be_saved_and_saves_nothing(api: Api, state: MemoryState) -> None:
    answer = api.put(CALENDAR, path=PATH, query={"dry_run": "true"})
    assert (answer.status, answer.body["dates"], answer.body["status"]["revision"]) == (200, NORMAL["dates"], 1)
    assert state.calendars == {}
    api.put(CALENDAR, path=PATH)
    assert api.put({}, path=PATH, query={"dry_run": "true"}).body["status"]["revision"] == 2
    assert api.get(PATH).body["status"]["revision"] == 1


def test_every_error_is_reported_at_once_with_its_path(api: Api) -> None:
    answer = api.put(
        {
            "name": "other",
            "descripton": "x",
            "dates": ["2026-12-25", "2026-02-30", "2026-12-26..2026-12-24", 20261225],
            "weekly": ["SAT,SUN", "FRI 22:00-06:00", "FRI,SOMEDAY"],
            "periods": "2026-12-01T10:00:00Z..2026-12-01T12:00:00Z",
        },
        path=PATH,
    )
    assert answer.status == 422
    assert answer.body["type"].endswith(":invalid")
    assert {path: error["message"] for path, error in answer.errors.items()} == {
        "name": "the document says 'other', but the path says 'holidays'",
        "descripton": "unknown field",
        "dates[1]": "2026-02-30 is not a date: day is out of range for month",
        "dates[2]": "the range runs backwards: 2026-12-24 is before 2026-12-26",
        "dates[3]": "this must be text, not a number",
        "weekly[1]": "the hours run backwards: 06:00 is before 22:00",
        "weekly[2]": "'SOMEDAY' is not a day of the week",
        "periods": "this must be a list, not text",
    }
    assert answer.errors["descripton"]["hint"] == "did you mean `description`?"
    assert answer.errors["weekly[2]"]["column"] == 4
    assert answer.errors["periods"]["hint"] == "write […]"


def test_a_field_of_jobs_is_unknown_in_a_calendar(api: Api) -> None:
    answer = api.put({"overlap": "skip"}, path=PATH)
    assert answer.errors["overlap"] == {
        "path": "overlap",
        "pointer": "/overlap",
        "message": "unknown field",
        "hint": "the fields are: namespace, name, description, dates, weekly, periods, status",
    }


def test_an_invalid_name_is_reported_with_the_other_errors(api: Api) -> None:
    answer = api.put({"dates": ["soon"]}, path=f"{CALENDARS}/Holi%20days")
    assert set(answer.errors) == {"name", "dates[0]"}
    assert "did you mean 'holi-days'" in answer.errors["name"]["hint"]


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        (
            {"dates": [f"{year}-{month:02}-{day:02}" for year in range(1000, 1016) for month in range(1, 13) for day in range(1, 29, 2)]
             + [f"{year}-{month:02}-{day:02}" for year in range(2000, 2016) for month in range(1, 13) for day in range(1, 29, 2)]},
            "dates",
            "dates and periods have 5,376 entries after merging; 5,000 is the most",
        ),
        (
            {"weekly": [f"MON {n // 60:02}:{n % 60:02}-{n // 60:02}:{n % 60:02}:30" for n in range(101)]},
            "weekly",
            "this has 101 rules after merging; 100 is the most",
        ),
        (
            {"weekly": ["MON-SUN 00:00-12:00", "MON-FRI 12:00-24:00", "SAT-SUN 11:00-24:00"]},
            "weekly",
            "the rules together block the whole week, so no job would ever run",
        ),
    ],
)  # fmt: skip
def test_too_many_entries_are_refused_with_a_hint(api: Api, body: dict[str, Any], path: str, message: str) -> None:
    answer = api.put(body, path=PATH)
    assert (answer.status, answer.errors[path]["message"]) == (422, message)
    assert answer.errors[path]["hint"]


def test_entries_are_counted_after_merging(api: Api) -> None:
    answer = api.put({"dates": ["2026-12-25"] * 6000, "weekly": ["SUN"] * 200}, path=PATH)
    assert (answer.status, answer.body["dates"]) == (201, ["2026-12-25"])


def test_calendars_are_listed_by_name_and_page_by_page(api: Api) -> None:
    for name in ("c", "a", "b"):
        api.put(CALENDAR, path=f"{CALENDARS}/{name}")
    api.put(CALENDAR, path="/v1/namespaces/other/calendars/d")
    first = api.get(CALENDARS, query={"limit": "2"}).body
    second = api.get(CALENDARS, query={"limit": "2", "cursor": first["next"]}).body
    assert [item["name"] for item in first["items"] + second["items"]] == ["a", "b", "c"]
    assert second["next"] is None
    assert first["items"][0] == {
        "namespace": "shop",
        "name": "a",
        "description": "When nobody is there",
        "entries": {"dates": 2, "weekly": 2, "periods": 1},
        "status": {"revision": 1, "updated_at": "2026-11-20T12:00:30Z", "updated_by": "ada", "jobs": 0},
    }


def test_a_calendar_is_deleted(api: Api) -> None:
    api.put(CALENDAR, path=PATH)
    assert api.delete(PATH).status == 204
    assert api.get(PATH).status == api.delete(PATH).status == 404
    assert api.get(PATH).body["detail"] == "there is no calendar shop/holidays"


@pytest.mark.parametrize(("users", "said"), [(1, "1 job names"), (7, "7 jobs name")])
def test_a_calendar_in_use_is_not_deleted(api: Api, state: MemoryState, users: int, said: str) -> None:
    api.put(CALENDAR, path=PATH)
    state.calendars[KEY] = state.calendars[KEY]._replace(users=users)
    answer = api.delete(PATH)
    assert (answer.status, answer.body["title"]) == (409, "Still in use")
    assert answer.body["type"].endswith(":in-use")
    assert f"{said} the calendar shop/holidays" in answer.body["detail"]
    assert api.get(PATH).status == 200


def test_changes_are_logged_with_the_callers_token(api: Api, lines: Callable[[], list[dict[str, Any]]]) -> None:
    api.put(CALENDAR, path=PATH)
    api.put(CALENDAR, path=PATH)
    api.put({}, path=PATH, query={"dry_run": "true"})
    api.delete(PATH)
    logged = [{key: line.get(key) for key in ("message", "action", "calendar", "token")} for line in lines()]
    assert logged == [
        {"message": f"{action} shop/holidays", "action": action, "calendar": "shop/holidays", "token": "ada"}
        for action in ("save", "delete")
    ]
