"""What becomes of messages that no worker could deal with."""

from __future__ import annotations

import json

import pytest
from localstack.echo import EchoServer

from tests.e2e.conftest import Stack, eventually

pytestmark = [pytest.mark.services, pytest.mark.slow]


def test_a_dead_letter_of_a_run_that_can_still_start_is_sent_again(
    stack: Stack, target: EchoServer, namespace: str
) -> None:
    http = {"type": "http", "method": "GET", "url": target.url}
    stack.client.apply_job({"namespace": namespace, "name": "buried", "schedule": "0 0 1 1 *", "target": http})
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

    # The sweep, which starts the drain, runs every minute.
    assert eventually(ended, seconds=100, what="the drained run") in {"succeeded", "skipped"}


_CLAIMED = {"target", "revision", "claimed_at", "expires_at", "by_time", "attempt"}
