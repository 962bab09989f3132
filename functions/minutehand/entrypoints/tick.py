"""Tick function, every minute: claims, enqueues and advances what is due; delegates shares of a large amount to further invocations of itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.adapters.invocation import Successor
    from minutehand.entrypoints.bootstrap import ports, time_left
    from minutehand.entrypoints.clients import aws_lambda, settings
    from minutehand.entrypoints.sharding import shards_to_read
    from minutehand.entrypoints.telemetry import count, logger, measured
    from minutehand.entrypoints.threads import Threads
    from minutehand.usecases.dispatching.tick import share, tick

if TYPE_CHECKING:
    from minutehand.entrypoints.bootstrap import LambdaContext
    from minutehand.usecases.dispatching.claim import DispatchReport

AT_A_TIME = 4
"""Groups of timers that are dispatched in parallel: one waits for the tables while others are planned."""


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Tick once, or dispatch the shards that another tick has delegated: `{"shards": [3, 7]}`.

    Reads nothing else of the event.

    Raises:
        ValueError: if the shards are not a list of numbers.
    """
    handed = event.get("shards")
    dispatched = _tick(context) if handed is None else _share(_numbers(handed), context)
    for problem in dispatched.problems:
        logger.warning(problem, action="tick")
    answer: dict[str, Any] = {
        "timers": dispatched.timers,
        "claimed": dispatched.claimed,
        "sent": dispatched.sent,
        "skipped_ranges": dispatched.skipped_ranges,
        "handed_over": dispatched.handed_over,
        "stopped_early": dispatched.stopped_early,
    }
    logger.info("ticked" if handed is None else "shared", action="tick", **answer)
    count("Ticks", int(handed is None))
    count("RunsClaimed", dispatched.claimed)
    count("ShardsHandedOver", dispatched.handed_over)
    count("TickProblems", len(dispatched.problems))
    count("TicksStoppedEarly", int(dispatched.stopped_early))
    return answer


def _tick(context: LambdaContext) -> DispatchReport:
    read = shards_to_read()
    return tick(
        ports(read),
        shards=range(read),
        time_left=time_left(context),
        parallel=_threads(),
        most=settings().tick_fan_out,
        hand_over=Successor(aws_lambda, context.invoked_function_arn),
    )


def _share(shards: list[int], context: LambdaContext) -> DispatchReport:
    return share(ports(shards_to_read()), shards=shards, time_left=time_left(context), parallel=_threads())


def _numbers(handed: object) -> list[int]:
    if isinstance(handed, list) and all(isinstance(shard, int) for shard in handed):
        return handed
    raise ValueError(
        f'"shards" is {handed!r:.100}; give a list of numbers, such as [3, 7], or leave it out for a whole tick'
    )


@cache
def _threads() -> Threads:
    return Threads(AT_A_TIME)
