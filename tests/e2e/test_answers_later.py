"""A target that takes work on, and reports to the deployed API by the headers of its call."""

from __future__ import annotations

import json
from typing import Any

import pytest
import urllib3
from localstack.echo import EchoServer

from minutehand.client import Conflict, LateAnswer, NotAllowed
from tests.e2e.conftest import Stack, eventually


def _taken_on(stack: Stack, namespace: str, target: EchoServer, **more: Any) -> tuple[str, dict[str, str]]:
    """Run a job whose target answers 202, and wait until its run is waiting; the run's id and the headers of the call."""
    job = {"namespace": namespace, "name": "long", "schedule": "@manual", "timeout": "1h", **more}
    stack.client.apply_job(job | {"target": {"type": "http", "url": f"{target.url}/status/202", "heartbeat": "30s"}})
    run_id = stack.client.trigger(f"{namespace}/long")["run_id"]
    eventually(lambda: _state(stack, namespace, run_id) == "waiting", seconds=30, what="the run waits for its answer")
    [call] = [each for each in target.calls if each["headers"].get("Minutehand-Run-Id") == run_id]
    return run_id, call["headers"]


def _state(stack: Stack, namespace: str, run_id: str) -> str:
    return stack.client.run(f"{namespace}/long", run_id)["state"]


@pytest.mark.services
def test_a_run_waits_for_its_target_s_report_and_keeps_its_result(
    stack: Stack, namespace: str, target: EchoServer
) -> None:
    run_id, headers = _taken_on(stack, namespace, target)
    result = {"rows": ["a row"] * 1000}
    answer = LateAnswer.from_headers(headers)
    assert (answer.job, answer.run_id, answer.attempt, answer.attempts_left) == (f"{namespace}/long", run_id, 1, 0)
    assert not answer.heartbeat()
    assert not answer.progress(50, "half of it")
    answer.succeeded(result)
    run = stack.client.run(f"{namespace}/long", run_id)
    assert (run["state"], run["result"] and run["result"]["type"]) == ("succeeded", "callback")
    whole = stack.client.output(f"{namespace}/long", run_id)
    assert json.loads(whole["text"] or "") == result
    with pytest.raises(Conflict, match="succeeded"):
        answer.failed("TooLate", "it is done")
    answer.close()


@pytest.mark.services
def test_a_failure_that_is_reported_is_tried_again_with_another_token(
    stack: Stack, namespace: str, target: EchoServer
) -> None:
    retry = {"max_attempts": 2, "backoff": {"initial": "1s", "jitter": 0}}
    run_id, first = _taken_on(stack, namespace, target, retry=retry)
    with LateAnswer.from_headers(first) as answer:
        assert answer.attempts_left == 1
        answer.failed("Busy", "try again")
    eventually(lambda: len(target.calls) == 2, seconds=60, what="the second attempt's call")
    second = target.calls[1]["headers"]
    assert second["Minutehand-Token"] != first["Minutehand-Token"]
    assert second["Minutehand-Attempts-Left"] == "0"
    eventually(lambda: _state(stack, namespace, run_id) == "waiting", seconds=30, what="the second attempt waits")
    with pytest.raises(Conflict, match="attempt 1"):
        answer.heartbeat()
    with LateAnswer.from_headers(second):
        pass
    assert _state(stack, namespace, run_id) == "succeeded"


@pytest.mark.services
def test_nobody_reports_with_another_token_not_even_the_admin_s(
    stack: Stack, namespace: str, target: EchoServer
) -> None:
    run_id, headers = _taken_on(stack, namespace, target)
    url = headers["Minutehand-Callback-Url"]
    for address in (url, url.replace(run_id, "20200101T000000Z")):
        answer = LateAnswer(address, stack.record.token)
        with pytest.raises(NotAllowed, match="does not belong to this attempt"):
            answer.succeeded()
        answer.close()
    nobody = urllib3.request("POST", f"{url}/report", body=json.dumps({"state": "succeeded"}), retries=False)
    assert nobody.status == 401
    assert _state(stack, namespace, run_id) == "waiting"
    token = headers["Minutehand-Token"]
    assert stack.ask("GET", f"/v1/namespaces/{namespace}/jobs", token=token).status in (401, 403)
