"""Jobs of the deployed stack call a real HTTP service on time, once each."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from localstack.echo import EchoServer

from tests.e2e.conftest import Stack, eventually, instant

pytestmark = [pytest.mark.services, pytest.mark.slow]


def _finished(stack: Stack, job: str) -> list[dict[str, Any]]:
    return [run for run in stack.runs(job) if run["finished_at"]]


def test_a_job_of_five_seconds_runs_at_each_of_them_once_though_ticks_come_together(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    job = f"{namespace}/beat"
    stack.client.apply_job(
        {
            "namespace": namespace,
            "name": "beat",
            "schedule": "*/5 * * * * *",
            "target": {"type": "http", "method": "POST", "url": f"{target.url}/beat"},
            "payload": {"hello": "world"},
        }
    )
    with ThreadPoolExecutor(max_workers=3) as ticks:
        for _ in range(3):
            list(ticks.map(lambda _: stack.invoke("TickFunction"), range(3)))
            time.sleep(7)
    done = eventually(
        lambda: found if len(found := _finished(stack, job)) >= 5 else None, seconds=60, what="five finished runs"
    )
    stack.client.pause(job)

    scheduled = [instant(run["scheduled_for"]) for run in done]
    assert {later - earlier for earlier, later in pairwise(scheduled)} == {timedelta(seconds=5)}
    assert {(run["state"], run["attempt"]) for run in done} == {("succeeded", 1)}
    assert all(instant(run["started_at"]) >= instant(run["scheduled_for"]) for run in done)
    assert all(run["lateness_ms"] >= 0 and run["duration_ms"] >= 0 for run in done)
    calls = Counter(call["headers"]["Minutehand-Run-Id"] for call in target.calls)
    assert set(calls.values()) == {1}
    assert {run["run_id"] for run in done} <= set(calls)
    assert target.calls[0]["body"] == '{"hello":"world"}'


def test_saving_a_job_that_is_due_in_seconds_does_not_wait_for_a_tick(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    due = datetime.now(UTC) + timedelta(seconds=4)
    stack.client.apply_job(
        {
            "namespace": namespace,
            "name": "soon",
            "schedule": f"{due.second} {due.minute} {due.hour} * * *",
            "target": {"type": "http", "method": "GET", "url": f"{target.url}/soon"},
        }
    )
    [run] = stack.runs(f"{namespace}/soon")
    assert instant(run["scheduled_for"]) == due.replace(microsecond=0)
    eventually(lambda: _finished(stack, f"{namespace}/soon"), seconds=20, what="the run")


def test_what_is_paused_edited_or_deleted_within_the_look_ahead_does_not_run(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    def job(name: str, schedule: str) -> dict[str, Any]:
        http = {"type": "http", "method": "GET", "url": f"{target.url}/{name}"}
        return {"namespace": namespace, "name": name, "schedule": schedule, "target": http}

    names = ("paused", "edited", "deleted")
    for name in names:
        stack.client.apply_job(job(name, "*/8 * * * * *"))
    stack.client.pause(f"{namespace}/paused")
    stack.client.apply_job(job("edited", "0 0 1 1 *"))
    stack.client.delete_job(f"{namespace}/deleted")
    since = datetime.now(UTC)  # what was due before that may have run

    def skipped(name: str) -> list[dict[str, Any]] | None:
        done = [run for run in _finished(stack, f"{namespace}/{name}") if instant(run["scheduled_for"]) > since]
        return done if len(done) >= 2 else None

    for name, reason in (("paused", "paused"), ("edited", "edit"), ("deleted", "deleted")):
        done = eventually(lambda name=name: skipped(name), seconds=40, what=f"skipped runs of {name}")
        assert {run["state"] for run in done} == {"skipped"}
        assert all(reason in run["reason"] for run in done), done[0]["reason"]
        assert all(run["attempt"] == 0 and run["started_at"] is None for run in done)


def test_a_failure_is_recorded_with_status_body_and_message(stack: Stack, target: EchoServer, namespace: str) -> None:
    stack.client.apply_job(
        {
            "namespace": namespace,
            "name": "fails",
            "schedule": "0 0 1 1 *",
            "target": {"type": "http", "method": "POST", "url": f"{target.url}/status/503"},
            "payload": "x" * 1000,
        }
    )
    triggered = stack.client.trigger(f"{namespace}/fails")
    run = eventually(
        lambda: (
            found if (found := stack.client.run(f"{namespace}/fails", triggered["run_id"]))["finished_at"] else None
        ),
        seconds=20,
        what="the end of the run",
    )
    assert run["state"] == "failed"
    assert run["result"]["status"] == 503
    assert "x" * 1000 in run["result"]["body"]
    assert run["error"]["type"] == "HttpStatus"
    assert "503" in run["error"]["message"]


def test_a_refused_connection_is_recorded_with_its_stack(stack: Stack, namespace: str) -> None:
    stack.client.apply_job(
        {
            "namespace": namespace,
            "name": "nobody",
            "schedule": "0 0 1 1 *",
            "target": {"type": "http", "method": "GET", "url": "http://127.0.0.1:9/"},
        }
    )
    triggered = stack.client.trigger(f"{namespace}/nobody")
    run = eventually(
        lambda: (
            found if (found := stack.client.run(f"{namespace}/nobody", triggered["run_id"]))["finished_at"] else None
        ),
        seconds=20,
        what="the end of the run",
    )
    assert run["state"] == "failed"
    assert run["result"] is None
    assert "Traceback" in run["error"]["stack"]


def test_a_trigger_with_the_same_key_is_one_run_and_one_call(stack: Stack, target: EchoServer, namespace: str) -> None:
    stack.client.apply_job(
        {
            "namespace": namespace,
            "name": "once",
            "schedule": "0 0 1 1 *",
            "paused": True,
            "target": {"type": "http", "method": "GET", "url": f"{target.url}/once"},
        }
    )
    path = f"/v1/namespaces/{namespace}/jobs/once/trigger"
    answers = [stack.ask("POST", path, headers={"Idempotency-Key": "same"}) for _ in range(3)]
    assert [answer.status for answer in answers] == [202, 200, 200]
    assert len({answer.body["run_id"] for answer in answers}) == 1
    eventually(lambda: _finished(stack, f"{namespace}/once"), seconds=20, what="the end of the run")
    assert len(stack.runs(f"{namespace}/once")) == 1
    assert len([call for call in target.calls if call["path"] == "/once"]) == 1
