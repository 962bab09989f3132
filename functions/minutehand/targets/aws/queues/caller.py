"""Send a message to an SQS queue."""

from __future__ import annotations

from typing import Any

from minutehand.domain.instants import SECOND
from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.arns import Arn
from minutehand.targets.aws.caller import Service
from minutehand.targets.aws.content import written
from minutehand.targets.aws.messages import attributes_of, in_order, text_of
from minutehand.targets.aws.queues.fields import SqsTarget
from minutehand.usecases.ports.target import Call, Outcome


def send(client: Any, target: SqsTarget, call: Call) -> Outcome:
    """Send one message."""
    arn = Arn.parse(target.queue)
    request: dict[str, Any] = {
        "QueueUrl": f"{client.meta.endpoint_url.rstrip('/')}/{arn.account}/{arn.resource}",
        "MessageBody": text_of(call, target.send),
        "MessageAttributes": attributes_of(call, target.attributes),
        **in_order(call, target.queue, target.group),
    }
    if target.delay:
        request["DelaySeconds"] = target.delay // SECOND
    answer = client.send_message(**request)
    kept = {"message_id": answer["MessageId"]}
    if "SequenceNumber" in answer:
        kept["sequence_number"] = answer["SequenceNumber"]
    status = answer["ResponseMetadata"]["HTTPStatusCode"]
    return Outcome(RunState.SUCCEEDED, result=Result(type="sqs", status=status, body=written(kept)))


CALLER = Service("sqs", "SendMessage", send)
