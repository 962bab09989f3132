"""Targets of type `sqs`, over the answers in SQS's API reference."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.content import Send
from tests.unit.targets.aws.calling import RUN, Recorded, a_call, arn, error, make_call

QUEUE = arn("sqs", "reports")
FIFO = arn("sqs", "reports.fifo")
ANSWER = {
    "MD5OfMessageBody": "fafb00f5732ab283681e124bf8747ed1",
    "MessageId": "219f8380-5770-4cc2-8c3e-5c715e145f5e",
    "ResponseMetadata": {"HTTPStatusCode": 200},
}


def send(payload: Any = None, *, job: JobKey | None = None, attempt: int = 1, **fields: Any) -> dict[str, Any]:
    """The request of a call."""
    recorded = Recorded(send_message=ANSWER)
    made = a_call(payload, attempt=attempt) if job is None else a_call(payload, attempt=attempt, job=job)
    assert make_call("sqs", recorded, made, **fields).state is RunState.SUCCEEDED
    return recorded.request


def test_a_message_is_sent_to_the_queue_of_the_arn() -> None:
    recorded = Recorded(send_message=ANSWER)
    outcome = make_call("sqs", recorded, a_call({"n": 1}), queue=QUEUE)
    body = '{"message_id":"219f8380-5770-4cc2-8c3e-5c715e145f5e"}'
    assert outcome.result == Result(type="sqs", status=200, body=body)
    assert recorded.request == {
        "QueueUrl": "https://sqs.eu-west-1.amazonaws.com/111122223333/reports",
        "MessageBody": '{"n":1}',
        "MessageAttributes": {
            "Minutehand-Job": {"DataType": "String", "StringValue": "shop/report"},
            "Minutehand-Run-Id": {"DataType": "String", "StringValue": RUN},
            "Minutehand-Attempt": {"DataType": "String", "StringValue": "1"},
            "Minutehand-Scheduled-For": {"DataType": "String", "StringValue": "2026-11-20T09:00:00Z"},
        },
    }


@pytest.mark.parametrize(
    ("payload", "text"), [("plain text", "plain text"), (None, "{}"), ("", '""'), ([1, "ü"], '[1,"\\u00fc"]')]
)
def test_a_payload_that_is_text_is_sent_as_it_is_and_any_other_as_json(payload: Any, text: str) -> None:
    assert send(payload, queue=QUEUE)["MessageBody"] == text


def test_all_attempts_of_a_run_send_the_same_message_to_a_fifo_queue() -> None:
    first, second = (send(queue=FIFO, attempt=attempt) for attempt in (1, 2))
    assert first["MessageDeduplicationId"] == second["MessageDeduplicationId"] == f"shop/report/{RUN}"
    assert first["MessageGroupId"] == "shop/report"
    assert "DelaySeconds" not in first


def test_names_that_are_too_long_for_sqs_become_digests() -> None:
    one, other = (send(queue=FIFO, job=JobKey("n" * 128, name * 128)) for name in ("a", "b"))
    for each in ("MessageGroupId", "MessageDeduplicationId"):
        assert len(one[each]) == 64
        assert one[each] != other[each]


def test_the_job_may_set_delay_group_and_attributes() -> None:
    request = send(queue=QUEUE, delay=timedelta(seconds=90), group="tenant-1", attributes=(("team", "data"),))
    assert (request["DelaySeconds"], request["MessageGroupId"]) == (90, "tenant-1")
    assert request["MessageAttributes"]["team"] == {"DataType": "String", "StringValue": "data"}
    assert "MessageDeduplicationId" not in request


def test_the_sequence_number_of_a_fifo_queue_is_kept() -> None:
    recorded = Recorded(send_message=ANSWER | {"SequenceNumber": "18849496460467696128"})
    outcome = make_call("sqs", recorded, a_call(), queue=FIFO)
    assert outcome.result is not None
    assert json.loads(outcome.result.body)["sequence_number"] == "18849496460467696128"


def test_the_document_about_the_run_can_be_the_message() -> None:
    assert json.loads(send({"n": 1}, queue=QUEUE, send=Send.RUN)["MessageBody"])["run_id"] == RUN


@pytest.mark.parametrize(
    ("code", "kind", "final"),
    [
        ("AWS.SimpleQueueService.NonExistentQueue", "NonExistentQueue", True),
        ("QueueDoesNotExist", "QueueDoesNotExist", True),
        ("InvalidMessageContents", "InvalidMessageContents", True),
        ("AccessDenied", "AccessDenied", True),
        ("RequestThrottled", "RequestThrottled", False),
        ("KmsThrottled", "KmsThrottled", False),
        ("OverLimit", "OverLimit", False),
    ],
)
def test_a_refusal_is_final_unless_sqs_is_busy(code: str, kind: str, final: bool) -> None:
    outcome = make_call("sqs", Recorded(send_message=error(code)), a_call(), queue=QUEUE)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (RunState.FAILED, kind, final)
