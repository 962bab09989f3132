"""The sweep: once an hour, looks for runs that stay active past every limit, and has a worker look at them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

from minutehand.entrypoints.bootstrap import settings, time_left, world
from minutehand.usecases.rescue import sweep

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
    """Sweep once; a run that had to be sent again is worth a look, so each is logged."""
    resent = sweep(_world(), time_left=time_left(context))
    for key in resent:
        logger.warning("sent again", action="sweep", job=str(key.job), run_id=key.run_id)
    metrics.add_metric(name="RunsSwept", unit=MetricUnit.Count, value=len(resent))
    return {"resent": len(resent)}
