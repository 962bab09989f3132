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
    from minutehand.entrypoints.batches import execute_batch, in_shadow, is_called_elsewhere
    from minutehand.entrypoints.bootstrap import balancing, executions, inbox, meter, ports, time_left
    from minutehand.entrypoints.bootstrap import secrets as stored_secrets
    from minutehand.entrypoints.clients import settings
    from minutehand.entrypoints.metrics import measured
    from minutehand.entrypoints.network import target_terms
    from minutehand.entrypoints.settings import EVERY_STACKS_WORKER, SLOW_LANE
    from minutehand.targets.callers import CallByType, load_callers
    from minutehand.usecases.running.cancel_watch import Watch
    from minutehand.usecases.running.slow_calls import SlowCalls
    from minutehand.usecases.running.worker import Worker

    load_callers(
        os.environ.get("WORKER", EVERY_STACKS_WORKER)
    )  # while the function starts, so that no run waits for imports

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

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
        shadow=in_shadow,
        callbacks=settings().api_url,
        is_called_elsewhere=is_called_elsewhere,
    )
    return execute_batch(event, worker)


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
