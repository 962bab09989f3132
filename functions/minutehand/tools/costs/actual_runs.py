"""The month of a job, extrapolated from its actual runs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from minutehand.domain.error_types import ErrorType
from minutehand.tools.costs.definition import SOON
from minutehand.tools.costs.model import CALL_SECONDS, Month, Noted
from minutehand.tools.costs.units import MONTH

_KIND = re.compile(r"~([a-z]+)-")


@dataclass(frozen=True, kw_only=True)
class ActualRun:
    """A run as the API lists it. seconds: duration of its last attempt; None before its end. later: whether its target answers
    later. units: its recorded usage, if any."""

    run_id: str
    state: str
    attempt: int
    seconds: float | None
    later: bool = False
    units: Mapping[str, float] | None = None

    @property
    def kind(self) -> str:
        """Its origin, by its id: `trigger`, `child`, `backfill` or `scheduled`."""
        found = _KIND.search(self.run_id)
        return found[1] if found and found[1] in {"trigger", "child", "backfill"} else "scheduled"


def answers_later(run: Mapping[str, Any]) -> bool:
    """Whether a run's target answers later: it reported, or was waited for."""
    result, error = run["result"] or {}, run["error"] or {}
    return (
        (result.get("status") == 202 and run["state"] != "succeeded")
        or result.get("type") == "callback"
        or error.get("type") in {ErrorType.HEARTBEAT_MISSED, ErrorType.ANSWER_MISSED}
    )


def actual_month(runs: Iterable[ActualRun], span: timedelta, *, together: float, waits: Sequence[float] = ()) -> Month:
    """The runs of a span, extrapolated to a month. together: occurrences that share an advance, by the schedule; waits: seconds
    before each attempt but the first."""
    found = list(runs)
    began = [run for run in found if run.attempt > 0]
    later = sum(run.later for run in began) * 2 > len(began)
    # Where most runs answer at once, a late answer occupied its worker only during the call.
    took = [
        min(run.seconds, CALL_SECONDS) if run.later and not later else run.seconds
        for run in began
        if run.seconds is not None
    ]
    often = MONTH / span

    def kind(name: str) -> float:
        return often * sum(run.kind == name for run in began)

    return Month(
        scheduled=kind("scheduled"),
        together=together,
        children=kind("child"),
        triggered=kind("trigger"),
        backfilled=kind("backfill"),
        skipped=often * (len(found) - len(began)),
        attempts=often * sum(run.attempt - 1 for run in began),
        late=often * sum(wait > SOON for run in began for wait in waits[: run.attempt - 1]),
        failed=often * sum(run.state in {"failed", "timed_out", "lost"} for run in began),
        seconds=sum(took) / len(took) if took else CALL_SECONDS,
        later=later,
        noted=_noted(found, often),
    )


def _noted(runs: Sequence[ActualRun], often: float) -> Noted | None:
    """The recorded usage, extrapolated to runs without a record; None where no run has one."""
    units = [run.units for run in runs if run.units]
    if not units:
        return None
    times = often * len(runs) / len(units)

    def sum_of(name: str) -> float:
        return times * sum(each.get(name, 0) for each in units)

    return Noted(
        writes=sum_of("write"),
        reads=sum_of("read"),
        messages=sum_of("messages"),
        worker_seconds=sum_of("worker_ms") / 1000,
        puts=sum_of("puts"),
        stored=sum_of("stored_bytes"),
    )
