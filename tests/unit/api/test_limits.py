"""What limits a job's schedule, over HTTP: calendars, windows, a number of runs and jitter."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.calendar import CalendarKey
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock

LIST = PATH.rpartition("/")[0]
DAILY = JOB | {"schedule": "0 9 * * *"}


def save_calendar(api: Api, name: str = "holidays", **content: Any) -> None:
    assert api.put(content, path=f"/v1/namespaces/demo/calendars/{name}").status in (200, 201)


def next_run(answer: Any) -> Any:
    return answer.body["status"]["next_run_at"]


@pytest.mark.parametrize(
    "limits",
    [
        {"calendars": ["holidays"]},
        {"calendars": ["holidays"], "on_blocked": "next_day"},
        {"start_at": "2026-12-01T00:00:00Z"},
        {"end_at": "9999-12-31T23:59:59Z"},
        {"max_runs": 1_000_000_000},
        {"jitter": "1s"},
        {"jitter": "1d"},
        {"dialect": "robfig"},
        {"dialect": None},
        {"schedule": ["0 9 * * *"]},
        {"schedule": ["0 9 * * *", "rate(1 hour)", "@every 90s"]},
        {"schedule": "@manual"},
        {"schedule": "at(2027-01-01T00:00:00)"},
    ],
    ids=str,
)
def test_a_limit_is_answered_as_sent_and_sending_it_back_changes_nothing(api: Api, limits: dict[str, Any]) -> None:
    save_calendar(api)
    saved = api.put(JOB | limits)
    assert saved.status == 201
    assert {name: saved.body[name] for name in limits} == limits
    assert api.get().body | {"warnings": saved.body["warnings"]} == saved.body
    assert api.put(saved.body).body == saved.body


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        ({"start_at": "2026-12-01T09:00:00+01:00"}, {"start_at": "2026-12-01T08:00:00Z"}),
        ({"end_at": "2026-12-01T09:00:00-05:30"}, {"end_at": "2026-12-01T14:30:00Z"}),
        ({"jitter": "90m"}, {"jitter": "1h30m"}),
        ({"calendars": ["inventory", "holidays"]}, {"calendars": ["holidays", "inventory"]}),
        ({"calendars": [], "start_at": None, "max_runs": None, "jitter": None}, {"calendars": [], "jitter": None}),
    ],
    ids=str,
)
def test_a_limit_is_answered_in_its_canonical_form(api: Api, given: dict[str, Any], answered: dict[str, Any]) -> None:
    for name in ("holidays", "inventory"):
        save_calendar(api, name)
    saved = api.put(JOB | given)
    assert {name: saved.body[name] for name in answered} == answered
    assert api.put(JOB | answered).body["status"]["revision"] == 1


def test_a_jobs_window_includes_its_start_and_its_end(api: Api, clock: FakeClock) -> None:
    window = {"start_at": "2026-11-21T09:00:00Z", "end_at": "2026-11-22T09:00:00Z"}
    assert next_run(api.put(DAILY | window)) == "2026-11-21T09:00:00Z"
    clock.move(hours=21)
    assert next_run(api.get()) == "2026-11-22T09:00:00Z"
    clock.move(hours=24)
    status = api.get().body["status"]
    assert (status["next_run_at"], status["idle_because"]) == (None, "its end_at, 2026-11-22T09:00:00Z, has passed")


def test_a_job_whose_window_has_ended_can_be_saved_again(api: Api, clock: FakeClock) -> None:
    over = DAILY | {"end_at": "2026-11-22T09:00:00Z"}
    api.put(over)
    clock.move(days=3)
    assert api.put(over | {"description": "kept for the record"}).status == 200


def test_a_blocked_occurrence_may_run_on_the_next_open_day(api: Api) -> None:
    save_calendar(api, dates=["2026-11-21..2026-11-22"])
    weekly = JOB | {"schedule": "0 9 * * SAT", "calendars": ["holidays"]}
    assert next_run(api.put(weekly)) == "2026-11-28T09:00:00Z"
    assert next_run(api.put(weekly | {"on_blocked": "next_day"})) == "2026-11-23T09:00:00Z"


def test_each_of_a_jobs_calendars_blocks(api: Api) -> None:
    save_calendar(api, "weekends", weekly=["SAT,SUN"])
    save_calendar(api, "holidays", dates=["2026-11-23"])
    assert next_run(api.put(DAILY | {"calendars": ["weekends", "holidays"]})) == "2026-11-24T09:00:00Z"


def test_a_changed_calendar_applies_to_the_jobs_that_name_it(api: Api) -> None:
    save_calendar(api)
    assert next_run(api.put(DAILY | {"calendars": ["holidays"]})) == "2026-11-21T09:00:00Z"
    save_calendar(api, dates=["2026-11-21"])
    assert next_run(api.get()) == "2026-11-22T09:00:00Z"
    [item] = api.get(LIST).body["items"]
    assert item["status"]["next_run_at"] == "2026-11-22T09:00:00Z"


def test_a_job_whose_calendars_block_every_occurrence_is_refused(api: Api, state: MemoryState) -> None:
    save_calendar(api, weekly=["SUN-SAT 08:00-10:00"])
    for on_blocked in ("skip", "next_day"):
        answer = api.put(DAILY | {"calendars": ["holidays"], "on_blocked": on_blocked})
        assert (answer.status, list(answer.errors)) == (422, ["calendars"])
        assert "the calendar blocks every occurrence of the schedule" in answer.errors["calendars"]["message"]
        assert answer.errors["calendars"]["hint"] == "leave the calendar out, or change it"
    assert not state.definitions


def test_an_idle_job_names_the_calendar_that_blocks_it(api: Api) -> None:
    save_calendar(api)
    api.put(DAILY | {"calendars": ["holidays"]})
    save_calendar(api, weekly=["SUN-SAT 08:00-10:00"])
    status = api.get().body["status"]
    assert status["next_run_at"] is None
    assert status["idle_because"].startswith("its calendars (holidays) block every occurrence of its schedule after")


@pytest.mark.parametrize(
    "schedule", ["*/14 * * * *", "@every 14m59s", "* * 1 1 *", ["*/15 * * * *", "1 1 * * *"]], ids=str
)
def test_a_job_that_runs_too_often_for_next_day_is_refused(api: Api, schedule: Any) -> None:
    save_calendar(api)
    moved = JOB | {"schedule": schedule, "calendars": ["holidays"], "on_blocked": "next_day"}
    answer = api.put(moved)
    assert (answer.status, list(answer.errors)) == (422, ["on_blocked"])
    assert "more than 96 occurrences within 24 hours" in answer.errors["on_blocked"]["message"]
    assert api.put(moved | {"on_blocked": "skip"}).status == 201


def test_a_job_may_run_every_quarter_of_an_hour_with_next_day(api: Api) -> None:
    save_calendar(api)
    moved = JOB | {"schedule": "*/15 * * * *", "calendars": ["holidays"], "on_blocked": "next_day"}
    assert api.put(moved).status == 201


def test_every_missing_calendar_is_reported(api: Api, state: MemoryState) -> None:
    save_calendar(api)
    for query in ({}, {"dry_run": "true"}):
        answer = api.put(JOB | {"calendars": ["zero", "holidays", "another"]}, query=query)
        assert answer.status == 422
        assert [(error["path"], error["message"]) for error in answer.body["errors"]] == [
            ("calendars", "there is no calendar demo/another"),
            ("calendars", "there is no calendar demo/zero"),
        ]
    assert not state.definitions


def test_a_calendar_of_another_namespace_is_missing(api: Api) -> None:
    assert api.put({}, path="/v1/namespaces/shop/calendars/holidays").status == 201
    assert api.put(JOB | {"calendars": ["holidays"]}).status == 422


def test_a_calendar_shows_how_many_jobs_name_it(api: Api, state: MemoryState) -> None:
    save_calendar(api)
    api.put(JOB | {"calendars": ["holidays"]})
    api.put(JOB | {"calendars": ["holidays"]}, path=f"{LIST}/other")
    api.put(JOB | {"calendars": ["holidays"]}, path=f"{LIST}/dry", query={"dry_run": "true"})
    calendar = "/v1/namespaces/demo/calendars/holidays"
    assert api.get(calendar).body["status"]["jobs"] == 2
    refused = api.delete(calendar)
    assert refused.status == 409
    assert "2 jobs name the calendar demo/holidays (heartbeat, other); take it out" in refused.body["detail"]
    api.put(JOB)
    api.delete(f"{LIST}/other")
    assert state.calendars[CalendarKey("demo", "holidays")].users == 0
    assert api.delete(calendar).status == 204


def test_a_job_shows_how_many_runs_are_left(api: Api, state: MemoryState) -> None:
    saved = api.put(JOB | {"schedule": "* * * * *", "max_runs": 5})
    assert saved.body["status"]["runs_left"] == 3
    assert len(state.messages) == 2
    fewer = api.put(JOB | {"schedule": "* * * * *", "max_runs": 2}).body["status"]
    assert (fewer["runs_left"], fewer["next_run_at"]) == (0, None)
    assert fewer["idle_because"] == (
        "max_runs is 2, and the last of these runs is queued or over; raise max_runs to let it run again"
    )
    [item] = api.get(LIST).body["items"]
    assert api.get().body["status"] == item["status"] | fewer == fewer


def test_a_dry_run_shows_no_number_of_runs_left(api: Api) -> None:
    answer = api.put(JOB | {"max_runs": 5}, query={"dry_run": "true"})
    assert (answer.body["max_runs"], answer.body["status"]["runs_left"]) == (5, None)


def test_a_run_delayed_by_jitter_shows_when_it_starts(api: Api, clock: FakeClock) -> None:
    api.put(JOB | {"schedule": "* * * * *", "jitter": "24h"})
    runs = api.get(f"{PATH}/runs").body["items"]
    assert [run["scheduled_for"] for run in runs] == ["2026-11-20T12:02:00Z", "2026-11-20T12:01:00Z"]
    assert all(run["scheduled_for"] <= run["starts_at"] <= "2026-11-21T12:02:00Z" for run in runs)
    assert len({run["starts_at"] for run in runs}) == 2
    clock.move(minutes=1)
    assert [run for run in api.get(f"{PATH}/runs").body["items"] if run in runs] == runs


def test_a_manual_job_is_idle_and_can_be_triggered(api: Api) -> None:
    status = api.put(JOB | {"schedule": "@manual", "max_runs": 1}).body["status"]
    assert status["idle_because"] == "its schedule is @manual: it runs when it is triggered"
    for key in ("a", "b"):
        assert api.post(f"{PATH}/trigger", headers={"Idempotency-Key": key}).status == 202
    assert api.get().body["status"]["runs_left"] == 1, "runs asked for by hand do not count"


def test_a_calendar_can_be_deleted_once_no_job_names_it(api: Api) -> None:
    save_calendar(api)
    api.put(JOB | {"calendars": ["holidays"]})
    api.put(JOB)
    assert api.delete("/v1/namespaces/demo/calendars/holidays").status == 204
    assert api.get().body["status"]["next_run_at"] is not None
