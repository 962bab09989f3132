"""Publish a message to an SNS topic."""

from __future__ import annotations

from typing import Any

from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.caller import Service
from minutehand.targets.aws.content import written
from minutehand.targets.aws.messages import attributes_of, in_order, text_of
from minutehand.targets.aws.topics.fields import SnsTarget
from minutehand.usecases.ports.target import Call, Outcome


def publish(client: Any, target: SnsTarget, call: Call) -> Outcome:
    """Publish one message."""
    request: dict[str, Any] = {
        "TopicArn": target.topic,
        "Message": text_of(call, target.send),
        "MessageAttributes": attributes_of(call, target.attributes),
        **in_order(call, target.topic, target.group),
    }
    if target.subject:
        request["Subject"] = target.subject
    answer = client.publish(**request)
    kept = {"message_id": answer["MessageId"]}
    if "SequenceNumber" in answer:
        kept["sequence_number"] = answer["SequenceNumber"]
    status = answer["ResponseMetadata"]["HTTPStatusCode"]
    return Outcome(RunState.SUCCEEDED, result=Result(type="sns", status=status, body=written(kept)))


CALLER = Service("sns", "Publish", publish)
