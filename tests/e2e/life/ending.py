"""Runs that wait for an answer, and runs that are cancelled."""

from __future__ import annotations

import json
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest

from minutehand.client import Conflict, LateAnswer
from tests.e2e.life.scene import Scene, Step

LATER = Step(202)


def a_heartbeat_that_is_missed_ends_the_attempt_and_its_late_report_changes_nothing(scene: Scene) -> None:
    service = scene.service(then=LATER)
    retry = {"max_attempts": 2, "backoff": {"initial": "1s", "jitter": 0}}
    job = scene.job("silent", service, target={"heartbeat": "20s"}, timeout="1h", retry=retry)
    run_id = scene.trigger(job)
    first, second = (LateAnswer.from_headers(call["headers"]) for call in scene.calls(service, 2))
    with pytest.raises(Conflict, match="attempt 1"):
        first.succeeded({"too": "late"})
    second.progress(50, "half of it")
    second.succeeded({"rows": 3})
    run = scene.run(job, run_id)
    assert (run["state"], run["attempt"], json.loads(run["result"]["body"])) == ("succeeded", 2, {"rows": 3})
    [missed, _] = run["attempts"]
    assert (missed["state"], missed["error"]["type"]) == ("timed_out", "HeartbeatMissed")
    with pytest.raises(Conflict, match="succeeded"):
        second.failed("TooLate", "it is done")
    for answer in (first, second):
        answer.close()
    scene.explained(job)


def a_queued_run_that_is_cancelled_makes_no_call(scene: Scene) -> None:
    service = scene.service()
    due, schedule = scene.soon(40)
    job = scene.job("queued", service, schedule=schedule)
    [run] = scene.runs(job)
    assert scene.client.cancel(job, run["run_id"])["state"] == "cancelled"
    time.sleep((due - datetime.now(UTC)).total_seconds() + 5)
    assert scene.run(job, run["run_id"])["cancelled_by"] == "admin"
    assert not service.calls
    with pytest.raises(Conflict):
        scene.client.cancel(job, scene.ended(job, scene.trigger(job))["run_id"])
    scene.explained(job)


def a_call_that_is_under_way_ends_when_its_run_is_cancelled(scene: Scene) -> None:
    service = scene.service(then=Step(seconds=100))
    job = scene.job("running", service, timeout="90s", retry={"max_attempts": 5})
    run_id = scene.trigger(job)
    scene.calls(service, 1)
    assert scene.client.cancel(job, run_id)["cancelled_by"] == "admin"
    run = scene.ended(job, run_id)
    assert (run["state"], run["attempt"]) == ("cancelled", 1)
    assert len(service.calls) == 1
    scene.explained(job)


def a_run_that_waits_is_cancelled_at_once_or_at_the_next_heartbeat(scene: Scene) -> None:
    service = scene.service(then=LATER)
    for name, target in (("without", {}), ("with", {"heartbeat": "10m"})):
        job = scene.job(name, service, target=target, timeout="1h")
        run_id = scene.trigger(job)
        scene.becomes("waiting", job, run_id)
        [call] = [one for one in service.calls if one["headers"]["Minutehand-Job"] == job]
        with closing(LateAnswer.from_headers(call["headers"])) as answer:
            cancelled = scene.client.cancel(job, run_id)
            assert (cancelled["state"], cancelled["cancelled_by"]) == ("waiting" if target else "cancelled", "admin")
            if target:
                assert answer.heartbeat()  # the answer tells it to stop
            assert scene.run(job, run_id)["state"] == "cancelled"
            with pytest.raises(Conflict, match="cancelled"):
                answer.heartbeat()
        scene.explained(job)


def a_run_that_waits_for_its_next_attempt_is_cancelled_at_once(scene: Scene) -> None:
    service = scene.service(then=Step(500))
    hour = {"initial": "1h", "max": "1h"}
    job = scene.job("patient", service, retry={"max_attempts": 2, "backoff": hour})
    run_id = scene.trigger(job)
    assert scene.becomes("retrying", job, run_id)["retry_at"]
    run = scene.client.cancel(job, run_id)
    assert (run["state"], run["attempt"], run["retry_at"]) == ("cancelled", 1, None)
    scene.explained(job)


SCENARIOS = (
    a_heartbeat_that_is_missed_ends_the_attempt_and_its_late_report_changes_nothing,
    a_queued_run_that_is_cancelled_makes_no_call,
    a_call_that_is_under_way_ends_when_its_run_is_cancelled,
    a_run_that_waits_is_cancelled_at_once_or_at_the_next_heartbeat,
    a_run_that_waits_for_its_next_attempt_is_cancelled_at_once,
)
