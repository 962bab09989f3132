"""The queues of a node in SQS, by its own protocol, with credentials of the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from minutehand.agent.queues import QueueMissing, QueueTrouble
from minutehand.agent.sqs import SqsQueues
from minutehand.client import Refused
from minutehand.client.agents import AgentCalls
from tests.support.agent_server import INBOX, POOL_QUEUE, AgentServer
from tests.support.http_server import closed_port, document, problem
from tests.unit.agent.conftest import settings_of


class Clock:
    """Seconds since some start, as a test sets them."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


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
    assert server.queues.hidden == [("r2", 0), ("r3", 43_000)]


def test_a_message_is_hidden_for_as_long_as_its_queue_says(server: AgentServer, queues: SqsQueues, pool: str) -> None:
    queues.receive(pool, 3, 0)
    asked = [each.body for each in server.requests if each.path == "/"]
    assert asked == [{"QueueUrl": pool, "MaxNumberOfMessages": 3, "WaitTimeSeconds": 0}]


@pytest.mark.parametrize("wrong", [0, 3600, -3600])
def test_credentials_are_renewed_three_minutes_before_their_end_whatever_the_clock_of_the_machine_says(
    server: AgentServer, queues: SqsQueues, pool: str, clock: Clock, wrong: int
) -> None:
    server.lives = 900 + wrong
    for after, given in ((0, 1), (11, 1), (12, 2), (23, 2), (24, 3)):
        clock.now = 1000 + 60 * after
        queues.receive(pool, 1, 0)
        assert len(server.given) == given, after
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


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("InvalidSignatureException", "Signature expired: 20261120T084500Z is now earlier than 20261120T090000Z"),
        ("SignatureDoesNotMatch", "Signature not yet current: 20261120T094500Z is still later than 20261120T090500Z"),
        ("RequestExpired", "Request has expired."),
        ("RequestTimeTooSkewed", "The difference between the request time and the current time is too large."),
    ],
)
def test_a_signature_that_is_refused_for_its_time_tells_of_the_clock(
    server: AgentServer, queues: SqsQueues, pool: str, code: str, message: str
) -> None:
    skewed = document({"__type": code, "message": message}, 403)
    server.instead = lambda request: skewed if request.path == "/" else None
    with pytest.raises(QueueTrouble, match=f"the clock of this machine is wrong.* set the clock.*{message}"):
        queues.receive(pool, 1, 0)


def test_a_signature_that_is_refused_for_another_reason_does_not(
    server: AgentServer, queues: SqsQueues, pool: str
) -> None:
    wrong = document({"__type": "SignatureDoesNotMatch", "message": "Check your AWS Secret Access Key"}, 403)
    server.instead = lambda request: wrong if request.path == "/" else None
    with pytest.raises(QueueTrouble, match=r"^(?!.*clock).*Secret Access Key"):
        queues.receive(pool, 1, 0)


def test_messages_of_a_batch_that_stay_as_they_are_are_told(server: AgentServer, queues: SqsQueues, pool: str) -> None:
    some = document(
        {"Successful": [{"Id": "0"}], "Failed": [{"Id": "1", "Code": "InvalidParameterValue", "SenderFault": True}]}
    )
    server.instead = lambda request: some if request.path == "/" else None
    with pytest.raises(QueueTrouble, match="1 of 2 messages could not be deleted: InvalidParameterValue"):
        queues.delete(pool, ["a", "b"])
    with pytest.raises(QueueTrouble, match="1 of 2 messages could not be hidden for as long as asked: InvalidParam"):
        queues.hide(pool, {"a": 5, "b": 6})
