"""Observer function, every minute: tells by metrics of what ought to have run and has not. It reads alone, and knows nothing of the tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.adapters.sharding import BUCKETS
from minutehand.entrypoints.bootstrap import ports
from minutehand.entrypoints.clients import settings
from minutehand.entrypoints.metrics import Metric, count, measured, milliseconds
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.queries.observation import observe

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


@measured
def handler(_event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Observe the part whose turn it is. What is in order writes neither a metric nor a log line.

    Raises:
        Unavailable: if a table does not answer, so that the `Errors` metric of Lambda rises.
    """
    found = observe(ports(), shards=settings().due_shards, buckets=BUCKETS)
    answer: dict[str, Any] = {
        "overdue": found.overdue,
        "oldest_seconds": round(found.oldest.total_seconds()),
        "unstarted": found.unstarted,
    }
    count(Metric.TIMERS_OVERDUE, found.overdue)
    count(Metric.OLDEST_OVERDUE, milliseconds(found.oldest))
    count(Metric.RUNS_UNSTARTED, found.unstarted)
    if found.overdue or found.unstarted:
        logger.warning("something has not run that ought to have", action="observe", **answer)
    return answer
