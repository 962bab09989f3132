"""Commands on machines of one's own: a test plays the agent, by HTTP and with the credentials that it gets."""

from __future__ import annotations

import getpass
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from minutehand.client import wait_for_run
from tests.e2e.conftest import Answer, Stack, eventually, instant

pytestmark = [pytest.mark.services, pytest.mark.slow]


@dataclass
class PlayedAgent:
    """An agent that runs nothing, but says that it did."""

    stack: Stack
    namespace: str
    token: str
    node: str = "a"
    pool: str = "web"
    session: str = field(default_factory=lambda: uuid.uuid4().hex)

    def ask(self, method: str, what: str = "", **body: Any) -> Answer:
        """A request of the agent."""
        path = f"/v1/namespaces/{self.namespace}/pools/{self.pool}/nodes/{self.node}{what}"
        return self.stack.ask(method, path, {"session": self.session} | body, token=self.token)

    def register(self) -> dict[str, Any]:
        """Register, and get the URLs of the queues."""
        answer = self.ask("PUT", host=f"{self.node}.test", version="1.0", slots=4)
        assert answer.status == 200, answer.body
        return dict(answer.body)

    def client(self, service: str) -> Any:
        """A client with the credentials of the agent."""
        answer = self.ask("POST", "/credentials")
        assert answer.status == 200, answer.body
        return boto3.client(
            service,
            endpoint_url=self.stack.record.endpoint_url,
            region_name=self.stack.record.region,
            aws_access_key_id=answer.body["access_key_id"],
            aws_secret_access_key=answer.body["secret_access_key"],
            aws_session_token=answer.body["session_token"],
            config=Config(proxies={}, retries={"total_max_attempts": 1}),
        )

    def takes(self, queue: str, sqs: Any) -> list[dict[str, Any]]:
        """Receive messages, ask to start their runs, and do with the messages what the answers say. Returns the orders."""
        received = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1).get("Messages", [])
        if not received:
            return []
        answer = self.ask("POST", "/starts", runs=[json.loads(one["Body"]) for one in received])
        assert answer.status == 200, answer.body
        for one, decided in zip(received, answer.body["items"], strict=True):
            if decided["decision"] == "hide":
                sqs.change_message_visibility(
                    QueueUrl=queue, ReceiptHandle=one["ReceiptHandle"], VisibilityTimeout=decided["seconds"]
                )
            else:
                sqs.delete_message(QueueUrl=queue, ReceiptHandle=one["ReceiptHandle"])
        return [each["order"] for each in answer.body["items"] if each["decision"] == "run"]


Plays = Callable[..., PlayedAgent]


@pytest.fixture
def plays(stack: Stack, namespace: str) -> Iterator[Plays]:
    """Play agents of the namespace. Their token ends with the test."""
    with ExitStack() as ends:
        made = stack.client.create_token("agents", role="agent", namespaces=[namespace], expires_in=timedelta(hours=1))
        ends.callback(stack.client.revoke_token, made["id"])
        yield lambda **given: PlayedAgent(stack, namespace, made["secret"], **given)


def save(stack: Stack, namespace: str, name: str = "backup", **fields: Any) -> str:
    target = {"type": "command", "pool": "web", "command": "backup --all"} | fields.pop("target", {})
    stack.client.apply_job(
        {"namespace": namespace, "name": name, "schedule": "@manual", "timeout": "10m", "target": target} | fields
    )
    return f"{namespace}/{name}"


