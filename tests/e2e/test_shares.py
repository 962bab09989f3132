"""A tick that finds much has itself called for shares of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from localstack.echo import EchoServer

from tests.e2e.conftest import SHORT_LOOK_AHEAD, Stack, eventually

JOBS = 24


@pytest.fixture
def small_shares(stack: Stack) -> Iterator[None]:
    """A stack whose tick finds a shard busy that has more than one timer due."""
    function = stack.record.outputs["TickFunction"]
    before: dict[str, Any] = stack.functions.get_function_configuration(FunctionName=function)["Environment"]
    changed = before["Variables"] | {"TICK_SHARE": "8", "TICK_FAN_OUT": "3"}
    stack.functions.update_function_configuration(FunctionName=function, Environment={"Variables": changed})
    yield
    stack.functions.update_function_configuration(FunctionName=function, Environment={"Variables": before["Variables"]})


@pytest.mark.usefixtures("small_shares")
def test_much_that_is_due_at_once_is_shared_and_each_occurrence_is_claimed_once(
    stack: Stack, namespace: str, target: EchoServer
) -> None:
    jobs: list[str] = []
    for attempt in range(3):  # the minute's own tick may come in the very second, and leave nothing to share
        more = [f"{namespace}/job-{attempt}-{number}" for number in range(JOBS)]
        jobs += more
        if _ticked_when_due(stack, more, target)["handed_over"]:
            break
    else:
        pytest.fail("no tick has handed anything over")
    eventually(lambda: all(map(stack.runs, jobs)), seconds=60, what=f"runs of {len(jobs)} jobs", every=1)
    assert {len(stack.runs(job)) for job in jobs} == {1}
    for job in jobs:
        stack.client.delete_job(job)  # nobody waits until these are due


def _ticked_when_due(stack: Stack, jobs: list[str], target: EchoServer) -> dict[str, Any]:
    """What a tick answers that comes as soon as these jobs, which are saved first, are due within its look-ahead."""
    seen = (datetime.now(UTC) + timedelta(seconds=12)).replace(microsecond=0)
    due = seen + timedelta(seconds=int(SHORT_LOOK_AHEAD))
    schedule = f"{due.second} {due.minute} {due.hour} {due.day} {due.month} *"
    for job in jobs:
        space, _, name = job.partition("/")
        document = {"schedule": schedule, "target": {"type": "http", "url": target.url}}
        stack.client.apply_job({"namespace": space, "name": name, **document})
    left = (seen - datetime.now(UTC)).total_seconds()
    assert left > 0, f"saving {len(jobs)} jobs took 12 s"
    time.sleep(left + 0.5)
    answer: dict[str, Any] = stack.invoke("TickFunction")
    return answer
