"""Drain function: takes messages from the workers' dead-letter queue.

It sends a run again that can start, follows up one that has ended, and records as lost one that no worker can end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from minutehand.adapters import sqs
from minutehand.entrypoints.bootstrap import ports
from minutehand.entrypoints.telemetry import count, logger, measured
from minutehand.usecases.running.drain import drain

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext

processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


class NotDrained(Exception):
    """Raised for a message that stays in the dead-letter queue, which delivers it again."""


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Drain a batch; return the messages that stay in the queue."""
    return process_partial_response(event=event, record_handler=_drain, processor=processor, context=context)


def _drain(record: SQSRecord) -> None:
    try:
        handled = drain(sqs.received(record.body, record.receipt_handle), ports=ports())
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        logger.error("dead letter stays in the queue", action="drain", message_id=record.message_id, problem=problem)
        raise
    run = handled.run
    about: dict[str, Any] = {
        "action": "drain",
        "job": str(handled.received.run.job),
        "run_id": handled.received.run.run_id,
    }
    logger.warning("dead letter drained", state=run.state.value if run else None, problem=handled.problem, **about)
    count("DeadLetters")
    if not handled.deletable:
        raise NotDrained(handled.problem)
