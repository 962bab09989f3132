"""Worker function: takes a batch of runs from SQS, calls their targets in parallel, and reports the results."""

from __future__ import annotations

import os
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.adapters import sqs
    from minutehand.domain.errors import Unavailable
    from minutehand.entrypoints.bootstrap import balancing, executions, inbox, meter, ports, time_left, worker_of
    from minutehand.entrypoints.bootstrap import secrets as stored_secrets
    from minutehand.entrypoints.clients import settings
    from minutehand.entrypoints.network import target_terms
    from minutehand.entrypoints.settings import EVERY_STACKS_WORKER, SLOW_LANE
    from minutehand.entrypoints.telemetry import count, count_end, logger, measured, milliseconds
    from minutehand.targets.callers import CallByType, load_callers
    from minutehand.usecases.running.cancel_watch import Watch
    from minutehand.usecases.running.execute import execute
    from minutehand.usecases.running.slow_calls import SlowCalls
    from minutehand.usecases.running.worker import Handled, Worker

    load_callers(
        os.environ.get("WORKER", EVERY_STACKS_WORKER)
    )  # while the function starts, so that no run waits for imports

if TYPE_CHECKING:
    from datetime import timedelta

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from minutehand.domain.job import Target
    from minutehand.domain.outcome import Outcome
    from minutehand.domain.run import Run
    from minutehand.usecases.ports.messages import Received
    from minutehand.usecases.ports.target import Call

BATCH = 10
"""Maximum messages of a batch (`BatchSize` in the template is the same), and number of threads that call targets."""


@cache
def _equipment() -> tuple[CallByType, ThreadPoolExecutor, ThreadPoolExecutor]:
    """The function that calls targets, the threads in which it runs, and the thread that watches for cancelled runs."""
    given = settings()
    secrets_ = stored_secrets() if given.secret_prefixes else None
    terms = replace(target_terms(given, secrets_), balancing=balancing, executions=executions)
    call = CallByType(load_callers(given.worker), terms)
    return call, ThreadPoolExecutor(max_workers=BATCH), ThreadPoolExecutor(max_workers=1)


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Execute a batch; return the messages that stay in the queue (`batchItemFailures`).

    Raises:
        Unavailable: if a store or the queue did not answer for any of the messages, so that the `Errors` metric of Lambda rises. All
            stay in the queue, hidden as long as without the error.
    """
    call, threads, watcher = _equipment()
    lane = _lane_of(event)

    worker = Worker(
        inbox=inbox(lane.queue),
        call=call,
        # An attempt's token of 192 random bits; its holder may report the result.
        token=lambda: secrets.token_urlsafe(24),
        parallel=threads.map,
        time_left=time_left(context),
        meter=meter,
        watch=Watch(ports().runs, ports().clock, watcher.submit),
        sleep=time.sleep,
        name=context.aws_request_id,
        slow_calls=lane.slow_calls,
        background=watcher.submit,
        shadow=_in_shadow,
        callbacks=settings().api_url,
        is_called_elsewhere=_is_called_elsewhere,
    )
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


def _in_shadow(target: Target, call: Call) -> Outcome:
    from minutehand.targets.shadow import described  # noqa: PLC0415 - few jobs are shadows

    return described(target, call)


def _is_called_elsewhere(target: str) -> bool:
    given = settings()
    return worker_of(target, given.queue_urls) not in ("", given.worker)


class _Lane(NamedTuple):
    """A lane of this worker: the URL of its queue, and in the quick one what this process knows of slow calls."""

    queue: str
    slow_calls: SlowCalls | None


def _lane_of(event: dict[str, Any]) -> _Lane:
    """The lane from whose queue a batch comes. Without a slow lane, the quick one keeps all its runs."""
    given = settings()
    quick, slow = given.queue_urls[given.worker], given.queue_urls.get(given.worker + SLOW_LANE)
    name = str(event["Records"][0].get("eventSourceARN", "")).rpartition(":")[2]
    if slow is None or name == slow.rpartition("/")[2]:
        return _Lane(slow or quick, None)
    return _Lane(quick, _slow_calls())


@cache
def _slow_calls() -> SlowCalls:
    return SlowCalls()


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
        count("RunsMoved")
    if handled.problem:
        logger.warning(handled.problem, **about)
    if run is None or not (handled.started or handled.ended):
        return
    if handled.ended:
        count_end(run)
    if not handled.started:
        logger.info("ended without a call", **about, **_why_skipped(run))
        return
    if run.lateness is not None:
        about["lateness_ms"] = _milliseconds(run.lateness)
        milliseconds("Lateness", about["lateness_ms"])
    if run.duration is not None:
        about["duration_ms"] = _milliseconds(run.duration)
        milliseconds("Duration", about["duration_ms"])
    logger.info("ran", **about)


def _why_skipped(run: Run) -> dict[str, Any]:
    """Why a run was skipped, and what it last waited for, as far as its record has it; nothing about other runs."""
    why = {
        "reason": run.skip_reason and run.skip_reason.value,
        "blocked_by": run.blocked_by,
        "waits_for": run.skip_reason and run.waits_for and run.waits_for.text,
    }
    return {name: value for name, value in why.items() if value}


def _milliseconds(duration: timedelta) -> int:
    return round(duration.total_seconds() * 1000)
