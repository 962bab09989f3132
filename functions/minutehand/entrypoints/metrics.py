"""Metrics of a stack, each declared here. Functions write them as log lines in CloudWatch's embedded metric format (EMF)."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from datetime import timedelta
from enum import Enum, StrEnum, unique
from fnmatch import fnmatchcase
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from aws_lambda_powertools.metrics import EphemeralMetrics

if TYPE_CHECKING:
    from minutehand.domain.run import Run

NAMESPACE = "Minutehand"
STACK, TARGET, JOBS_NAMESPACE, FUNCTION = "stack", "target", "namespace", "function"
"""Dimensions. Every metric has the first alone, so that an alarm may watch the whole stack."""
_UNNAMED = "unnamed"
_Answer = TypeVar("_Answer")


class Unit(StrEnum):
    """Units, as CloudWatch calls them."""

    COUNT = "Count"
    MILLISECONDS = "Milliseconds"


class Declared(NamedTuple):
    """What a metric is.

    Attributes:
        functions: which functions write it, by their `POWERTOOLS_SERVICE_NAME`; `worker` stands for all workers.
        by: a further dimension, besides the stack alone.
    """

    unit: Unit
    functions: tuple[str, ...]
    meaning: str
    by: str = ""


_ENDS = ("worker", "agents", "drain", "api")
_STARTS = ("worker", "agents")


@unique
class Metric(Enum):
    """Every metric of a stack."""

    RUNS_CLAIMED = Declared(Unit.COUNT, ("tick",), "occurrences that became runs")
    DISPATCH_LATENESS = Declared(
        Unit.MILLISECONDS,
        ("tick",),
        "of a tick that claimed runs after their instants: how late the latest was. Ticks that are in time write none",
    )
    RANGES_SKIPPED = Declared(
        Unit.COUNT, ("tick",), "stretches of missed occurrences that a job's `catch_up` left without runs"
    )
    TICK_PROBLEMS = Declared(Unit.COUNT, ("tick",), "steps that failed")
    SHARDS_HANDED_OVER = Declared(
        Unit.COUNT, ("tick",), "busy shards and buckets dispatched by other invocations of the tick"
    )
    TICKS_STOPPED_EARLY = Declared(Unit.COUNT, ("tick",), "ticks, and shares of them, that ran out of time")
    LATENESS = Declared(
        Unit.MILLISECONDS, _STARTS, "from the scheduled instant to the first attempt's start", by=TARGET
    )
    DURATION = Declared(Unit.MILLISECONDS, _ENDS, "length of an attempt", by=TARGET)
    LEASES_LOST = Declared(
        Unit.COUNT, _STARTS, "attempts that took over from a worker or an agent that had fallen silent", by=TARGET
    )
    RUNS_OVERLAPPED = Declared(
        Unit.COUNT, _STARTS, "runs skipped because another run of their job was active, or replaced by a later one",
        by=TARGET,
    )  # fmt: skip
    RUNS_SUCCEEDED = Declared(Unit.COUNT, _ENDS, "runs that succeeded", by=TARGET)
    RUNS_FAILED = Declared(Unit.COUNT, _ENDS, "runs that failed, after their last attempt", by=TARGET)
    RUNS_TIMED_OUT = Declared(Unit.COUNT, _ENDS, "runs that took too long", by=TARGET)
    RUNS_LOST = Declared(Unit.COUNT, _ENDS, "runs of which nobody knows how they ended", by=TARGET)
    RUNS_CANCELLED = Declared(Unit.COUNT, _ENDS, "runs that somebody cancelled", by=TARGET)
    RUNS_RETRYING = Declared(Unit.COUNT, _ENDS, "attempts that failed and are retried", by=TARGET)
    RUNS_MOVED = Declared(
        Unit.COUNT,
        _STARTS,
        "runs moved from the quick lane to the slow one, or to the worker of the job's new target, or forwarded to a pool",
    )
    RUNS_WITHOUT_AGENT = Declared(
        Unit.COUNT,
        ("agents",),
        "times that a run found no live agent in its pool, or none that takes work and has the tags: one that waits looks again, at growing"
        " intervals, and counts each time",
    )
    DEAD_LETTERS = Declared(Unit.COUNT, ("drain",), "messages taken from the dead-letter queue")
    RUNS_SWEPT = Declared(Unit.COUNT, ("sweep",), "runs sent again")
    TIMERS_OVERDUE = Declared(
        Unit.COUNT,
        ("observer",),
        "timers that should have been dispatched two minutes ago, in the part of them that it looked at",
    )
    OLDEST_OVERDUE = Declared(Unit.MILLISECONDS, ("observer",), "how long the oldest of these is overdue")
    RUNS_UNSTARTED = Declared(
        Unit.COUNT,
        ("observer",),
        "runs that should have begun five minutes ago and wait for nothing that is known, in the part of them that it looked at",
    )
    TIMERS_RESHARDED = Declared(
        Unit.COUNT, ("sweep",), "timers moved to other [shards](../how-to/operations.md#shards)"
    )
    TIMERS_RENEWED = Declared(Unit.COUNT, ("sweep",), "jobs whose next occurrence moved with new time zone data")
    AWS_REFUSALS = Declared(
        Unit.COUNT,
        ("all",),
        "calls that AWS refused or did not answer, after their retries; the log lines `refusal` have the error codes",
        by=FUNCTION,
    )

    @property
    def title(self) -> str:
        """The name in CloudWatch, such as `RunsClaimed`."""
        return self.name.title().replace("_", "")


class _Book:
    """The metrics of one invocation, apart by their dimensions. Thread-safe, as calls of AWS are refused in any thread."""

    def __init__(self) -> None:
        self._pages: dict[tuple[tuple[str, str], ...], EphemeralMetrics] = {}
        self._lock = Lock()

    def add(self, metric: Metric, value: float, by: tuple[tuple[str, str], ...]) -> None:
        with self._lock:
            if by not in self._pages:
                self._pages[by] = _page(by)
            self._pages[by].add_metric(name=metric.title, unit=metric.value.unit.value, value=value)

    def values(self) -> dict[str, list[float]]:
        """The values of each metric that were not written yet."""
        found: dict[str, list[float]] = {}
        for page in self._pages.values():
            for name, one in page.metric_set.items():
                found.setdefault(name, []).extend(one["Value"])
        return found

    def write(self) -> None:
        with self._lock:
            pages, self._pages = self._pages, {}
        for page in pages.values():
            if page.metric_set:  # none is left where a hundred values were written at once
                page.flush_metrics()

    def forget(self) -> None:
        self._pages.clear()


def _page(by: tuple[tuple[str, str], ...]) -> EphemeralMetrics:
    stack = os.environ.get("STACK") or _UNNAMED
    page = EphemeralMetrics(namespace=NAMESPACE)
    page.service = ""  # otherwise Powertools adds a dimension of this name
    page.add_dimension(STACK, stack)
    for name, value in by:
        page.add_dimensions(**{STACK: stack, name: value})
    return page


_book = _Book()


def count(metric: Metric, value: float = 1) -> None:
    """Add to a metric of the stack. Zero is not recorded: CloudWatch bills a metric for each hour in which it has values."""
    if value:
        _book.add(metric, value, _of_function() if metric.value.by == FUNCTION else ())


def count_for(run: Run, metric: Metric, value: float = 1) -> None:
    """Add to a metric of runs, also by the run's type of target, and by its namespace if the stack is told to. Those on single nodes of a run
    on several are not counted: that run is."""
    if run.share is None:
        _book.add(metric, value, ((TARGET, run.target), *_of_namespace(run.key.job.namespace)))


def count_start(run: Run) -> None:
    """Note of an attempt that began whether it took over, and of the first how late it was."""
    from minutehand.domain.deadlines import took_over  # noqa: PLC0415 - the authorizer, which counts refusals, needs no rules of runs

    if took_over(run):
        count_for(run, Metric.LEASES_LOST)
    if run.attempt == 1 and run.lateness is not None:
        count_for(run, Metric.LATENESS, milliseconds(run.lateness))


def count_end(run: Run) -> None:
    """Count the end of a run, or of an attempt that is to be retried, by the state that followed, and how long the attempt took. Skipped runs
    are not counted, except those that others of their job have kept from starting."""
    if run.duration is not None:
        count_for(run, Metric.DURATION, milliseconds(run.duration))
    if run.state.value != "skipped":  # the state's own class takes time to import, which the authorizer would not need
        count_for(run, Metric[f"RUNS_{run.state.value.upper()}"])
    elif run.skip_reason is not None and run.skip_reason.value in ("overlap", "replaced"):
        count_for(run, Metric.RUNS_OVERLAPPED)


def milliseconds(duration: timedelta) -> int:
    """A duration in whole milliseconds."""
    return round(duration / timedelta(milliseconds=1))


def measured(handler: Callable[..., _Answer]) -> Callable[..., _Answer]:
    """Decorate a handler to write its metrics when it ends."""

    @functools.wraps(handler)
    def handle(*given: Any) -> _Answer:
        try:
            return handler(*given)
        finally:
            _book.write()

    return handle


def unwritten() -> dict[str, list[float]]:
    """The values of each metric that this process has counted and not written yet."""
    return _book.values()


def forget() -> None:
    """Forget what was counted and not written yet."""
    _book.forget()


def _of_function() -> tuple[tuple[str, str], ...]:
    return ((FUNCTION, os.environ.get("POWERTOOLS_SERVICE_NAME") or _UNNAMED),)


def _of_namespace(namespace: str) -> tuple[tuple[str, str], ...]:
    """The dimension of a namespace that `METRIC_NAMESPACES` names; `*` stands for any text in it."""
    patterns = os.environ.get("METRIC_NAMESPACES", "")
    if not any(fnmatchcase(namespace, each) for each in patterns.split(",") if each):
        return ()
    return ((JOBS_NAMESPACE, namespace),)