def test_an_agent_gets_an_order_beats_and_reports(stack: Stack, namespace: str, plays: Plays) -> None:
    agent = plays()
    registered = agent.register()
    assert registered["region"] == stack.record.region
    sqs = agent.client("sqs")
    job = save(stack, namespace, target={"environment": {"WHO": "{{payload.who}}"}})
    run_id = stack.client.trigger(job, payload={"who": "größe"})["run_id"]
    [order] = eventually(lambda: agent.takes(registered["pool_queue_url"], sqs), seconds=60, what="an order comes")
    assert (order["job"], order["run_id"], order["attempt"]) == (job, run_id, 1)
    assert (order["command"], order["environment"]) == ("backup --all", {"WHO": "größe"})
    assert json.loads(order["stdin"]) == {"who": "größe"}

    attempt = {name: order[name] for name in ("job", "run_id", "attempt", "token")}
    progress = {"percent": 40, "text": "2 of 5 files"}
    beat = agent.ask("POST", "/beats", running=[attempt | {"progress": progress}])
    assert (beat.status, beat.body) == (200, {"registered": True, "unwanted": [], "asked": "run", "beat_every": 60})
    run = stack.client.run(job, run_id)
    assert (run["state"], run["progress"]) == ("waiting", progress)
    assert run["attempts"][-1]["worker"] == "web/a"

    result = {"exit_code": 0, "output": "x" * 10_000}
    reported = agent.ask("POST", "/reports", reports=[attempt | {"state": "succeeded", "result": result}])
    assert [each["recorded"] for each in reported.body["items"]] == [True]
    assert wait_for_run(stack.client, stack.client.run(job, run_id), timeout=10)["state"] == "succeeded"
    assert json.loads(stack.client.output(job, run_id)["text"]) == result
    assert not agent.takes(registered["pool_queue_url"], sqs), "the message is gone"


def test_a_cancelled_command_is_unwanted(stack: Stack, namespace: str, plays: Plays) -> None:
    agent = plays()
    queue = agent.register()["pool_queue_url"]
    sqs = agent.client("sqs")
    job = save(stack, namespace)
    run_id = stack.client.trigger(job)["run_id"]
    [order] = eventually(lambda: agent.takes(queue, sqs), seconds=60, what="an order comes")
    stack.client.cancel(job, run_id)
    attempt = {name: order[name] for name in ("job", "run_id", "attempt", "token")}
    beat = agent.ask("POST", "/beats", running=[attempt])
    assert beat.body["unwanted"] == [{name: order[name] for name in ("job", "run_id", "attempt")}]
    assert stack.client.run(job, run_id)["state"] == "cancelled"


def test_a_run_without_a_live_agent_waits_and_is_skipped_by_start_within(stack: Stack, namespace: str) -> None:
    job = save(stack, namespace, start_within="20s")
    run_id = stack.client.trigger(job)["run_id"]

    def waits() -> str:
        return str(stack.client.run(job, run_id).get("waits_for") or "")

    assert "pool web, which has no live agent" in eventually(waits, seconds=60, what="the run waits for an agent")
    run = wait_for_run(stack.client, stack.client.run(job, run_id), timeout=120)
    assert run["state"] == "skipped"
    assert run["reason"].endswith("(start_within); it last waited for pool web, which has no live agent")


def test_a_run_starts_once_an_agent_has_come(stack: Stack, namespace: str, plays: Plays) -> None:
    job = save(stack, namespace)
    run_id = stack.client.trigger(job)["run_id"]
    eventually(lambda: stack.client.run(job, run_id).get("waits_for"), seconds=60, what="the run waits for an agent")
    agent = plays()
    queue = agent.register()["pool_queue_url"]
    sqs = agent.client("sqs")
    [order] = eventually(lambda: agent.takes(queue, sqs), seconds=60, what="an order comes")
    assert order["run_id"] == run_id


def test_a_named_node_alone_gets_its_runs(stack: Stack, namespace: str, plays: Plays) -> None:
    a, b = plays(node="a"), plays(node="b")
    queues = {agent.node: agent.register() for agent in (a, b)}
    clients = {agent.node: agent.client("sqs") for agent in (a, b)}
    job = save(stack, namespace, target={"node": "b"})
    run_id = stack.client.trigger(job)["run_id"]
    [order] = eventually(lambda: b.takes(queues["b"]["inbox_url"], clients["b"]), seconds=60, what="an order comes")
    assert order["run_id"] == run_id
    assert not a.takes(queues["a"]["pool_queue_url"], clients["a"])
    assert not a.takes(queues["a"]["inbox_url"], clients["a"])
    named = {"job": job, "run_id": run_id, "attempt": 1}
    stolen = a.ask("POST", "/starts", runs=[named])
    assert [each["decision"] for each in stolen.body["items"]] == ["drop"]


