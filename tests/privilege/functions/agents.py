"""The exercises of the function that serves agents, and of the role whose credentials agents get."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from botocore.exceptions import ClientError

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import item_of
from minutehand.adapters.dynamodb.codecs.values import instant
from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.adapters.pool_queues import Naming, SqsPoolQueues
from minutehand.domain.actor import Actor
from minutehand.domain.lanes import SLOW
from minutehand.domain.node import NodeKey, PoolKey
from minutehand.domain.policies import Backoff, Dependency, NamedLimit, On, Retry
from minutehand.domain.quota import Quota
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import Role, Token, digest_of
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.ports.nodes import Served
from tests.privilege import setups
from tests.privilege.functions.aws_worker import batched
from tests.privilege.policy import WITH_A_KEY
from tests.privilege.scene import COMMAND, DAY, Scene
from tests.privilege.setups import Effects

SESSION = "session-of-the-exercise"
LONG = "x" * 5000


class Agent:
    """An agent of the scene: what it sends to the function."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._secret = f"secret-of-the-agents-of-{scene.namespace}"
        self.pool = PoolKey(scene.namespace, "web")
        self.node = NodeKey(self.pool, "a")
        self.queues = SqsPoolQueues(scene.bench.sqs, self.naming)
        token = Token(digest_of(self._secret), "agents", Role.AGENT, (scene.namespace,))
        DynamoTokens(scene.bench.dynamodb, scene.bench.record.jobs_table).put(token)

    @property
    def naming(self) -> Naming:
        """How the stack names its queues."""
        given = self._scene.bench.of_agents
        return Naming(given["AGENT_QUEUES"], self._scene.bench.queues["agents"].quick, given["DEAD_LETTERS_ARN"])

    def ask(self, method: str, what: str = "", **body: Any) -> Any:
        """The answered document of a request; empty if it was refused."""
        path = f"/v1/namespaces/{self._scene.namespace}/pools/web/nodes/a{what}"
        answer = self._scene.runner.invoke(
            "Agents",
            {
                "version": "1.0",
                "resource": path,
                "path": path,
                "httpMethod": method,
                "headers": {"Authorization": f"Bearer {self._secret}"},
                "multiValueHeaders": {},
                "queryStringParameters": None,
                "requestContext": {"requestId": "request", "stage": "prod"},
                "body": json.dumps({"session": SESSION} | body),
                "isBase64Encoded": False,
            },
        )
        return json.loads(answer.get("body") or "{}") if answer.get("statusCode") == 200 else {}

    def register(self) -> bool:
        """Whether the registration succeeded."""
        return bool(self.ask("PUT", host="a.test", version="1", slots=4, boot="boot-1"))

    def starts(self, *runs: RunKey) -> dict[RunKey, Any]:
        """The orders of the runs that started."""
        orders = {}
        for some in batched([*runs], 10):
            asked = [{"job": str(run.job), "run_id": run.run_id, "attempt": 1} for run in some]
            items = self.ask("POST", "/starts", runs=asked).get("items", ())
            orders |= {run: item["order"] for run, item in zip(some, items, strict=False) if "order" in item}
        return orders

    def reports(self, orders: Sequence[Any], **report: Any) -> None:
        """Report the ends of attempts."""
        for order in orders:
            named = {name: order[name] for name in ("job", "run_id", "attempt", "token")}
            self.ask("POST", "/reports", reports=[named | {"state": "succeeded"} | report])

    def received(self, served: Served) -> set[str]:
        """The runs whose messages the queue of a pool or node holds."""
        try:
            found = self._scene.bench.sqs.receive_message(QueueUrl=self.naming.url(served), MaxNumberOfMessages=10)
        except ClientError:
            return set()
        return {json.loads(one["Body"])["run_id"] for one in found.get("Messages", ())}

    def hides_for(self, served: Served) -> int:
        """For how many seconds the queue of a pool or node hides a message that is received."""
        of = {"QueueUrl": self.naming.url(served), "AttributeNames": ["VisibilityTimeout"]}
        return int(self._scene.bench.sqs.get_queue_attributes(**of)["Attributes"]["VisibilityTimeout"])


