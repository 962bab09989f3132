"""Contract of the queues of pools and nodes, over memory and MiniStack's SQS; and the credentials for them, over MiniStack's STS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from minutehand.adapters import sqs as adapter
from minutehand.adapters.memory import MemoryPoolQueues, MemoryState
from minutehand.adapters.pool_queues import Naming, SqsPoolQueues, StsCredentialIssuer
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import NodeKey, PoolKey
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.ports.nodes import PoolQueues, Served
from tests.contract.conftest import Server
from tests.contract.examples import NINE

REGION = "us-east-1"
DEAD_LETTERS = "dead-letters"


class Scene(NamedTuple):
    """The queues, and a look at the runs whose messages one of them holds."""

    queues: PoolQueues
    runs: Callable[[Served], list[str]]


def client(url: str, service: str, key: str = "test", secret: str = "test", token: str | None = None) -> Any:  # noqa: S107 - no secret
    return boto3.client(
        service,
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        config=Config(retries={"total_max_attempts": 1}, parameter_validation=False),
    )


@pytest.fixture(scope="session")
def sqs(ministack: Server) -> Iterator[Any]:
    made = client(ministack.client.meta.endpoint_url, "sqs")
    made.create_queue(QueueName=DEAD_LETTERS)
    yield made
    made.close()


@pytest.fixture
def naming(sqs: Any) -> Naming:
    url = sqs.get_queue_url(QueueName=DEAD_LETTERS)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return Naming("stack-agents", url, arn)


@pytest.fixture(params=["memory", pytest.param("ministack", marks=pytest.mark.services)])
def scene(request: pytest.FixtureRequest) -> Scene:
    if request.param == "memory":
        state = MemoryState()
        return Scene(MemoryPoolQueues(state), lambda of: [each.run.run_id for each in state.pool_queues[of]])
    sqs, naming = request.getfixturevalue("sqs"), request.getfixturevalue("naming")

    def runs(served: Served) -> list[str]:
        found = sqs.receive_message(QueueUrl=naming.url(served), MaxNumberOfMessages=10, VisibilityTimeout=0)
        return [adapter.received(one["Body"], "r").run.run_id for one in found.get("Messages", [])]

    return Scene(SqsPoolQueues(sqs, naming), runs)


@pytest.fixture
def pool(namespace: str) -> PoolKey:
    return PoolKey(namespace, "web")


def message(pool: PoolKey) -> Message:
    return Message(RunKey.scheduled(JobKey(pool.namespace, "backup"), NINE), 1, "command", NINE)


def test_each_pool_and_each_node_has_a_queue_of_its_own(scene: Scene, pool: PoolKey) -> None:
    served: list[Served] = [pool, NodeKey(pool, "a"), NodeKey(pool, "b"), PoolKey(pool.namespace, "db")]
    assert len({scene.queues.ensure(each) for each in served}) == 4
    scene.queues.send(served[1], message(pool))
    assert [scene.queues.is_empty(each) for each in served] == [True, False, True, True]
    assert scene.runs(served[1]) == ["20261120T090000Z"]


def test_a_queue_that_exists_is_kept_with_its_messages(scene: Scene, pool: PoolKey) -> None:
    first = scene.queues.ensure(pool)
    scene.queues.send(pool, message(pool))
    assert scene.queues.ensure(pool) == first
    assert scene.runs(pool) == ["20261120T090000Z"]


def test_a_message_for_a_queue_that_does_not_exist_is_not_taken(scene: Scene, pool: PoolKey) -> None:
    with pytest.raises(Unavailable, match=f"there is no queue of {pool}"):
        scene.queues.send(pool, message(pool))


def test_a_queue_is_deleted_once_and_counts_as_empty_from_then_on(scene: Scene, pool: PoolKey) -> None:
    scene.queues.delete(pool)
    scene.queues.ensure(pool)
    scene.queues.send(pool, message(pool))
    scene.queues.delete(pool)
    assert scene.queues.is_empty(pool)
    scene.queues.delete(pool)


@pytest.mark.services
def test_a_queue_has_the_attributes_of_the_stacks_other_queues(sqs: Any, naming: Naming, pool: PoolKey) -> None:
    SqsPoolQueues(sqs, naming).ensure(NodeKey(pool, "a"))
    url = naming.url(NodeKey(pool, "a"))
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert (found["VisibilityTimeout"], found["MessageRetentionPeriod"]) == ("120", "1209600")
    assert json.loads(found["RedrivePolicy"]) == {
        "deadLetterTargetArn": naming.dead_letters_arn,
        "maxReceiveCount": 1000,
    }
    assert found["QueueArn"] == naming.arn(NodeKey(pool, "a"))
    [statement] = json.loads(found["Policy"])["Statement"]
    assert (statement["Effect"], statement["Condition"]["Bool"]) == ("Deny", {"aws:SecureTransport": "false"})
    tags = sqs.list_queue_tags(QueueUrl=url)["Tags"]
    assert tags == {"minutehand:namespace": pool.namespace, "minutehand:pool": "web", "minutehand:node": "a"}


@pytest.mark.services
def test_a_queue_that_an_earlier_version_made_otherwise_gets_the_attributes_of_this_one(
    sqs: Any, naming: Naming, pool: PoolKey
) -> None:
    url = sqs.create_queue(QueueName=naming.name(pool), Attributes={"VisibilityTimeout": "30"})["QueueUrl"]
    assert SqsPoolQueues(sqs, naming).ensure(pool) == naming.url(pool)
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert (found["VisibilityTimeout"], found["MessageRetentionPeriod"]) == ("120", "1209600")


class Asked:
    """A client that notes the requests, and answers as it is told."""

    def __init__(self, answer: dict[str, Any] | Exception, **others: dict[str, Any]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._answer = answer
        self._others = others

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            self.requests.append(request)
            answer = self._others.get(operation, self._answer)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call


OTHER = Naming(
    "stack-agents", "https://sqs.test/1/dead", "arn:aws-us-gov:sqs:us-gov-west-1:1:dead", key="arn:aws:kms:a:1:key/b"
)


def test_a_key_of_ones_own_encrypts_the_queues_and_may_be_used_with_the_credentials(pool: PoolKey) -> None:
    asked = Asked({})
    SqsPoolQueues(asked, OTHER).ensure(pool)  # type: ignore[arg-type]  # as much of a client as it needs
    attributes = asked.requests[0]["Attributes"]
    assert attributes["KmsMasterKeyId"] == OTHER.key
    assert "SqsManagedSseEnabled" not in attributes
    sts = Asked(
        {
            "Credentials": {
                "AccessKeyId": "key",
                "SecretAccessKey": "secret",
                "SessionToken": "token",
                "Expiration": datetime(2026, 11, 20, tzinfo=UTC),
            }
        }
    )
    StsCredentialIssuer(lambda: sts, OTHER, "arn:aws:iam::1:role/agent").issue(NodeKey(pool, "a"))
    [request] = sts.requests
    assert request["DurationSeconds"] == 900
    queues, key = json.loads(request["Policy"])["Statement"]
    assert queues["Resource"] == [OTHER.arn(pool), OTHER.arn(NodeKey(pool, "a"))]
    assert all(each.startswith("arn:aws-us-gov:sqs:us-gov-west-1:1:stack-agents-") for each in queues["Resource"])
    assert (key["Action"], key["Resource"]) == (["kms:Decrypt"], [OTHER.key])
    assert len(request["Policy"]) < 2048, "the most that STS takes"


@pytest.mark.parametrize(
    ("key", "encrypted"),
    [
        ("arn:aws:kms:a:1:key/new", {"KmsMasterKeyId": "arn:aws:kms:a:1:key/new"}),
        ("", {"KmsMasterKeyId": "", "SqsManagedSseEnabled": "true"}),
    ],
)
def test_a_queue_with_an_earlier_key_gets_the_one_of_now(pool: PoolKey, key: str, encrypted: dict[str, str]) -> None:
    exists = ClientError({"Error": {"Code": "QueueAlreadyExists", "Message": "with other attributes"}}, "CreateQueue")
    asked = Asked(exists, set_queue_attributes={})
    naming = OTHER._replace(key=key)
    assert SqsPoolQueues(asked, naming).ensure(pool) == naming.url(pool)  # type: ignore[arg-type]  # as above
    _, change = asked.requests
    assert change["QueueUrl"] == naming.url(pool)
    assert {name: text for name, text in change["Attributes"].items() if "Kms" in name or "Sse" in name} == encrypted


@pytest.mark.parametrize("call", ["ensure", "send", "is_empty", "delete"])
def test_an_answer_of_sqs_that_is_an_error_is_unavailable(pool: PoolKey, call: str) -> None:
    error = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "X")
    queues = SqsPoolQueues(Asked(error), OTHER)  # type: ignore[arg-type]  # as above
    with pytest.raises(Unavailable, match=f"on the queue of {pool} failed: .*AccessDenied"):
        getattr(queues, call)(pool, *([message(pool)] if call == "send" else []))


def test_a_refusal_of_sts_is_unavailable_and_names_the_node(pool: PoolKey) -> None:
    sts = Asked(ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "AssumeRole"))
    with pytest.raises(Unavailable, match=f"AssumeRole for node {pool}/a failed"):
        StsCredentialIssuer(lambda: sts, OTHER, "role").issue(NodeKey(pool, "a"))


def test_a_session_has_a_name_that_sts_takes() -> None:
    credentials = {"AccessKeyId": "", "SecretAccessKey": "", "SessionToken": "", "Expiration": NINE}
    sts = Asked({"Credentials": credentials})
    StsCredentialIssuer(lambda: sts, OTHER, "role").issue(NodeKey(PoolKey("n" * 128, "web"), "web-1.shop"))
    assert sts.requests[0]["RoleSessionName"] == f"{'n' * 49}-web-web-1.shop"
    assert len(sts.requests[0]["RoleSessionName"]) == 64


@pytest.mark.services
def test_credentials_reach_the_two_queues_of_a_node_and_no_other(
    sqs: Any, naming: Naming, ministack: Server, pool: PoolKey
) -> None:
    url = ministack.client.meta.endpoint_url
    iam, sts = client(url, "iam"), client(url, "sts")
    trust = {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}
    allowed = {"Statement": [{"Effect": "Allow", "Action": "sqs:*", "Resource": "*"}]}
    role = iam.create_role(RoleName=f"agent-{pool.namespace}", AssumeRolePolicyDocument=json.dumps(trust))["Role"]
    iam.put_role_policy(RoleName=role["RoleName"], PolicyName="all", PolicyDocument=json.dumps(allowed))
    queues = SqsPoolQueues(sqs, naming)
    a, b = NodeKey(pool, "a"), NodeKey(pool, "b")
    for served in (pool, a, b):
        queues.ensure(served)
        queues.send(served, message(pool))
    found = StsCredentialIssuer(lambda: sts, naming, role["Arn"]).issue(a)
    assert found.expires_at - datetime.now(UTC) <= timedelta(minutes=15, seconds=1)
    own = client(url, "sqs", found.access_key_id, found.secret_access_key, found.session_token)
    for served in (pool, a):
        [taken] = own.receive_message(QueueUrl=naming.url(served))["Messages"]
        own.change_message_visibility(
            QueueUrl=naming.url(served), ReceiptHandle=taken["ReceiptHandle"], VisibilityTimeout=5
        )
        own.delete_message(QueueUrl=naming.url(served), ReceiptHandle=taken["ReceiptHandle"])
    refused: list[Callable[[], Any]] = [
        lambda: own.receive_message(QueueUrl=naming.url(b)),
        lambda: own.send_message(QueueUrl=naming.url(a), MessageBody="{}"),
        lambda: own.delete_queue(QueueUrl=naming.url(a)),
        lambda: own.create_queue(QueueName="stack-agents-node-mine"),
    ]
    for call in refused:
        with pytest.raises(ClientError, match="AccessDenied"):
            call()
    for each in (iam, sts, own):
        each.close()
