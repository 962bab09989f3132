"""Batches of messages that Lambda takes from a worker's queue: read, executed and logged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.adapters import sqs
from minutehand.domain.errors import Unavailable
from minutehand.entrypoints.bootstrap import ports, worker_of
from minutehand.entrypoints.clients import settings
from minutehand.entrypoints.metrics import Metric, count, count_end, count_start, milliseconds
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.running.execute import execute

if TYPE_CHECKING:
    from minutehand.domain.job import Target
    from minutehand.domain.outcome import Outcome
    from minutehand.domain.run import Run
    from minutehand.usecases.ports.messages import Received
    from minutehand.usecases.ports.target import Call
    from minutehand.usecases.running.worker import Handled, Worker


def execute_batch(event: dict[str, Any], worker: Worker) -> dict[str, Any]:
    """Execute a batch; return the messages that stay in the queue (`batchItemFailures`).

    Raises:
        Unavailable: if a store or the queue did not answer for any of the messages. All stay in the queue, hidden as long as without the
            error.
    """
    records = {record["messageId"]: record for record in event["Records"]}
    received = {message_id: one for message_id, record in records.items() if (one := _received(record))}
    outcomes = execute(list(received.values()), ports=ports(), worker=worker)
    for handled in outcomes:
        _log(handled)
    if outcomes and all(handled.achieved_nothing for handled in outcomes):
        raise Unavailable(
            f"no message of a batch of {len(outcomes)} could be dealt with; the first problem: {outcomes[0].problem}"
        )
    deletable = {message_id for message_id, handled in zip(received, outcomes, strict=True) if handled.deletable}
    return {
        "batchItemFailures": [{"itemIdentifier": message_id} for message_id in records if message_id not in deletable]
    }


def in_shadow(target: Target, call: Call) -> Outcome:
    """The outcome of an attempt in shadow, which describes the call."""
    from minutehand.targets.shadow import described  # noqa: PLC0415 - few jobs are shadows

    return described(target, call)


def is_called_elsewhere(target: str) -> bool:
    """Whether another worker of the stack calls targets of a type."""
    given = settings()
    return worker_of(target, given.queue_urls) not in ("", given.worker)


def _received(record: dict[str, Any]) -> Received | None:
    """The message in an SQS record; None if it cannot be read. SQS then moves it to the dead-letter queue after some deliveries."""
    try:
        receives = int(record.get("attributes", {}).get("ApproximateReceiveCount", 1))
        return sqs.received(record["body"], record["receiptHandle"], receives)
    except ValueError as error:
        logger.error("message cannot be read", action="run", message_id=record["messageId"], problem=str(error))
        return None


def _log(handled: Handled) -> None:
    run = handled.run
    about: dict[str, Any] = {
        "action": "run",
        "job": str(handled.received.run.job),
        "run_id": handled.received.run.run_id,
    }
    if run is not None:
        about |= {"state": run.state.value, "attempt": run.attempt}
    if handled.moved:
        logger.debug("moved to another queue", **about)
        count(Metric.RUNS_MOVED)
    if handled.problem:
        logger.warning(handled.problem, **about)
    if run is None or not (handled.started or handled.ended):
        return
    if handled.ended:
        count_end(run)
    if not handled.started:
        logger.info("ended without a call", **about, **_why_skipped(run))
        return
    count_start(run)
    if run.lateness is not None:
        about["lateness_ms"] = milliseconds(run.lateness)
    if run.duration is not None:
        about["duration_ms"] = milliseconds(run.duration)
    logger.info("ran", **about)


def _why_skipped(run: Run) -> dict[str, Any]:
    """Why a run was skipped, and what it last waited for, as far as its record has it; nothing about other runs."""
    why = {
        "reason": run.skip_reason and run.skip_reason.value,
        "blocked_by": run.blocked_by,
        "waits_for": run.skip_reason and run.waits_for and run.waits_for.text,
    }
    return {name: value for name, value in why.items() if value}
