"""Messages to workers."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws

from minutehand.adapters.sqs import SqsInbox, SqsOutbox, received
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Message, Received
from tests.unit.adapters.fakes import Scripted, client_error

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
JOB = JobKey(namespace="team", name="report")
QUEUES = {"http": "http-queue", "lambda": "lambda-queue"}
GONE = EndpointConnectionError(endpoint_url="http://example.org")


def message(number=0, *, seconds=0.0, target="http"):
    run = RunKey.scheduled(JOB, NOW + timedelta(seconds=number))
    return Message(run=run, attempt=1, target=target, not_before=NOW + timedelta(seconds=seconds))


def accept(request):
    return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}


def refuse(*positions, blame=False):
    def answer(request):
        failed = [request["Entries"][position]["Id"] for position in positions]
        return {
            "Successful": [{"Id": entry["Id"]} for entry in request["Entries"] if entry["Id"] not in failed],
            "Failed": [{"Id": name, "SenderFault": blame, "Code": "Trouble"} for name in failed],
        }

    return answer


def outbox(*answers):
    client, pauses = Scripted(*answers), []
    return SqsOutbox(client, QUEUES.get, clock=lambda: NOW, sleep=pauses.append), client, pauses


def test_a_message_is_compact_json_of_job_run_and_attempt():
    box, client, _ = outbox(accept)
    assert list(box.send([message()])) == [True]
    [entry] = client.requests[0]["Entries"]
    assert entry["MessageBody"] == '{"job":"team/report","run_id":"20261120T090000Z","attempt":1}'
    assert client.requests[0]["QueueUrl"] == "http-queue"


def test_the_message_of_a_retry_carries_its_start_and_arrives_up_to_a_second_early():
    box, client, _ = outbox(accept)
    box.send([message(seconds=2.345)._replace(attempt=2, retries=True)])
    [entry] = client.requests[0]["Entries"]
    assert entry["DelaySeconds"] == 2
    assert json.loads(entry["MessageBody"])["not_before"] == "2026-11-20T09:00:02.345Z"
    assert received(entry["MessageBody"], "r").due_at == NOW + timedelta(seconds=2.345)


@pytest.mark.parametrize(
    ("seconds", "delay"),
    [(-5, 0), (0, 0), (0.001, 1), (1, 1), (59.5, 60), (899.5, 900), (900, 900), (5000, 900)],
)
def test_a_message_is_delayed_until_its_instant_rounded_up_and_fifteen_minutes_at_most(seconds, delay):
    box, client, _ = outbox(accept)
    box.send([message(seconds=seconds)])
    assert client.requests[0]["Entries"][0]["DelaySeconds"] == delay


@pytest.mark.parametrize(
    ("second", "sent_at", "delay"), [(7, 0, 7), (7, 0.3, 6), (7, 6.3, 0), (7, 8, 0), (60, 0.3, 60)]
)
def test_a_message_arrives_up_to_a_second_early_unless_due_on_the_minute(second, sent_at, delay):
    client = Scripted(accept)
    box = SqsOutbox(client, QUEUES.get, clock=lambda: NOW + timedelta(seconds=sent_at))
    box.send([message(second, seconds=second)])
    assert client.requests[0]["Entries"][0]["DelaySeconds"] == delay


def test_a_delayed_run_is_never_early():
    box, client, _ = outbox(accept)
    box.send([message(7, seconds=20.5)])
    assert client.requests[0]["Entries"][0]["DelaySeconds"] == 21


def test_messages_are_sent_ten_to_a_call():
    box, client, _ = outbox(accept, accept, accept)
    assert list(box.send([message(number) for number in range(25)])) == [True] * 25
    assert [len(request["Entries"]) for request in client.requests] == [10, 10, 5]


def test_each_message_is_sent_to_its_targets_queue_and_not_accepted_without_one():
    box, client, _ = outbox(accept, accept)
    sent = box.send([message(0), message(1, target="lambda"), message(2, target="fax"), message(3)])
    assert list(sent) == [True, True, False, True]
    assert [(r["QueueUrl"], len(r["Entries"])) for r in client.requests] == [("http-queue", 2), ("lambda-queue", 1)]


def test_a_slow_message_goes_to_the_slow_queue_in_the_group_of_its_namespace():
    client = Scripted(accept, accept)
    box = SqsOutbox(client, QUEUES.get, clock=lambda: NOW, slow_queue_of={"http": "slow-queue"}.get)
    assert list(box.send([message(0), message(1)._replace(slow=True)])) == [True, True]
    groups = [(r["QueueUrl"], [entry.get("MessageGroupId") for entry in r["Entries"]]) for r in client.requests]
    assert groups == [("http-queue", [None]), ("slow-queue", ["team"])]


def test_a_function_without_the_slow_queue_sends_to_the_quick_one():
    box, client, _ = outbox(accept)
    assert list(box.send([message()._replace(slow=True)])) == [True]
    assert client.requests[0]["QueueUrl"] == "http-queue"


def test_a_message_that_a_busy_queue_refused_is_sent_again():
    box, client, pauses = outbox(refuse(0, 2), refuse(1), accept)
    assert list(box.send([message(number) for number in range(3)])) == [True] * 3
    assert [[entry["Id"] for entry in r["Entries"]] for r in client.requests] == [["0", "1", "2"], ["0", "2"], ["2"]]
    assert len(pauses) == 2


def test_a_message_that_stays_refused_is_not_accepted():
    box, _, _ = outbox(refuse(1), *[refuse(0)] * 4)
    assert list(box.send([message(number) for number in range(3)])) == [True, False, True]


def test_a_message_refused_as_the_senders_fault_is_not_sent_again():
    box, client, _ = outbox(refuse(1, blame=True))
    assert list(box.send([message(0), message(1)])) == [True, False]
    assert len(client.requests) == 1


@pytest.mark.parametrize("error", [GONE, client_error("AccessDenied")])
def test_a_queue_that_does_not_answer_accepts_nothing_and_the_next_batch_is_tried(error):
    box, _, _ = outbox(error, accept)
    assert list(box.send([message(number) for number in range(12)])) == [False] * 10 + [True] * 2


def in_hand(number):
    return Received(run=RunKey.scheduled(JOB, NOW), attempt=1, receipt=f"receipt {number}")


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [(timedelta(0), 0), (timedelta(seconds=-3), 0), (timedelta(seconds=1.2), 2), (timedelta(days=3), 42_000)],
)
def test_messages_are_hidden_ten_to_a_call_for_ceilings_and_twelve_hours_from_their_receive_at_most(duration, seconds):
    client = Scripted({}, {})
    SqsInbox(client, "queue").hide([in_hand(number) for number in range(12)], duration)
    assert [len(request["Entries"]) for request in client.requests] == [10, 2]
    entries = [entry for request in client.requests for entry in request["Entries"]]
    assert [entry["ReceiptHandle"] for entry in entries] == [f"receipt {number}" for number in range(12)]
    assert {entry["VisibilityTimeout"] for entry in entries} == {seconds}


def test_hiding_a_message_that_is_gone_is_no_error():
    SqsInbox(Scripted(refuse(0, blame=True)), "queue").hide([in_hand(0)], timedelta(minutes=1))


@pytest.mark.parametrize("trouble", [GONE, client_error("AccessDenied"), refuse(0)])
def test_a_failure_to_hide_messages_raises(trouble):
    with pytest.raises(Unavailable, match="queue"):
        SqsInbox(Scripted(trouble), "queue").hide([in_hand(0)], timedelta(minutes=1))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("", "not JSON"),
        ("[]", "not an object with job"),
        ("{}", "not an object with job"),
        ('{"job": "a/b", "run_id": "20261120T090000Z"}', "not an object with job"),
        ('{"job": 3, "run_id": "20261120T090000Z", "attempt": 1}', "job: 3"),
        ('{"job": "report", "run_id": "20261120T090000Z", "attempt": 1}', "job: 'report'"),
        ('{"job": "a/b/c", "run_id": "20261120T090000Z", "attempt": 1}', "job: 'a/b/c'"),
        ('{"job": "a/b", "run_id": null, "attempt": 1}', "run_id: None"),
        ('{"job": "a/b", "run_id": "today", "attempt": 1}', "run_id: 'today'"),
        ('{"job": "a/b", "run_id": "20261120T090000Z", "attempt": -1}', "attempt: -1"),
        ('{"job": "a/b", "run_id": "20261120T090000Z", "attempt": true}', "attempt: True"),
        ('{"job": "a/b", "run_id": "20261120T090000Z", "attempt": "1"}', "attempt: '1'"),
        ('{"job": "a/b", "run_id": "20261120T090000Z", "attempt": 1, "not_before": "soon"}', "not_before: 'soon'"),
        ('{"job": "a/b", "run_id": "20261120T090000Z", "attempt": 1, "not_before": 7}', "not_before: 7"),
    ],
)
def test_an_invalid_message_body_is_refused_with_the_reason(body, problem):
    with pytest.raises(ValueError, match=problem):
        received(body, "receipt")


def test_what_is_sent_can_be_received_and_hidden_over_a_real_queue_api():
    with mock_aws():
        client = boto3.client("sqs", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")
        queue = client.create_queue(QueueName="queue")["QueueUrl"]
        sent = SqsOutbox(client, {"http": queue}.get, clock=lambda: NOW).send([message()])
        [stored] = client.receive_message(QueueUrl=queue, VisibilityTimeout=0)["Messages"]
        found = received(stored["Body"], stored["ReceiptHandle"])
        SqsInbox(client, queue).hide([found], timedelta(minutes=1))
        assert list(sent) == [True]
        assert (found.run, found.attempt) == (message().run, 1)
        assert json.loads(stored["Body"]).keys() == {"job", "run_id", "attempt"}
        assert "Messages" not in client.receive_message(QueueUrl=queue)
