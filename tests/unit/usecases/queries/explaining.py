"""Run a job for a while, and explain what happened to it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.findings import Finding
from minutehand.usecases.queries.explain import Explanation, explain_instant, explain_range
from tests.unit.domain.examples import KEY, MINUTE, at
from tests.unit.usecases.stage import Stage

HOURLY = "0 * * * *"
A_DAY = timedelta(days=1)


def live(stage: Stage, until: str) -> None:
    """Run a tick and a worker each minute."""
    end = at(until)
    while stage.now <= end:
        stage.tick()
        stage.work()
        stage.now += MINUTE


def instant(stage: Stage, clock: str) -> Finding:
    [finding] = explain_instant(stage.ports, KEY, at(clock)).findings
    return finding


def blocked_range(stage: Stage, first: str, last: str) -> Explanation:
    return explain_range(stage.ports, KEY, at(first), at(last))


def kinds(found: Explanation) -> list[tuple[str, str, str, int | None]]:
    """Kind, first, last and times of each finding."""
    return [(f.kind.value, f"{f.first:%H:%M:%S}", f"{f.last:%H:%M:%S}", f.times) for f in found.findings]


def calendar(stage: Stage, name: str = "closed", **fields: Any) -> None:
    values = {"description": "", "dates": (), "weekly": (), "periods": (), "revision": 1, "updated_at": at("08:00")}
    stage.state.calendars[CalendarKey(KEY.namespace, name)] = Calendar(
        key=CalendarKey(KEY.namespace, name), updated_by="ada", **(values | fields)
    )
