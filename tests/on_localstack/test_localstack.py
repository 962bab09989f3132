"""The template on LocalStack 4.14.0 without an account: the ready hook, jobs, the API, and changes."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from localstack.deployment import STACK
from localstack.first_token import RESOURCE, SEEDED_ID
from localstack.log_lines import LogFilter
from localstack.logs import follow
from localstack.ministack import REGION
from localstack.workspace import StackInfo

from minutehand.agent.accounts import own_account
from minutehand.agent.agent import Agent, Timing
from minutehand.agent.events import Event
from minutehand.agent.membership import Node
from minutehand.agent.rules import default_rules
from minutehand.agent.sqs import SqsQueues
from minutehand.client import Client, LateAnswer, NotAllowed, NotFound
from minutehand.client.agents import AgentCalls
from minutehand.client.config import Settings
from tests.e2e.conftest import eventually, instant
from tests.on_localstack.conftest import FIGURES, Stack

NAMESPACE = "on-localstack"
EVERY = timedelta(seconds=10)
LASTING = timedelta(minutes=2)

pytestmark = [pytest.mark.services, pytest.mark.slow]


class Enough(Exception):
    """Raised to end what would go on for ever."""


def _job(stack: Stack, name: str, schedule: str, path: str, **target: Any) -> dict[str, Any]:
    http = {"type": "http", "method": "POST", "url": f"{stack.echo.url}{path}"} | target
    return {"namespace": NAMESPACE, "name": name, "schedule": schedule, "target": http}


def _ended(stack: Stack, name: str, run_id: str) -> dict[str, Any] | None:
    run = stack.client.run(f"{NAMESPACE}/{name}", run_id)
    return dict(run) if run["finished_at"] else None


def _calls(stack: Stack, path: str) -> Counter[str]:
    """How often each run called this path."""
    return Counter(call["headers"]["Minutehand-Run-Id"] for call in list(stack.echo.calls) if call["path"] == path)


def test_the_ready_hook_deploys_every_nested_stack_and_saves_the_demo_jobs(stack: Stack) -> None:
    stacks = stack.clients.cloudformation.describe_stacks()["Stacks"]
    assert len(stacks) == 7
    assert {one["StackStatus"] for one in stacks} == {"CREATE_COMPLETE"}
    assert {job["name"] for job in stack.client.list_jobs("demo")} == {"broken", "heartbeat", "new-york-minute"}
    eventually(lambda: _calls(stack, "/heartbeat"), seconds=60, what="a run of demo/heartbeat")
    stack.client.pause_namespace("demo")  # LocalStack polls one batch at a time: other jobs shall not wait for these


def test_the_first_token_is_stored_although_localstack_skips_the_custom_resource(stack: Stack) -> None:
    skipped = stack.clients.cloudformation.describe_stack_resource(StackName=STACK, LogicalResourceId=RESOURCE)
    assert skipped["StackResourceDetail"]["ResourceStatus"] == "CREATE_COMPLETE"
    assert skipped["StackResourceDetail"]["PhysicalResourceId"] != SEEDED_ID
    assert list(stack.client.list_jobs("demo"))
    with Client(stack.url, "another-token") as stranger, pytest.raises(NotAllowed, match="has no token of this stack"):
        list(stranger.list_jobs(NAMESPACE))


def test_the_api_saves_shows_lists_and_deletes_a_job_through_the_gateway(stack: Stack) -> None:
    name = f"{NAMESPACE}/yearly"
    assert stack.client.apply_job(_job(stack, "yearly", "0 0 1 1 *", "/yearly"))["result"] == "created"
    assert stack.client.apply_job(_job(stack, "yearly", "0 0 2 1 *", "/yearly"))["result"] == "updated"
    assert stack.client.get_job(name)["schedule"] == "0 0 2 1 *"
    assert [job["name"] for job in stack.client.list_jobs(NAMESPACE)] == ["yearly"]
    stack.client.delete_job(name)
    with pytest.raises(NotFound):
        stack.client.get_job(name)


@pytest.fixture(scope="module")
def lost_run(stack: Stack) -> str:
    """The next run of `lost`. It is queued, and its message is purged before it is due."""
    due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=40)
    stack.client.apply_job(
        _job(stack, "lost", f"{due.second} {due.minute} {due.hour} {due.day} {due.month} *", "/lost")
    )
    [run] = stack.client.runs(f"{NAMESPACE}/lost")
    stack.sqs.purge_queue(QueueUrl=stack.outputs["HttpQueueUrl"])
    return str(run["run_id"])


def test_a_job_of_ten_seconds_loses_and_doubles_no_run_in_two_minutes(stack: Stack, lost_run: str) -> None:
    name = f"{NAMESPACE}/beat"
    stack.client.apply_job(_job(stack, "beat", "*/10 * * * * *", "/beat"))
    time.sleep(LASTING.total_seconds())
    stack.client.pause(name)

    def all_ended() -> list[Any] | None:
        runs = sorted(stack.client.runs(name), key=lambda run: run["run_id"])
        return runs if all(run["finished_at"] for run in runs) else None

    # A pause skips the runs that were queued before it and were due after it.
    runs = [run for run in eventually(all_ended, seconds=180, what="the end of all runs") if run["state"] != "skipped"]
    scheduled = [instant(run["scheduled_for"]) for run in runs]
    assert len(runs) >= LASTING // EVERY
    assert {later - earlier for earlier, later in pairwise(scheduled)} == {EVERY}
    assert {(run["state"], run["attempt"]) for run in runs} == {("succeeded", 1)}
    assert _calls(stack, "/beat") == Counter(run["run_id"] for run in runs)
    late = sorted(run["lateness_ms"] / 1000 for run in runs)
    assert late[0] >= 0
    FIGURES.append(
        f"{len(runs)} runs of a 10-second job, late by {late[len(late) // 2]:.1f} s (median), {late[-1]:.1f} s (most)"
    )


def test_a_target_answers_later_by_the_callback_url_of_its_call(stack: Stack) -> None:
    stack.client.apply_job(_job(stack, "long", "@manual", "/status/202", heartbeat="30s") | {"timeout": "1h"})
    run_id = stack.client.trigger(f"{NAMESPACE}/long")["run_id"]
    eventually(
        lambda: stack.client.run(f"{NAMESPACE}/long", run_id)["state"] == "waiting",
        seconds=60,
        what="the run waits for its answer",
    )
    [call] = [each for each in stack.echo.calls if each["headers"].get("Minutehand-Run-Id") == run_id]
    with LateAnswer.from_headers(call["headers"]) as answer:
        answer.progress(50, "half of it")
        answer.succeeded({"rows": 3})
    run = stack.client.run(f"{NAMESPACE}/long", run_id)
    assert (run["state"], run["attempt"]) == ("succeeded", 1)
    assert json.loads(stack.client.output(f"{NAMESPACE}/long", run_id)["text"] or "") == {"rows": 3}


def test_an_agent_runs_a_command(stack: Stack, tmp_path: Path) -> None:
    """A whole agent, by the function for agents and its queues.

    LocalStack enforces no policy: that an agent's credentials open its two queues alone is tested on MiniStack. The names of hosts in its
    queues' URLs lead to itself where its name server or the internet's is asked; here the agent is told its address instead.
    """
    client, job = stack.client, f"{NAMESPACE}/command"
    made = client.create_token("agents", role="agent", namespaces=[NAMESPACE], expires_in=timedelta(hours=1))
    settings = Settings(url=stack.url, token=made["secret"], origin="the test")
    own = own_account(os.environ)
    events: list[Event] = []
    with AgentCalls.at(settings, pool=f"{NAMESPACE}/web", node="a", session="session-of-the-test") as calls:
        agent = Agent(
            calls,
            lambda found: SqsQueues(stack.emulator.endpoint_url, found["region"], calls.credentials),
            node=Node(host="here", version="1", tags={}, slots=2),
            rules=default_rules(own.name),
            own=own,
            environment=os.environ,
            spool=tmp_path,
            log=events.append,
            timing=Timing(poll=2),
        )
        thread = threading.Thread(target=agent.run, daemon=True)
        thread.start()
        try:
            eventually(lambda: list(client.nodes(NAMESPACE)), seconds=60, what="the agent registers")
            target = {"type": "command", "pool": "web", "command": "cat; exit 75", "skipped_codes": [75]}
            client.apply_job({"namespace": NAMESPACE, "name": "command", "schedule": "@manual", "target": target})
            run_id = client.trigger(job, payload="größe")["run_id"]
            run = eventually(lambda: _ended(stack, "command", run_id), seconds=120, what="the end of the command's run")
        finally:
            agent.stop()
            thread.join(60)
    assert (run["state"], run["attempt"]) == ("skipped", 1)
    assert [event.text for event in events if event.level != "info"] == []
    [node] = client.nodes(NAMESPACE)
    assert (node["node"], node["live"]) == ("a", False)


def test_the_drain_sends_a_dead_letter_of_a_run_that_can_still_start_again(stack: Stack) -> None:
    stack.client.apply_job(_job(stack, "buried", "@manual", "/buried"))
    run_id = stack.client.trigger(f"{NAMESPACE}/buried")["run_id"]
    eventually(lambda: _ended(stack, "buried", run_id), seconds=60, what="a run to copy")
    table, key = stack.outputs["RunsTable"], {"job": {"S": f"{NAMESPACE}/buried"}, "run_id": {"S": run_id}}
    finished = stack.dynamodb.get_item(TableName=table, Key=key)["Item"]
    claimed = ("target", "revision", "claimed_at", "expires_at", "by_time", "attempt")
    waiting = {name: finished[name] for name in claimed if name in finished} | {"state": {"S": "queued"}}
    buried = key | {"run_id": {"S": "20261120T090000Z"}}
    stack.dynamodb.put_item(TableName=table, Item=waiting | buried)
    letter = {"job": f"{NAMESPACE}/buried", "run_id": "20261120T090000Z", "attempt": 1}
    stack.sqs.send_message(QueueUrl=stack.outputs["HttpDeadLetterQueueUrl"], MessageBody=json.dumps(letter))
    run = eventually(
        lambda: _ended(stack, "buried", "20261120T090000Z"), seconds=150, what="the end of the drained run"
    )
    assert run["state"] in {"succeeded", "skipped"}


def test_the_sweep_finds_a_run_whose_message_was_lost(stack: Stack, lost_run: str) -> None:
    run = eventually(lambda: _ended(stack, "lost", lost_run), seconds=400, what="the end of the lost run", every=2)
    assert (run["state"], run["attempt"]) == ("succeeded", 1)
    assert _calls(stack, "/lost") == {lost_run: 1}
    FIGURES.append(f"a run whose message was lost began {run['lateness_ms'] / 1000:.0f} s late")


def test_the_logs_command_shows_lines_of_every_kind_of_function(stack: Stack) -> None:
    lines: list[str] = []

    def write(line: str) -> None:
        lines.append(line)
        if all(any(f" {name} " in one for one in lines) for name in ("HttpWorker", "Api")):
            raise Enough

    info = StackInfo(
        url=stack.url, token=stack.token, endpoint_url=stack.emulator.endpoint_url, region=REGION, stack=STACK,
        jobs_table="", runs_table="", port=0, echo_port=0, echo_url="", demo="", outputs=stack.outputs,
    )  # fmt: skip
    with pytest.raises(Enough):
        follow(info, back=3600, log_filter=LogFilter(), function="", colours=False, write=write, note=print)


def test_changed_code_is_deployed_and_keeps_address_token_and_jobs(stack: Stack) -> None:
    endpoint = stack.functions / "minutehand" / "entrypoints" / "api" / "endpoints" / "service.py"
    endpoint.write_text(endpoint.read_text(encoding="utf-8").replace('"ok"', '"ok, and changed"'), encoding="utf-8")
    assert stack.client.health()["status"] == "ok"
    before = stack.client.get_job(f"{NAMESPACE}/beat")["status"]["revision"]
    began = time.monotonic()
    info = stack.deploy()
    FIGURES.append(f"a code change deployed in {time.monotonic() - began:.0f} s")
    assert (info.url, info.token) == (stack.url, stack.token)
    assert stack.client.health()["status"] == "ok, and changed"
    assert stack.client.get_job(f"{NAMESPACE}/beat")["status"]["revision"] == before
    stack.client.apply_job(_job(stack, "after", "@manual", "/after"))
    run_id = stack.client.trigger(f"{NAMESPACE}/after")["run_id"]
    run = eventually(lambda: _ended(stack, "after", run_id), seconds=60, what="a run of the changed code")
    assert run["state"] == "succeeded"
