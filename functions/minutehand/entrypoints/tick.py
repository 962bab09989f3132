"""The tick: EventBridge calls it every minute; it claims, enqueues and advances what is due."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

from minutehand.entrypoints.bootstrap import settings, time_left, world
from minutehand.usecases.tick import tick

if TYPE_CHECKING:
    from minutehand.entrypoints.bootstrap import LambdaContext
    from minutehand.usecases.world import World

logger = Logger()
metrics = Metrics()


@cache
def _world() -> World:
    return world(settings())


@metrics.log_metrics
def handler(_event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Tick once. The event is not read: what is due stands in the index, and the clock says the time."""
    tally = tick(_world(), shards=settings().due_shards, time_left=time_left(context))
    for problem in tally.problems:
        logger.warning(problem, action="tick")
    answer: dict[str, Any] = {
        "timers": tally.timers,
        "claimed": tally.claimed,
        "sent": tally.sent,
        "skipped_ranges": tally.skipped_ranges,
        "stopped_early": tally.stopped_early,
    }
    logger.info("ticked", action="tick", **answer)
    metrics.add_metric(name="Ticks", unit=MetricUnit.Count, value=1)
    metrics.add_metric(name="RunsClaimed", unit=MetricUnit.Count, value=tally.claimed)
    metrics.add_metric(name="TickProblems", unit=MetricUnit.Count, value=len(tally.problems))
    metrics.add_metric(name="TicksStoppedEarly", unit=MetricUnit.Count, value=int(tally.stopped_early))
    return answer