def agents(scene: Scene) -> Effects:
    """In a namespace with a concurrency limit and a quota: a registration, runs that are forwarded, started and reported, of every kind that the
    other workers have, runs of other workers, and a clean-up."""
    namespaces.limit(scene.bench.ports, scene.namespace, 50, who=Actor("test"))
    namespaces.set_quota(scene.bench.ports, scene.namespace, Quota(runs_per_minute=1000), who=Actor("test"))
    agent = Agent(scene)
    for served in (agent.pool, agent.node):
        scene.bench.sqs.create_queue(QueueName=agent.naming.name(served), Attributes={"VisibilityTimeout": "30"})
    registers = agent.register()
    changed = {served: agent.hides_for(served) != 30 for served in (agent.pool, agent.node)}
    if not registers:  # so that what comes next fails by what it lacks itself
        _register(scene, agent)
    job = scene.job("called", payload=LONG, limits=(NamedLimit("db", 50),), timeout=DAY)
    result = (("RESULT", "{{parents.called.result.body}}"),)
    after = scene.job("after", depends_on=(Dependency(job, On.SUCCESS),), target=replace(COMMAND, environment=result))
    run = scene.run(job, scene.now, key=RunKey.triggered(job, scene.now, "abc"))
    named = scene.run(scene.job("named", target=replace(COMMAND, node="a")), scene.now)
    ended, delayed = setups.delayed(scene, "delayed")
    to_http = scene.run(scene.job("http", target=_http(scene), timeout=SLOW), scene.now)
    to_aws = scene.run(scene.job("aws", target=scene.bench.targets.of("sqs")), scene.now)
    handled = scene.runner.invoke("Agents", scene.records(run.key, named.key, ended, to_http.key, to_aws.key))
    forwarded, to_node = agent.received(agent.pool), agent.received(agent.node)

    last, trimmed = setups.crowded(scene, "crowded")
    replayed, following = setups.backfill(scene, scene.job("replayed"))
    scene.run(replayed.job, scene.now, key=replayed)
    patient = Retry(max_attempts=2, backoff=Backoff(initial=timedelta(hours=1), max=timedelta(hours=1)))
    retried = scene.run(scene.job("failing", retry=patient), scene.now)
    newer, replaced = setups.replacing(scene, "replacing")
    orders = agent.starts(run.key, last, replayed, retried.key, newer)
    started = scene.state(run.key) is RunState.WAITING
    failed = orders.pop(retried.key, None)
    long = orders.pop(run.key, None)
    agent.reports([failed] if failed else [], state="failed", error={"type": "ExitCode"})
    agent.reports([long] if long else [], result=LONG)
    agent.reports([*orders.values()])
    output = scene.bench.ports.outputs.get(run.key, 1)
    children = [one.key for one in scene.bench.ports.runs.between(after, scene.now - DAY, scene.now + DAY)]
    of_children = agent.starts(*children)
    beaten = agent.ask("POST", "/beats")
    sent = {one["run_id"] for one in scene.sent()}
    return {
        "an agent registers": registers,
        "the queue of a pool that an earlier version made is changed": changed[agent.pool],
        "an inbox that an earlier version made is changed": changed[agent.node],
        "the batch is handled": handled == {"batchItemFailures": []},
        "a run is forwarded to its pool": run.key.run_id in forwarded,
        "a run is forwarded to its node": named.key.run_id in to_node,
        "a run is sent to the worker of its job's new target": to_http.key.run_id
        in {one["run_id"] for one in scene.sent(worker="http")},
        "a run is sent to the aws worker": to_aws.key.run_id in {one["run_id"] for one in scene.sent(worker="aws")},
        "a run is started": started,
        "an agent beats": beaten.get("asked") == "run",
        "the run takes a place within the quota": scene.bench.ports.namespaces.pace(scene.namespace).taken > 0,
        "the end of the answer is stored": output is not None,
        "the whole answer is stored": output is not None and bool(output.place),
        "a run with a late retry has a deadline": scene.item(keys.deadline(retried.key)) is not None,
        "a dependent run gets its parent's result": [
            len(dict(of_children[key]["environment"])["RESULT"]) > 1000 for key in children if key in of_children
        ]
        == [True],
        "a backfill continues": scene.state(following) is RunState.QUEUED,
        "a backfill's next run is sent": following.run_id in sent,
        **trimmed(),
        **delayed(),
        **replaced(),
        **_with_secrets(scene, agent),
        **_cleaned_up(scene, agent),
    }