def test_two_agents_of_one_name_are_noticed(plays: Plays) -> None:
    first, second = plays(), plays()
    first.register()
    refused = second.ask("PUT", host="b.test", version="1.0", slots=4)
    assert refused.status == 409
    assert "another agent is live as node" in refused.body["detail"]
    for what, body in (("/starts", {"runs": []}), ("/credentials", {})):
        assert second.ask("POST", what, **body).status == 409
    assert second.ask("POST", "/beats").body["registered"] is False
    left = first.stack.ask(
        "DELETE",
        f"/v1/namespaces/{first.namespace}/pools/web/nodes/a?session={first.session}",
        token=first.token,
    )
    assert left.status == 204
    second.register()


def test_a_token_of_another_namespace_or_of_another_role_is_refused(stack: Stack, namespace: str, plays: Plays) -> None:
    stranger = plays()
    stranger.namespace = f"{namespace}-other"
    refused = stranger.ask("PUT", host="a.test", version="1.0", slots=4)
    assert refused.status == 403
    admin = PlayedAgent(stack, namespace, stack.record.token)
    refused = admin.ask("PUT", host="a.test", version="1.0", slots=4)
    assert refused.status == 403
    assert "this needs agent" in refused.body["detail"]
    agent = plays()
    agent.register()
    assert stack.ask("GET", f"/v1/namespaces/{namespace}/jobs", token=agent.token).status == 403


def _is_refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except ClientError as error:
        return "AccessDenied" in error.response["Error"]["Code"]
    return False


def test_credentials_end_soon_and_reach_two_queues_and_nothing_else(stack: Stack, namespace: str, plays: Plays) -> None:
    agent, other = plays(), plays(pool="db", node="z")
    own, foreign = agent.register(), other.register()
    sqs = agent.client("sqs")
    for queue in (own["pool_queue_url"], own["inbox_url"]):
        assert "Messages" not in sqs.receive_message(QueueUrl=queue)
    outputs = stack.record.outputs
    dynamodb, lambdas = agent.client("dynamodb"), agent.client("lambda")
    forbidden: list[tuple[str, Callable[[], Any]]] = [
        *(
            (f"receive from {queue}", lambda queue=queue: sqs.receive_message(QueueUrl=queue))  # type: ignore[misc]
            for queue in (
                foreign["pool_queue_url"],
                foreign["inbox_url"],
                outputs["AgentsQueueUrl"],
                outputs["HttpQueueUrl"],
            )
        ),
        ("send", lambda: sqs.send_message(QueueUrl=own["pool_queue_url"], MessageBody="{}")),
        ("purge", lambda: sqs.purge_queue(QueueUrl=own["inbox_url"])),
        ("read attributes", lambda: sqs.get_queue_attributes(QueueUrl=own["inbox_url"], AttributeNames=["All"])),
        ("delete from another's", lambda: sqs.delete_message(QueueUrl=foreign["inbox_url"], ReceiptHandle="x")),
        ("delete the queue", lambda: sqs.delete_queue(QueueUrl=own["inbox_url"])),
        ("list queues", sqs.list_queues),
        ("read a table", lambda: dynamodb.scan(TableName=stack.record.jobs_table)),
        ("call a function", lambda: lambdas.invoke(FunctionName=outputs["AgentsFunction"], Payload=b"{}")),
    ]
    assert [what for what, call in forbidden if not _is_refused(call)] == []
    answer = agent.ask("POST", "/credentials")
    left = instant(answer.body["expires_at"]) - instant(stack.ask("GET", "/v1/diagnosis").body["now"])
    assert timedelta(minutes=13) < left <= timedelta(minutes=15, seconds=5)


