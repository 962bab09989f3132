"""Logger and metrics of this process; metrics are log lines in CloudWatch's embedded metric format (EMF)."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

if TYPE_CHECKING:
    from minutehand.domain.run import Run

logger = Logger()
# Powertools takes its level from Lambda's own log filter, if there is one, rather than from its own variable. That filter must pass
# INFO, because it treats metrics as INFO. So the level in the variable, which the template sets for log lines, is applied here.
logging.getLogger(logger.service).setLevel(os.environ.get("POWERTOOLS_LOG_LEVEL", "INFO"))
metrics = Metrics(namespace="Minutehand")
if stack := os.environ.get("STACK"):
    metrics.set_default_dimensions(stack=stack)  # two stacks of an account have metrics of their own


def count(name: str, value: float = 1) -> None:
    """Add to a metric that counts. Zero is not recorded: CloudWatch bills a metric for each hour in which it has values."""
    if value:
        metrics.add_metric(name=name, unit="Count", value=value)


def count_end(run: Run) -> None:
    """Count the end of a run, or of an attempt that is to be retried, by the state that followed: `RunsTimedOut`, `RunsRetrying`. Skipped
    runs are not counted, nor are those on single nodes of a run on several: that run is."""
    if (
        run.state.value != "skipped" and run.share is None
    ):  # the state's own class takes time to import, which the authorizer would not need
        count(f"Runs{run.state.value.title().replace('_', '')}")


def milliseconds(name: str, value: float) -> None:
    """Add a value in milliseconds to a metric."""
    metrics.add_metric(name=name, unit="Milliseconds", value=value)


def measured(handler: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Decorate a handler to write its metrics when it ends. Powertools' own decorator logs a warning if there are none."""

    @functools.wraps(handler)
    def handle(*given: Any) -> dict[str, Any]:
        try:
            return handler(*given)
        finally:
            if metrics.metric_set:
                metrics.flush_metrics()

    return handle
