"""Error codes of AWS for the log, whatever a port makes of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.stub import Stubber

from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.refusals import reported
from minutehand.adapters.sqs import SqsInbox, SqsOutbox
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.ports.stores import Claim
from tests.unit.domain.examples import run

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
KEY = RunKey.scheduled(JobKey(namespace="team", name="report"), NOW)
MESSAGE = Message(run=KEY, attempt=1, target="http", not_before=NOW)
KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}


def client_of(service: str, **given: Any) -> tuple[Any, Stubber, list[str]]:
    """A client whose calls are reported, its script, and the reports."""
    lines: list[str] = []
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=1)
    client = reported(boto3.client(service, config=config, **KEYS, **given), lines.append)
    return client, Stubber(client), lines


def outbox_of(client: Any) -> SqsOutbox:
    return SqsOutbox(client, {"http": "https://sqs/1/queue"}.get, clock=lambda: NOW, sleep=lambda _: None)


def test_a_queue_whose_key_is_disabled_is_named_with_its_code() -> None:
    client, script, lines = client_of("sqs")
    script.add_client_error("send_message_batch", "KMS.DisabledException", "the key is disabled", 400)
    with script:
        assert outbox_of(client).send([MESSAGE]) == [False]
    assert lines == ["sqs SendMessageBatch refused: KMS.Disabled: the key is disabled"]


def test_the_code_of_a_message_that_the_queue_refused_is_kept() -> None:
    client, script, lines = client_of("sqs")
    failed = {"Id": "0", "SenderFault": True, "Code": "InvalidMessageContents", "Message": "not allowed"}
    script.add_response("send_message_batch", {"Successful": [], "Failed": [failed]})
    with script:
        assert outbox_of(client).send([MESSAGE]) == [False]
    assert lines == ["sqs SendMessageBatch refused: InvalidMessageContents: not allowed"]


def test_a_message_that_is_gone_before_it_is_hidden_is_no_refusal() -> None:
    client, script, lines = client_of("sqs")
    failed = {"Id": "0", "SenderFault": True, "Code": "ReceiptHandleIsInvalid", "Message": "gone"}
    script.add_response("change_message_visibility_batch", {"Successful": [], "Failed": [failed]})
    with script:
        SqsInbox(client, "https://sqs/1/queue").hide([Received(KEY, 1, "receipt")], NOW - NOW)
    assert lines == []


def test_the_codes_of_statements_that_dynamodb_refused_are_kept_once_each() -> None:
    client, script, lines = client_of("dynamodb")
    denied = {"Error": {"Code": "AccessDenied", "Message": "no permission for PartiQLInsert"}}
    script.add_response(
        "batch_execute_statement", {"Responses": [denied, denied, {"Error": {"Code": "DuplicateItem"}}]}
    )
    with script:
        claims = DynamoRuns(client, "runs", jobs_table="jobs").claim([run(f"09:0{n}") for n in range(3)])
    assert claims == [Claim.FAILED, Claim.FAILED, Claim.EXISTS]
    refusal = "AccessDenied: no permission for PartiQLInsert"
    assert lines == [f"dynamodb BatchExecuteStatement refused: {refusal} (2 times)"]


@pytest.mark.parametrize(
    ("codes", "number"), [(["None", "ConditionalCheckFailed"], 0), (["None", "ValidationError"], 1)]
)
def test_a_transaction_is_refused_unless_one_of_its_conditions_does_not_hold(codes: list[str], number: int) -> None:
    client, script, lines = client_of("dynamodb")
    reasons = [{"Code": code, "Message": "for a reason"} for code in codes]
    script.add_client_error(
        "transact_write_items", "TransactionCanceledException", modeled_fields={"CancellationReasons": reasons}
    )
    with script, pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(TransactItems=[{"Delete": {"TableName": "jobs", "Key": {}}}])
    assert lines == ["dynamodb TransactWriteItems refused: ValidationError: for a reason"] * number


def test_a_condition_that_does_not_hold_is_no_refusal() -> None:
    client, script, lines = client_of("dynamodb")
    script.add_client_error("put_item", "ConditionalCheckFailedException")
    with script, pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(TableName="jobs", Item={})
    assert lines == []


def test_a_store_that_cannot_be_reached_is_named() -> None:
    client, _, lines = client_of("dynamodb", endpoint_url="http://127.0.0.1:1")
    with pytest.raises(Unavailable):
        DynamoRuns(client, "runs", jobs_table="jobs").get([KEY])
    [line] = lines
    assert line.startswith("dynamodb BatchGetItem not answered: EndpointConnectionError: ")


def test_a_table_whose_name_contains_error_is_read_as_any_other() -> None:
    client, script, lines = client_of("dynamodb")
    script.add_response("batch_get_item", {"Responses": {"ErrorJobs": []}, "UnprocessedKeys": {}})
    with script:
        assert DynamoRuns(client, "ErrorJobs", jobs_table="jobs").get([KEY]) == {}
    assert lines == []
