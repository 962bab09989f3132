"""What happens when parts of the deployed stack die in the middle of their work."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest
from localstack.echo import EchoServer

from tests.e2e.conftest import Stack, eventually

pytestmark = [pytest.mark.services, pytest.mark.slow]


def _slow_job(target: EchoServer, namespace: str, name: str, takeovers: int) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "name": name,
        "schedule": "0 0 1 1 *",
        "timeout": "5s",
        "takeovers": takeovers,
        "target": {"type": "http", "method": "GET", "url": f"{target.url}/slow?seconds=3"},
    }


def test_a_worker_killed_in_the_middle_of_a_call_costs_an_attempt_and_no_run(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    runs = {}
    for name, takeovers in (("again", 2), ("at-most-once", 0)):
        stack.client.apply_job(_slow_job(target, namespace, name, takeovers))
        runs[name] = stack.client.trigger(f"{namespace}/{name}")["run_id"]
    eventually(lambda: len(target.calls) >= 2 or None, seconds=20, what="both calls to begin")
    for process in stack.worker_processes():
        os.kill(process, signal.SIGKILL)

    def ended(name: str) -> dict[str, Any] | None:
        run = stack.client.run(f"{namespace}/{name}", runs[name])
        return dict(run) if run["finished_at"] else None

    again = eventually(lambda: ended("again"), seconds=90, what="the take-over")
    assert (again["state"], again["attempt"]) == ("succeeded", 2)
    lost = eventually(lambda: ended("at-most-once"), seconds=90, what="the loss")
    assert (lost["state"], lost["attempt"]) == ("lost", 1)
    assert "attempt 1 ended without a report" in lost["error"]["message"]
    attempts = [(call["headers"]["Minutehand-Job"], call["headers"]["Minutehand-Attempt"]) for call in target.calls]
    assert sorted(attempts) == [
        (f"{namespace}/again", "1"),
        (f"{namespace}/again", "2"),
        (f"{namespace}/at-most-once", "1"),
    ]


def test_a_dead_letter_of_a_run_that_can_still_start_is_sent_again(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    job = _slow_job(target, namespace, "buried", 2) | {"target": {"type": "http", "method": "GET", "url": target.url}}
    stack.client.apply_job(job)
    key = {"job": {"S": f"{namespace}/buried"}, "run_id": {"S": "20261120T090000Z"}}
    triggered = stack.client.trigger(f"{namespace}/buried")
    finished = eventually(
        lambda: stack.dynamodb.get_item(
            TableName=stack.record.runs_table, Key=key | {"run_id": {"S": triggered["run_id"]}}
        )["Item"],
        seconds=20,
        what="a run to copy",
    )
    waiting = {name: finished[name] for name in finished if name in _CLAIMED} | key | {"state": {"S": "queued"}}
    stack.dynamodb.put_item(TableName=stack.record.runs_table, Item=waiting)
    letter = {"job": f"{namespace}/buried", "run_id": "20261120T090000Z", "attempt": 1}
    stack.sqs.send_message(QueueUrl=stack.record.outputs["HttpDeadLetterQueueUrl"], MessageBody=json.dumps(letter))

    def ended() -> str | None:
        run = stack.client.run(f"{namespace}/buried", "20261120T090000Z")
        return run["state"] if run["finished_at"] else None

    assert eventually(ended, seconds=30, what="the drained run") in {"succeeded", "skipped"}


_CLAIMED = {"target", "revision", "claimed_at", "expires_at", "by_time", "attempt"}


def test_the_sweep_finds_nothing_to_rescue(stack: Stack) -> None:
    assert stack.invoke("SweepFunction") == {"resent": 0, "renewed": 0}
