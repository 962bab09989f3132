"""Drain function: takes messages from the workers' dead-letter queue.

It sends a run again that can start, follows up one that has ended, and records as lost one that no worker can end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from minutehand.adapters import sqs
from minutehand.domain.errors import Unavailable, unanswered
from minutehand.entrypoints.bootstrap import ports
from minutehand.entrypoints.telemetry import count, count_end, logger, measured
from minutehand.usecases.running.drain import drain

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext

processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)


class NotDrained(Exception):
    """Raised for a message that stays in the dead-letter queue, which delivers it again."""


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> Any:
    """Drain a batch; return the messages that stay in the queue.

    Raises:
        Unavailable: if the stores did not answer for any of the messages, so that the `Errors` metric of Lambda rises. All stay in the
            queue.
    """
    answer = process_partial_response(event=event, record_handler=_drain, processor=processor, context=context)
    errors = [error for _, error, _ in processor.exceptions]
    if len(errors) == len(event["Records"]) and all(error is not None and unanswered(error) for error in errors):
        raise Unavailable(
            f"no dead letter of a batch of {len(errors)} could be drained; the first problem: {errors[0]}"
        )
    return answer


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
    if handled.ended and run is not None:
        count_end(run)
    if handled.achieved_nothing:
        raise Unavailable(handled.problem)
    if not handled.deletable:
        raise NotDrained(handled.problem)
