"""Calendars that close and open, and what ran and was recorded under them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from minutehand.domain.actor import Actor
from minutehand.domain.calendar import CalendarKey, DateRange, Period
from minutehand.domain.policies import OnBlocked
from minutehand.usecases.definitions import calendars
from minutehand.usecases.definitions.calendars import Content
from tests.unit.domain.examples import MINUTE
from tests.unit.usecases.stage import Stage

CLOSED = CalendarKey("shop", "closed")
ONE_DAY = timedelta(days=1)
NEXT_DAY = {"calendars": ("closed",), "on_blocked": OnBlocked.NEXT_DAY}


def close(stage: Stage, *periods: tuple[datetime, datetime], name: str = "closed", **content: object) -> None:
    said = Content(periods=tuple(Period(*each) for each in periods), **content)
    calendars.save(stage.ports, CalendarKey("shop", name), said, who=Actor("ada"))


def closed_days(stage: Stage, *days: date) -> None:
    close(stage, dates=tuple(DateRange(day, day) for day in days))


def run_until(stage: Stage, end: datetime, step: timedelta = MINUTE) -> None:
    while stage.now < end:
        stage.tick()
        stage.work()
        stage.now += step


def called(stage: Stage) -> list[str]:
    return sorted(f"{key.scheduled_for:%d %H:%M}" for key, _ in stage.called)


def recorded(stage: Stage) -> list[tuple[str, str, str]]:
    return [(f"{r.first:%d %H:%M:%S}", f"{r.until:%d %H:%M:%S}", str(r.policy)) for r in stage.state.skipped]


def accounted(stage: Stage, first: datetime, last: datetime) -> None:
    """Each minute of the stretch has one run or one range, and not both."""
    minute = first
    while minute <= last:
        runs = sum(key.scheduled_for == minute for key in stage.state.runs)
        ranges = sum(r.first <= minute < r.until for r in stage.state.skipped)
        assert runs + ranges == 1, f"{minute}: {runs} runs, {ranges} ranges"
        minute += MINUTE