def _register(scene: Scene, agent: Agent) -> None:
    """Register with all permissions."""
    for served in (agent.pool, agent.node):
        agent.queues.ensure(served)
    node = setups.node_of(scene)
    scene.put(item_of(replace(node, session=SESSION), keys.node(node.key)))


def _http(scene: Scene) -> HttpTarget:
    return HttpTarget(method="POST", url=scene.bench.record.echo_url)


def _with_secrets(scene: Scene, agent: Agent) -> Effects:
    names = (f"secrets/{scene.namespace}/token", f"secrets/{scene.namespace}{WITH_A_KEY}")
    for name in names:
        scene.bench.ssm.put_parameter(Name=f"/{name}", Value="a secret text", Type="SecureString")
    scene.bench.secrets_manager.create_secret(Name=names[0], SecretString="a secret text")
    references = {
        "a parameter is in an order": f"ssm:/{names[0]}",
        "a secret is in an order": f"secretsmanager:{names[0]}",
        "a parameter with a key of its own is in an order": f"ssm:/{names[1]}",
    }
    runs = {}
    for number, (effect, reference) in enumerate(references.items()):
        target = replace(COMMAND, environment=(("SECRET", f"{{{{secret:{reference}}}}}"),))
        runs[effect] = scene.run(scene.job(f"secret-{number}", target=target), scene.now).key
    orders = agent.starts(*runs.values())
    given = {run: dict(order["environment"]).get("SECRET") for run, order in orders.items()}
    return {effect: given.get(run) == "a secret text" for effect, run in runs.items()}


def _cleaned_up(scene: Scene, agent: Agent) -> Effects:
    """A node that has been silent for two days, and a pool that has been for three weeks."""
    node = setups.node_of(scene, seen_at=scene.now - 2 * DAY, pool="old")
    for served in (node.key.pool, node.key):
        agent.queues.ensure(served)
    scene.put(item_of(node, keys.node(node.key)))
    scene.put({**keys.pool(node.key.pool), "seen_at": instant(scene.now - 21 * DAY)})
    scene.runner.invoke("Agents", {"source": "aws.events"})
    gone: Callable[[Served], bool] = lambda served: not _exists(scene, agent, served)  # noqa: E731 - a short name for a question
    effects = {
        "a silent node is removed": scene.item(keys.node(node.key)) is None and gone(node.key),
        "a silent pool is removed": scene.item(keys.pool(node.key.pool)) is None and gone(node.key.pool),
    }
    scene.delete(keys.pool(node.key.pool))
    scene.delete(keys.pool(agent.pool))
    return effects


def _exists(scene: Scene, agent: Agent, served: Served) -> bool:
    try:
        scene.bench.sqs.get_queue_attributes(QueueUrl=agent.naming.url(served))
    except ClientError:
        return False
    return True


def agent(scene: Scene) -> Effects:
    """With the credentials of an agent: a message of its pool and one of its node, received, hidden and deleted."""
    agent = Agent(scene)
    agent.register()
    credentials = agent.ask("POST", "/credentials")
    effects: Effects = {}
    for what, served in (("pool", agent.pool), ("node", agent.node)):
        url = agent.naming.url(served)
        scene.bench.sqs.send_message(QueueUrl=url, MessageBody="{}")
        with scene.runner.as_agent(credentials) as sqs:
            effects[f"a message of the {what} is received"] = _allows(sqs.receive_message, url, VisibilityTimeout=0)
        [message] = scene.bench.sqs.receive_message(QueueUrl=url)["Messages"]
        receipt = message["ReceiptHandle"]
        with scene.runner.as_agent(credentials) as sqs:
            hide = sqs.change_message_visibility
            effects[f"a message of the {what} is hidden"] = _allows(
                hide, url, ReceiptHandle=receipt, VisibilityTimeout=30
            )
            effects[f"a message of the {what} is deleted"] = _allows(sqs.delete_message, url, ReceiptHandle=receipt)
    return effects


def _allows(call: Callable[..., Any], queue: str, **request: Any) -> bool:
    try:
        call(QueueUrl=queue, **request)
    except ClientError:
        return False
    return True
