"""Messages that are lost: the sweep, which EventBridge invokes each minute, finds their runs."""

from __future__ import annotations

import pytest
from localstack.echo import EchoServer

from tests.e2e.conftest import Stack, eventually

pytestmark = [pytest.mark.services, pytest.mark.slow]


def test_a_fixed_delay_goes_on_after_its_message_was_lost(stack: Stack, target: EchoServer, namespace: str) -> None:
    http = {"type": "http", "method": "GET", "url": target.url}
    stack.client.apply_job({"namespace": namespace, "name": "delayed", "schedule": "@after 20s", "target": http})
    job = f"{namespace}/delayed"

    def oldest() -> str | None:
        runs = list(stack.client.runs(job))
        return str(runs[-1]["state"]) if runs else None

    assert eventually(oldest, seconds=20, what="the first run") == "queued"
    stack.sqs.purge_queue(QueueUrl=stack.record.outputs["HttpQueueUrl"])

    def waits() -> str | None:
        return stack.client.get_job(job)["status"]["idle_because"]

    said = eventually(waits, seconds=60, what="the reason why it does not go on")
    assert "it waits for the end of run" in said
    assert "queued since" in said

    def ended() -> bool:
        return oldest() == "succeeded"

    assert eventually(ended, seconds=240, what="the run whose message was lost")
