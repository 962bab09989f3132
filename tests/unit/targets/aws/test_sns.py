"""Targets of type `sns`, over the answers in SNS's API reference."""

from __future__ import annotations

import json

import pytest

from minutehand.domain.run import Result, RunState
from tests.unit.targets.aws.calling import RUN, Recorded, a_call, arn, error, make_call

TOPIC = arn("sns", "reports")
ANSWER = {"MessageId": "567910cd-659e-55d4-8ccb-5aaf14679dc0", "ResponseMetadata": {"HTTPStatusCode": 200}}


def test_a_message_is_published_to_the_topic() -> None:
    recorded = Recorded(publish=ANSWER)
    outcome = make_call(
        "sns", recorded, a_call("due"), topic=TOPIC, subject="A report is due", attributes=(("team", "data"),)
    )
    body = '{"message_id":"567910cd-659e-55d4-8ccb-5aaf14679dc0"}'
    assert (outcome.state, outcome.result) == (RunState.SUCCEEDED, Result(type="sns", status=200, body=body))
    request = recorded.request
    assert (request["TopicArn"], request["Message"], request["Subject"]) == (TOPIC, "due", "A report is due")
    assert request["MessageAttributes"]["team"] == {"DataType": "String", "StringValue": "data"}
    assert request["MessageAttributes"]["Minutehand-Run-Id"]["StringValue"] == RUN
    assert "MessageGroupId" not in request


def test_another_topic_gets_the_group_of_the_job_and_no_identity() -> None:
    recorded = Recorded(publish=ANSWER)
    make_call("sns", recorded, a_call(), topic=TOPIC, group="team")
    assert recorded.request["MessageGroupId"] == "team"
    assert "MessageDeduplicationId" not in recorded.request


def test_a_fifo_topic_gets_the_group_and_the_identity_of_the_run() -> None:
    recorded = Recorded(publish=ANSWER | {"SequenceNumber": "10000000000000003000"})
    outcome = make_call("sns", recorded, a_call(), topic=TOPIC + ".fifo")
    assert outcome.result is not None
    assert json.loads(outcome.result.body)["sequence_number"] == "10000000000000003000"
    assert recorded.request["MessageGroupId"] == "shop/report"
    assert recorded.request["MessageDeduplicationId"] == f"shop/report/{RUN}"


@pytest.mark.parametrize(
    ("code", "status", "kind", "final"),
    [
        ("NotFound", 404, "NotFound", True),
        ("AuthorizationError", 403, "Authorization", True),
        ("InvalidParameter", 400, "InvalidParameter", True),
        ("EndpointDisabled", 400, "EndpointDisabled", True),
        ("Throttled", 429, "Throttled", False),
        ("KMSThrottling", 400, "KMSThrottling", False),
        ("InternalError", 500, "Internal", False),
    ],
)
def test_a_refusal_is_final_unless_sns_is_busy(code: str, status: int, kind: str, final: bool) -> None:
    outcome = make_call("sns", Recorded(publish=error(code, status=status)), a_call(), topic=TOPIC)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (RunState.FAILED, kind, final)