def test_an_operator_pauses_a_node_and_its_pool_gets_no_run(stack: Stack, namespace: str, plays: Plays) -> None:
    agent = plays()
    agent.register()
    path = f"/v1/namespaces/{namespace}/pools/web/nodes/a"
    assert stack.ask("POST", f"{path}/ask", {"asked": "pause"}).body["asked"] == "pause"
    assert agent.ask("POST", "/beats").body["asked"] == "pause"
    job = save(stack, namespace)
    run_id = stack.client.trigger(job)["run_id"]
    eventually(lambda: stack.client.run(job, run_id).get("waits_for"), seconds=60, what="the run waits for an agent")
    listed = stack.ask("GET", f"/v1/namespaces/{namespace}/nodes").body["items"]
    assert [(each["node"], each["live"], each["asked"]) for each in listed] == [("a", True, "pause")]


def test_the_clean_up_of_the_hour_leaves_what_is_in_use(stack: Stack, plays: Plays) -> None:
    agent = plays()
    agent.register()
    assert stack.invoke("AgentsFunction", {"source": "aws.events"}) == {"nodes": 0, "pools": 0}
    assert agent.ask("POST", "/beats").status == 200


@pytest.fixture
def runs_agent(
    stack: Stack, namespace: str, plays: Plays, tmp_path: Path
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the agent itself, which ends with the test."""
    rules = tmp_path / "agent.toml"
    rules.write_text(f'users = ["{getpass.getuser()}"]\n', encoding="utf-8")
    rules.chmod(0o600)
    started: list[subprocess.Popen[str]] = []

    def start(*more: str) -> subprocess.Popen[str]:
        environment = os.environ | {"MINUTEHAND_URL": stack.record.url, "MINUTEHAND_TOKEN": plays().token}
        program = [sys.executable, "-c", "from minutehand.cli.main import main; main()"]
        options = ["--pool", f"{namespace}/web", "--name", "real", "--config", str(rules), *more]
        command = [*program, "agent", *options]
        agent = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        started.append(agent)
        return agent

    yield start
    for agent in started:
        if agent.poll() is None:
            agent.kill()
        agent.communicate()


def test_the_agent_itself_runs_commands(
    stack: Stack, namespace: str, runs_agent: Callable[[], subprocess.Popen[str]]
) -> None:
    agent = runs_agent()
    client = stack.client
    eventually(lambda: list(client.nodes(namespace)), seconds=60, what="the agent registers")
    hello = save(
        stack, namespace, "hello", target={"command": 'echo "größe $WHO"; cat', "environment": {"WHO": "{{job}}"}}
    )
    fails = save(stack, namespace, "fails", target={"command": ["false"]})
    skips = save(stack, namespace, "skips", target={"command": "exit 75", "skipped_codes": [75]})
    long = save(stack, namespace, "long", target={"command": "sleep 600", "heartbeat": "30s"})
    runs = {job: client.trigger(job, payload="input") for job in (hello, fails, skips, long)}
    ended = {job: wait_for_run(client, run, timeout=90) for job, run in runs.items() if job != long}
    assert {job: run["state"] for job, run in ended.items()} == {hello: "succeeded", fails: "failed", skips: "skipped"}
    result = json.loads(client.output(hello, runs[hello]["run_id"])["text"])
    assert (result["exit_code"], result["output"]) == (0, f"größe {hello}\ninput")
    assert ended[fails]["error"]["type"] == "ExitCode"
    eventually(lambda: client.run(long, runs[long]["run_id"])["state"] == "waiting", seconds=60, what="it is running")
    client.ask_node(f"{namespace}/web", "real", "drain")
    client.cancel(long, runs[long]["run_id"])
    assert wait_for_run(client, runs[long], timeout=120)["state"] == "cancelled"
    assert agent.wait(timeout=120) == 0, "it has drained"
    [node] = client.nodes(namespace)
    assert (node["node"], node["live"]) == ("real", False)


PACKAGE = """
from minutehand import App, Context, Failed, job

app = App("crew", pool="web")


@job("extract", schedule="@manual", payload={"rows": 3})
def extract(context: Context, rows: int) -> dict[str, int]:
    context.progress(50, "half")
    print("extracting")
    return {"rows": rows}


@job("load", depends_on=[extract])
def load(context: Context) -> int:
    [parent] = context.parents
    return parent.result["result"]["rows"] + 1


@job("broken", schedule="@manual", retry={"max_attempts": 2, "backoff": {"initial": "1s"}, "give_up_on": ["DiskFull"]})
def broken() -> None:
    raise Failed("DiskFull", "no room")
"""


def test_the_agent_runs_the_handlers_of_a_package(
    stack: Stack, namespace: str, runs_agent: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    (package := tmp_path / "crew").mkdir()
    (package / "__init__.py").touch()
    (package / "jobs.py").write_text(PACKAGE, encoding="utf-8")
    environment = os.environ | {"MINUTEHAND_URL": stack.record.url, "MINUTEHAND_TOKEN": stack.record.token}
    program = [sys.executable, "-c", "from minutehand.cli.main import main; main()"]
    command = [*program, "sync", "crew", "-n", namespace]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    agent = runs_agent("--app", "crew")
    client = stack.client
    extracted = wait_for_run(client, client.trigger(f"{namespace}/extract"), timeout=90)
    assert extracted["state"] == "succeeded"
    result = json.loads(client.output(f"{namespace}/extract", extracted["run_id"])["text"])
    assert (result["result"], "extracting\n" in result["output"]) == ({"rows": 3}, True)
    [child] = eventually(lambda: list(client.runs(f"{namespace}/load")), seconds=60, what="the child's run begins")
    loaded = wait_for_run(client, child, timeout=90)
    assert json.loads(client.output(f"{namespace}/load", loaded["run_id"])["text"])["result"] == 4
    failed = wait_for_run(client, client.trigger(f"{namespace}/broken"), timeout=90)
    assert (failed["state"], failed["error"]["type"], failed["attempt"]) == ("failed", "DiskFull", 1)
    lacking = save(stack, namespace, "lacking", target={"command": None, "handler": "gone"})
    unknown = wait_for_run(client, client.trigger(lacking), timeout=90)
    assert (unknown["state"], unknown["error"]["type"]) == ("failed", "UnknownHandler")
    agent.terminate()
    assert agent.wait(timeout=60) == 0


def test_the_agent_runs_the_lines_of_a_crontab(
    stack: Stack, namespace: str, runs_agent: Callable[[], subprocess.Popen[str]], tmp_path: Path
) -> None:
    crontab = tmp_path / "web.crontab"
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (program := home / "bin" / "greet").write_text('#!/bin/sh\necho "$1 $MAILTO $(pwd)"; cat\n', encoding="utf-8")
    program.chmod(0o755)
    crontab.write_text(
        f"MAILTO=ops@example.com\nPATH={home}/bin:/usr/bin:/bin\nHOME={home}\n"
        "0 0 1 1 * greet \\%a%one%two\n@reboot echo started\n",
        encoding="utf-8",
    )
    environment = os.environ | {"MINUTEHAND_URL": stack.record.url, "MINUTEHAND_TOKEN": stack.record.token}
    program_of_cli = [sys.executable, "-c", "from minutehand.cli.main import main; main()"]
    arguments = ["crontab", "import", str(crontab), "--pool", "web", "-n", namespace]
    done = subprocess.run([*program_of_cli, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "MAILTO=ops@example.com: cron mails there" in done.stderr

    agent = runs_agent()
    client = stack.client
    started = f"{namespace}/echo"
    [run] = eventually(lambda: list(client.runs(started)), seconds=60, what="the start of the machine makes a run")
    assert run["only_node"] == "real"
    ended = wait_for_run(client, run, timeout=90)
    assert (ended["state"], _output(client, ended)) == ("succeeded", "started\n")
    greeted = wait_for_run(client, client.trigger(f"{namespace}/greet", node="real"), timeout=90)
    assert _output(client, greeted) == f"%a ops@example.com {home}\none\ntwo\n"

    agent.terminate()
    assert agent.wait(timeout=60) == 0
    runs_agent()
    eventually(lambda: next(client.nodes(namespace))["live"], seconds=60, what="the agent registers again")
    assert len(list(client.runs(started))) == 1, "it is still the same boot"


def _output(client: Any, run: Any) -> Any:
    return json.loads(client.output(run["job"], run["run_id"])["text"])["output"]
