"""Telemetry: this process's one logger and its one set of metrics, told to CloudWatch in log lines (EMF)."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics

logger = Logger()
# Powertools takes the level of Lambda's own filter over its setting. That filter has to let INFO pass, since it takes metrics
# for INFO; so what the template sets for our lines is set here.
logging.getLogger(logger.service).setLevel(os.environ.get("POWERTOOLS_LOG_LEVEL", "INFO"))
metrics = Metrics(namespace="Minutehand")


def count(name: str, value: float = 1) -> None:
    """Add to a metric that counts. Nothing is said of what did not happen: CloudWatch bills each metric by the hours that it has values in."""
    if value:
        metrics.add_metric(name=name, unit="Count", value=value)


def milliseconds(name: str, value: float) -> None:
    """Add to a metric that measures time."""
    metrics.add_metric(name=name, unit="Milliseconds", value=value)


def measured(handler: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Have a handler write its metrics when it ends, if there are any; Powertools' own decorator warns in the log where there are none."""

    @functools.wraps(handler)
    def handle(*given: Any) -> dict[str, Any]:
        try:
            return handler(*given)
        finally:
            if metrics.metric_set:
                metrics.flush_metrics()

    return handle
