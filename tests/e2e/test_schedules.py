"""Every kind of schedule, and what limits it, on the deployed stack."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from localstack.echo import EchoServer

from tests.e2e.conftest import Stack, eventually, instant

pytestmark = [pytest.mark.services, pytest.mark.slow]
FORMAT = "%Y-%m-%dT%H:%M:%S"


def _job(stack: Stack, target: EchoServer, namespace: str, name: str, **fields: Any) -> str:
    target_form = {"type": "http", "method": "POST", "url": f"{target.url}/{name}"}
    answer = stack.ask("PUT", f"/v1/namespaces/{namespace}/jobs/{name}", {"target": target_form, **fields})
    assert answer.status == 201, answer.body
    return f"{namespace}/{name}"


def _finished(stack: Stack, job: str, count: int) -> list[dict[str, Any]]:
    def found() -> list[dict[str, Any]] | None:
        done = [run for run in stack.runs(job) if run["finished_at"]]
        return done if len(done) >= count else None

    return eventually(found, seconds=90, what=f"{count} finished runs of {job}")


def _in(seconds: int) -> datetime:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).replace(microsecond=0)


def test_a_single_run_at_a_local_time_runs_once_and_the_job_is_at_its_end(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    due = _in(5)
    tokyo = (due + timedelta(hours=9)).strftime(FORMAT)
    job = _job(stack, target, namespace, "once", schedule=f"at({tokyo})", timezone="Asia/Tokyo")
    [run] = _finished(stack, job, 1)
    assert (instant(run["scheduled_for"]), run["state"]) == (due, "succeeded")
    status = stack.client.get_job(job)["status"]
    assert status["next_run_at"] is None
    assert "has no occurrence after" in status["idle_because"]


def test_a_limit_of_runs_is_kept_and_can_be_raised(stack: Stack, target: EchoServer, namespace: str) -> None:
    job = _job(stack, target, namespace, "thrice", schedule="*/2 * * * * *", max_runs=3)
    stack.invoke("TickFunction")
    assert len(_finished(stack, job, 3)) == 3
    stack.invoke("TickFunction")
    assert (
        "max_runs is 3, and the last of these runs is queued or over"
        in stack.client.get_job(job)["status"]["idle_because"]
    )
    document = stack.client.get_job(job)
    stack.client.apply_job({**document, "max_runs": 5})
    assert len(_finished(stack, job, 5)) == 5
    stack.invoke("TickFunction")
    assert len(stack.runs(job)) == 5


def test_a_manual_job_runs_when_it_is_triggered_and_never_else(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    job = _job(stack, target, namespace, "by-hand", schedule="@manual")
    assert stack.client.get_job(job)["status"]["next_run_at"] is None
    stack.invoke("TickFunction")
    stack.client.trigger(job)
    [run] = _finished(stack, job, 1)
    assert run["state"] == "succeeded"


def test_what_a_calendar_blocks_does_not_run_until_the_calendar_is_changed(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    calendar = f"/v1/namespaces/{namespace}/calendars/quiet"
    whole = f"{_in(-60):{FORMAT}}Z..{_in(3600):{FORMAT}}Z"
    assert stack.ask("PUT", calendar, {"periods": [whole]}).status == 201
    job = _job(stack, target, namespace, "ruled", schedule="*/5 * * * * *", calendars=["quiet"])
    stack.invoke("TickFunction")
    assert stack.runs(job) == []
    assert instant(stack.client.get_job(job)["status"]["next_run_at"]) >= _in(3500)
    assert stack.ask("DELETE", calendar).status == 409

    assert stack.ask("PUT", calendar, {"periods": []}).status == 200
    eventually(lambda: stack.invoke("TickFunction") and stack.runs(job), seconds=150, what="a run that is not blocked")
    stack.client.pause(job)


def test_several_schedules_joined_with_jitter_and_a_window_start_when_they_may(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    begin = _in(4)
    job = _job(
        stack, target, namespace, "joined",
        schedule=["@every 7s", "CRON_TZ=Asia/Tokyo */9 * * * * *"], jitter="4s",
        start_at=f"{begin:{FORMAT}}Z", end_at=f"{begin + timedelta(seconds=20):{FORMAT}}Z",
    )  # fmt: skip
    done = _finished(stack, job, 4)
    for run in done:
        assert begin <= instant(run["scheduled_for"]) <= begin + timedelta(seconds=20)
        assert instant(run["started_at"]) >= instant(run["starts_at"]) >= instant(run["scheduled_for"])
        assert instant(run["starts_at"]) - instant(run["scheduled_for"]) <= timedelta(seconds=4)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"schedule": "at(2020-01-01T00:00:00)"}, "schedule"),
        ({"schedule": "@after 5m", "overlap": "queue_all"}, "overlap"),
        ({"schedule": ["* * * * *", "61 * * * *"]}, "schedule[1]"),
        ({"schedule": "* * * * *", "calendars": ["nowhere"]}, "calendars"),
        ({"schedule": "* * * * *", "end_at": "2020-01-01T00:00:00Z"}, "end_at"),
    ],
)
def test_a_schedule_that_never_comes_or_cannot_be_read_is_refused_at_its_place(
    stack: Stack, target: EchoServer, namespace: str, fields: dict[str, Any], path: str
) -> None:
    body = {"target": {"type": "http", "url": target.url}, **fields}
    answer = stack.ask("PUT", f"/v1/namespaces/{namespace}/jobs/never", body)
    assert answer.status == 422
    assert [error["path"] for error in answer.body["errors"]] == [path]
    assert answer.body["errors"][0]["hint"]
