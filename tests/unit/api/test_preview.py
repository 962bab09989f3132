"""What the API tells before a job is saved, and of the runs that lie ahead of one that is."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.schedule import Schedule
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import HEARTBEAT, JOB, PATH, Api, FakeClock

CALENDARS = "/v1/namespaces/demo/calendars"
DAILY = JOB | {"schedule": "0 9 * * *", "timezone": "Europe/Paris"}
DRY = {"dry_run": "true"}


def close_at_weekends(api: Api) -> None:
    api.put({"weekly": ["SAT,SUN"]}, path=f"{CALENDARS}/weekend")


def coming(api: Api, **query: str) -> Any:
    answer = api.by(role="viewer").get(f"{PATH}/next", query=query)
    assert answer.status == 200, answer.body
    return answer.body


def ats(preview: Any) -> list[str]:
    return [item["at"] for item in preview["items"]]


def test_the_status_describes_the_schedule_its_time_zone_and_its_dialect(api: Api) -> None:
    said = api.put(JOB | {"schedule": "CRON_TZ=Asia/Tokyo 0 9 * * MON-FRI"}).body["status"]
    assert (said["description"], said["timezone"]) == ("At 09:00 on weekdays, Tokyo time", "Asia/Tokyo")
    assert said["dialect"] == "vixie"
    assert api.get().body["status"] == said
    assert api.post(f"{PATH}/pause").body["status"]["description"] == said["description"]
    mixed = api.put(JOB | {"schedule": ["0 9 * * *", "rate(1 hour)"]}).body["status"]
    assert (mixed["dialect"], mixed["timezone"]) == (None, "UTC")


def test_a_list_has_no_descriptions_of_schedules(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.put()
    monkeypatch.setattr(Schedule, "describe", None)
    [item] = api.get("/v1/namespaces/demo/jobs").body["items"]
    assert "description" not in item["status"]


@pytest.mark.thorough
def test_descriptions_of_schedules_are_loaded_only_when_needed() -> None:
    program = "import sys, minutehand.entrypoints.api; assert 'cron_descriptor' not in sys.modules"
    environment = {"AWS_DEFAULT_REGION": "us-east-1", "POWERTOOLS_SERVICE_NAME": "test"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


def test_an_unreadable_schedule_hides_nothing_else_of_the_job(api: Api, state: MemoryState) -> None:
    api.put()
    stored = state.definitions[HEARTBEAT]
    broken = stored.revisions[-1]._replace(rule="not a schedule")
    state.definitions[HEARTBEAT] = replace(stored, revisions=(broken,))
    said = api.get().body["status"]
    assert (said["description"], said["timezone"], said["dialect"]) == (None, None, None)
    preview = coming(api)
    assert (preview["items"], preview["description"]) == ([], None)
    assert "cannot be read" in preview["idle_because"]
    assert api.put(query=DRY).body["preview"]["items"] == []
    edited = api.put(DAILY, query=DRY).body["preview"]
    assert (len(edited["items"]), edited["diff"]) == (10, None)


@pytest.mark.parametrize("query", [None, DRY])
def test_saving_a_job_answers_warnings_in_the_form_of_errors(api: Api, query: Any) -> None:
    assert api.put(query=query).body["warnings"] == []
    [warning] = api.put(JOB | {"schedule": ["@daily", "0 9 13 * FRI"]}, query=query).body["warnings"]
    assert warning.keys() == {"path", "pointer", "message", "hint", "column"}
    assert (warning["path"], warning["column"]) == ("schedule[1]", 4)
    assert warning["message"].startswith("day-of-month: either day field is enough")
    [alone] = api.put(JOB | {"schedule": ["0 9 13 * FRI"]}, query=query).body["warnings"]
    assert alone["path"] == "schedule[0]"


def test_a_time_zone_in_the_schedule_causes_a_warning_only_if_the_document_also_has_one(api: Api) -> None:
    text = JOB | {"schedule": "CRON_TZ=Asia/Tokyo 0 9 * * *"}
    assert api.put(text).body["warnings"] == []
    [warning] = api.put(text | {"timezone": "Europe/Paris"}).body["warnings"]
    assert (warning["path"], warning["column"]) == ("schedule", 8)
    assert "Europe/Paris" in warning["message"]


def test_the_answers_to_a_save_and_a_dry_run_can_be_saved_again(api: Api) -> None:
    planned = api.put(query=DRY).body
    saved = api.put(planned)
    assert saved.status == 201
    assert api.put(saved.body).body == saved.body


def test_a_dry_run_shows_the_next_ten_runs_in_utc_and_local_time(api: Api) -> None:
    preview = api.put(DAILY, query=DRY).body["preview"]
    assert len(preview["items"]) == 10
    assert preview["items"][0] == {
        "at": "2026-11-21T08:00:00Z",
        "local": "2026-11-21T09:00:00+01:00",
        "starts_at": "2026-11-21T08:00:00Z",
        "moved": False,
        "moved_from": None,
        "note": None,
        "estimated": False,
    }
    assert (preview["blocked"], preview["skipped"], preview["diff"]) == ([], [], None)
    assert "preview" not in api.put(DAILY).body


def test_a_dry_run_shows_the_effect_of_clock_changes(api: Api) -> None:
    job = JOB | {"schedule": "30 2 * * *", "timezone": "America/New_York", "start_at": "2027-03-13T00:00:00Z"}
    preview = api.put(job | {"dialect": "robfig"}, query=DRY).body["preview"]
    [skipped] = preview["skipped"]
    assert (skipped["local"], skipped["timezone"], skipped["times"]) == ("2027-03-14T02:30:00", "America/New_York", 1)
    assert skipped["at"] == "2027-03-14T07:00:00Z"
    late = api.put(job, query=DRY).body["preview"]
    assert "02:30 does not exist" in late["items"][1]["note"]


def test_a_dry_run_shows_the_runs_a_day_that_an_edit_adds_and_removes(api: Api) -> None:
    api.put()
    assert api.put(JOB | {"schedule": "*/30 * * * *"}, query=DRY).body["preview"]["diff"] == {
        "from": "2026-11-20T12:00:30Z",
        "until": "2026-12-20T12:00:30Z",
        "added_per_day": 24.0,
        "removed_per_day": 0.0,
        "kept_per_day": 24.0,
    }
    assert api.put(query=DRY).body["preview"]["diff"] is None


def test_calendars_and_windows_count_in_what_an_edit_changes(api: Api) -> None:
    close_at_weekends(api)
    api.put(DAILY)
    blocked = api.put(DAILY | {"calendars": ["weekend"]}, query=DRY).body["preview"]
    assert (blocked["diff"]["added_per_day"], blocked["diff"]["removed_per_day"]) == (0.0, 0.33)
    ended = api.put(DAILY | {"end_at": "2026-12-05T12:00:00Z"}, query=DRY).body["preview"]
    assert (ended["diff"]["removed_per_day"], ended["diff"]["kept_per_day"]) == (0.5, 0.5)


def test_a_limited_number_of_instants_is_compared_and_the_span_is_shown(api: Api) -> None:
    api.put(JOB | {"schedule": "* * * * * *"})
    preview = api.put(JOB | {"schedule": "*/2 * * * * *"}, query=DRY).body["preview"]["diff"]
    assert "2026-11-21T12:00:30Z" < preview["until"] < "2026-11-23"
    assert (preview["added_per_day"], preview["removed_per_day"], preview["kept_per_day"]) == (0.0, 43200.0, 43200.0)


def test_the_preview_of_a_paused_job_ignores_the_pause(api: Api) -> None:
    api.put(DAILY | {"paused": True})
    preview = api.put(DAILY | {"schedule": "0 9,17 * * *"}, query=DRY).body
    assert preview["paused"] is True
    assert len(preview["preview"]["items"]) == 10
    assert preview["preview"]["diff"]["added_per_day"] == 1.0


def test_a_dry_run_lists_no_more_runs_than_max_runs_leaves(api: Api, clock: FakeClock) -> None:
    hourly = JOB | {"max_runs": 5}
    assert len(api.put(hourly, query=DRY).body["preview"]["items"]) == 5
    api.put(hourly | {"schedule": "* * * * *"})  # two are claimed ahead
    for schedule in ("* * * * *", "0 * * * *"):
        changed = hourly | {"schedule": schedule, "max_runs": 4}
        planned = api.put(changed, query=DRY).body["preview"]
        assert len(planned["items"]) == 4
    clock.move(hours=1)
    assert [len(api.put(hourly | {"max_runs": n}, query=DRY).body["preview"]["items"]) for n in (1, 2, 4)] == [0, 0, 2]


def test_next_runs_may_start_after_a_given_instant(api: Api) -> None:
    api.put(DAILY)
    preview = coming(api, count="2")
    assert ats(preview) == ["2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z"]
    assert (preview["description"], preview["timezone"]) == ("At 09:00 every day, Paris time", "Europe/Paris")
    assert preview["idle_because"] is None
    assert len(coming(api)["items"]) == 10
    assert ats(coming(api, count="1", after=ats(preview)[1])) == ["2026-11-23T08:00:00Z"]
    assert ats(coming(api, count="1", after="2026-11-22T10:00:00+01:00")) == ["2026-11-23T08:00:00Z"]


def test_a_past_instant_counts_as_now(api: Api) -> None:
    api.put(DAILY)
    assert coming(api, after="2020-01-01T00:00:00Z") == coming(api)


def test_blocked_occurrences_are_grouped_in_ranges_and_moved_ones_are_marked(api: Api) -> None:
    close_at_weekends(api)
    job = JOB | {"schedule": "0 9 * * SAT,SUN,TUE", "calendars": ["weekend"]}
    api.put(job)
    preview = coming(api, count="2")
    assert ats(preview) == ["2026-11-24T09:00:00Z", "2026-12-01T09:00:00Z"]
    blocked_range = {
        "at": "2026-11-21T09:00:00Z",
        "local": "2026-11-21T09:00:00+00:00",
        "until": "2026-11-23T00:00:00Z",
        "times": 2,
        "calendar": "weekend",
        "moved_to": None,
    }
    assert preview["blocked"][0] == blocked_range
    assert len(preview["blocked"]) == 2
    api.put(job | {"on_blocked": "next_day"})
    moved = coming(api, count="2")
    assert [(item["at"], item["moved"], item["moved_from"]) for item in moved["items"]] == [
        ("2026-11-23T09:00:00Z", True, "2026-11-21T09:00:00Z"),
        ("2026-11-24T09:00:00Z", False, None),
    ]
    assert moved["blocked"] == [blocked_range | {"moved_to": "2026-11-23T09:00:00Z"}]


def test_next_runs_show_the_start_after_jitter(api: Api, state: MemoryState) -> None:
    api.put(JOB | {"schedule": "*/1 * * * *", "jitter": "90s"})
    [first, second, *_] = coming(api)["items"]
    assert first["at"] <= first["starts_at"] <= "2026-11-20T12:02:30Z"
    claimed = {run.run_id: m.not_before for m in state.messages for run in [m.run]}
    assert {each["starts_at"] for each in (first, second)} == {f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in claimed.values()}


def test_next_runs_stop_at_max_runs_and_include_claimed_runs(api: Api, clock: FakeClock) -> None:
    api.put(JOB | {"schedule": "* * * * *", "max_runs": 5})
    assert api.get().body["status"]["runs_left"] == 3
    assert ats(coming(api)) == [f"2026-11-20T12:0{n}:00Z" for n in range(1, 6)]
    assert ats(coming(api, after="2026-11-20T12:01:00Z")) == [f"2026-11-20T12:0{n}:00Z" for n in range(2, 6)]
    assert ats(coming(api, after="2026-11-20T12:03:30Z")) == [f"2026-11-20T12:0{n}:00Z" for n in range(4, 6)]
    assert ats(coming(api, after="2026-11-21T00:00:00Z")) == []


def test_the_runs_left_after_a_later_instant_are_not_guessed(api: Api) -> None:
    api.put(JOB | {"schedule": "* * * * *", "max_runs": 1_000_000})
    assert len(coming(api, after="2026-11-30T00:00:00Z")["items"]) == 10
    refused = api.get(f"{PATH}/next", query={"after": "2027-11-20T00:00:00Z"})
    assert (refused.status, list(refused.errors)) == (400, ["after"])
    assert "more than 20,000 runs come before this instant" in refused.errors["after"]["message"]


@pytest.mark.parametrize(
    ("fields", "because"),
    [
        ({"paused": True}, "paused"),
        ({"schedule": "@manual"}, "@manual"),
        ({}, "max_runs is 1, and its one run is queued or over"),
    ],
)
def test_an_idle_job_has_no_next_runs_and_says_why(api: Api, fields: dict[str, Any], because: str) -> None:
    api.put(JOB | {"schedule": "1 12 20 11 *", "max_runs": 1} | fields)
    preview = coming(api)
    assert (preview["items"], preview["blocked"], preview["skipped"]) == ([], [], [])
    assert because in preview["idle_because"]
    assert preview["description"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("count", "0"),
        ("count", "101"),
        ("count", "ten"),
        ("after", "tomorrow"),
        ("after", "2026-11-20T09:00:00"),
        ("after", "2026-11-20T09:00:00 01:00"),
        ("after", "9999-01-01T00:00:00Z"),
        ("afer", "2026-11-20T09:00:00Z"),
    ],
)
def test_an_invalid_parameter_is_refused_by_its_name(api: Api, name: str, text: str) -> None:
    api.put()
    answer = api.get(f"{PATH}/next", query={name: text})
    assert (answer.status, list(answer.errors)) == (400, [name])


@pytest.mark.parametrize("schedule", ["0 0 1 1 *", "30 2 * * SUN,WED", "@every 70m"])
@pytest.mark.parametrize("on_blocked", ["skip", "next_day"])
def test_the_latest_accepted_instant_is_answered(api: Api, schedule: str, on_blocked: str) -> None:
    close_at_weekends(api)
    api.put(
        JOB | {"schedule": schedule, "timezone": "America/New_York", "calendars": ["weekend"], "on_blocked": on_blocked}
    )
    assert ats(coming(api, after="9900-01-01T00:00:00Z"))


def test_next_runs_of_an_unknown_job_are_404(api: Api) -> None:
    assert api.get(f"{PATH}/next").status == 404


def test_the_next_run_is_the_one_that_the_status_names(api: Api, ports: Ports) -> None:
    close_at_weekends(api)
    for fields in ({}, {"calendars": ["weekend"]}, {"calendars": ["weekend"], "on_blocked": "next_day"}):
        api.put(DAILY | fields)
        assert ats(coming(api, count="1")) == [api.get().body["status"]["next_run_at"]]
