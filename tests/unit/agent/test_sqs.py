"""The queues of a node in SQS, by its own protocol, with credentials of the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from minutehand.agent.queues import QueueMissing, QueueTrouble
from minutehand.agent.sqs import SqsQueues
from minutehand.client import Refused
from minutehand.client.agents import AgentCalls
from tests.support.agent_server import INBOX, POOL_QUEUE, AgentServer
from tests.support.http_server import closed_port, document, problem
from tests.unit.agent.conftest import settings_of


class Clock:
    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queues(server: AgentServer, clock: Clock) -> Iterator[SqsQueues]:
    server.session = "session-1"
    with AgentCalls.at(settings_of(server), pool="shop/web", node="web-1", session="session-1", backoff=0) as calls:
        queues = SqsQueues(server.origin + POOL_QUEUE, "eu-west-1", calls.credentials, clock=clock)
        yield queues
        queues.close()


@pytest.fixture
def pool(server: AgentServer) -> str:
    return server.origin + POOL_QUEUE


def test_messages_are_received_deleted_and_hidden(server: AgentServer, queues: SqsQueues, pool: str) -> None:
    for run_id in ("r1", "r2", "r3", "r4"):
        server.send(run_id)
    server.send("r5", inbox=True)
    first, second, third = queues.receive(pool, 3, 0)
    assert [each.body.count("shop/report") for each in (first, second, third)] == [1, 1, 1]
    queues.delete(pool, [first.receipt])
    queues.delete(pool, [])
    queues.hide(pool, {second.receipt: 0, third.receipt: 100_000})
    queues.hide(pool, {})
    again = queues.receive(pool, 10, 0)
    queues.delete(pool, [each.receipt for each in again])
    [own] = queues.receive(server.origin + INBOX, 10, 0)
    queues.delete(server.origin + INBOX, [own.receipt])
    assert queues.receive(pool, 10, 0) == []
    assert server.queues.deleted == ["r1", "r4", "r2", "r5"]
    assert server.queues.hidden == [("r2", 0), ("r3", 43_200)]


def test_a_message_is_hidden_for_a_minute_while_its_run_is_asked_for(
    server: AgentServer, queues: SqsQueues, pool: str
) -> None:
    queues.receive(pool, 3, 0)
    asked = [each.body for each in server.requests if each.path == "/"]
    url = {"QueueUrl": pool, "MaxNumberOfMessages": 3, "WaitTimeSeconds": 0, "VisibilityTimeout": 60}
    assert asked == [url]


def test_credentials_are_renewed_three_minutes_before_their_end(
    server: AgentServer, queues: SqsQueues, pool: str, clock: Clock
) -> None:
    for ahead, given in ((0, 1), (11, 1), (12, 2), (20, 2), (24, 3)):
        clock.ahead = timedelta(minutes=ahead)
        server.lives = 900 + 60 * ahead
        queues.receive(pool, 1, 0)
        assert len(server.given) == given, ahead
    requests = [each.headers["authorization"] for each in server.requests if each.path == "/"]
    assert [text.partition("Credential=")[2][:4] for text in requests] == ["KEY0", "KEY0", "KEY1", "KEY1", "KEY2"]


@pytest.mark.thorough
def test_credentials_that_expire_early_are_replaced_at_once(server: AgentServer, queues: SqsQueues, pool: str) -> None:
    queues.receive(pool, 1, 0)
    server.expired = {"KEY0"}
    server.send("r1")
    assert len(queues.receive(pool, 1, 0)) == 1
    assert server.given == ["KEY0", "KEY1"]
    server.expired = {"KEY1", "KEY2"}
    with pytest.raises(QueueTrouble, match="ExpiredToken"):
        queues.receive(pool, 1, 0)


def test_without_credentials_the_api_s_error_is_raised(server: AgentServer, queues: SqsQueues, pool: str) -> None:
    server.instead = lambda request: problem(500) if request.path.endswith("/credentials") else None
    with pytest.raises(Refused):
        queues.receive(pool, 1, 0)


@pytest.mark.thorough
def test_a_missing_queue_is_told_apart_from_other_trouble(server: AgentServer, queues: SqsQueues, pool: str) -> None:
    missing = document({"__type": "com.amazonaws.sqs#QueueDoesNotExist", "message": "no such queue"}, 400)
    denied = document({"__type": "AccessDenied", "message": "not yours"}, 403)
    server.instead = lambda request: missing if request.path == "/" else None
    with pytest.raises(QueueMissing):
        queues.receive(pool, 1, 0)
    server.instead = lambda request: denied if request.path == "/" else None
    with pytest.raises(QueueTrouble, match="not yours") as raised:
        queues.receive(pool, 1, 0)
    assert not isinstance(raised.value, QueueMissing)


@pytest.mark.thorough
def test_sqs_that_cannot_be_reached_is_trouble(server: AgentServer) -> None:
    server.session = "session-1"
    with AgentCalls.at(settings_of(server), pool="shop/web", node="web-1", session="session-1", backoff=0) as calls:
        url = f"http://127.0.0.1:{closed_port()}/0/pool"
        with pytest.raises(QueueTrouble, match="Could not connect"):
            SqsQueues(url, "eu-west-1", calls.credentials).receive(url, 1, 0)
