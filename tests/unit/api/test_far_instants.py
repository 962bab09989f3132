"""Calendars and jobs at the ends of time: what is accepted can always be read, and its instants computed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.job_key import JobKey
from tests.unit.api.conftest import JOB, Api

JOBS = "/v1/namespaces/demo/jobs"
PATH = f"{JOBS}/heartbeat"
CALENDAR = "/v1/namespaces/demo/calendars/closed"
ZONES = ["Pacific/Kiritimati", "UTC", "America/New_York", "Pacific/Pago_Pago"]


def use(api: Api, path: str) -> int:
    """The status of a job's reads and changes; the worst of them."""
    answers = [
        api.get(JOBS),
        api.get(path),
        api.get(f"{path}/next"),
        api.get(f"{path}/next", query={"after": "2027-05-31T12:00:00Z"}),
        api.get(f"{path}/next", query={"after": "9899-12-31T23:00:00Z"}),
        api.get(f"{path}/explain"),
        api.post(f"{path}/pause"),
        api.post(f"{path}/resume"),
    ]
    return max(answer.status for answer in answers)


@pytest.mark.parametrize("on_blocked", ["skip", "next_day"])
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("dates", ["2026-11-21..9999-12-31", "2027-06-01..9999-12-31", "9999-12-31"])
@pytest.mark.thorough
def test_a_calendar_may_block_to_the_end_of_time_in_every_time_zone(
    api: Api, dates: str, zone: str, on_blocked: str
) -> None:
    assert api.put({"dates": [dates]}, path=CALENDAR).status == 201
    job = JOB | {"timezone": zone, "calendars": ["closed"], "on_blocked": on_blocked, "schedule": "0 9 * * *"}
    assert api.put(job, path=PATH, query={"dry_run": "true"}).status < 500
    if api.put(job, path=PATH).status == 201:
        assert use(api, PATH) == 200


@pytest.mark.parametrize(
    "schedule", ["0 9 * * *", "@every 1h", "@every 1000000000s", "rate(30 days)", "at(9899-12-31T23:59:59)"]
)
@pytest.mark.parametrize(
    "limits",
    [
        {"start_at": "1970-01-02T00:00:00Z"},
        {"end_at": "9999-12-31T23:59:59Z"},
        {"start_at": "9899-12-31T00:00:00Z"},
        {"calendars": ["closed"], "on_blocked": "next_day"},
    ],
)
@pytest.mark.thorough
def test_what_is_accepted_can_be_used(api: Api, schedule: str, limits: dict[str, Any]) -> None:
    api.put({"weekly": ["SAT"], "dates": ["2026-12-24..2027-01-02"]}, path=CALENDAR)
    for zone in ZONES:
        job = JOB | {"schedule": schedule, "timezone": zone} | limits
        if schedule == "@every 1h" and "calendars" in limits:
            job["schedule"] = "@every 6h"
        assert api.put(job, path=PATH, query={"dry_run": "true"}).status < 500
        if api.put(job, path=PATH).status < 300:
            assert use(api, PATH) == 200


def test_a_job_whose_instants_cannot_be_computed_breaks_no_list(api: Api, state: MemoryState) -> None:
    api.put(JOB, path=PATH)
    api.put(JOB, path=f"{JOBS}/sound")
    damaged = JobKey(namespace="demo", name="heartbeat")
    definition = state.definitions[damaged]
    [revision] = definition.revisions
    late = revision._replace(rule=f'{revision.rule}\n{{"jitter":1000000000000000}}')
    state.definitions[damaged] = replace(definition, revisions=(late,))
    listed = api.get(JOBS)
    assert listed.status == 200
    assert [item["name"] for item in listed.body["items"]] == ["heartbeat", "sound"]
    assert "its schedule cannot be read" in listed.body["items"][0]["status"]["idle_because"]
    assert api.get(PATH).status == 200
