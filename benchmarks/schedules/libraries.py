"""The next occurrence after an instant, by Minutehand and by other libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim

from benchmarks.schedules.expressions import apscheduler_fields
from benchmarks.timing import Contender
from minutehand.schedule import Schedule

Maker = Callable[[str, str, Sequence[datetime]], Contender]
"""Makes a contender for an expression, a time zone, and UTC instants."""


def minutehand(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """A compiled schedule, asked in UTC."""
    return Contender(prepare=lambda: instants, ask=Schedule.parse(text, timezone=zone).next)


def croniter_new(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """A new croniter for each instant."""
    local, seconds_first = _local(instants, zone), _has_seconds(text)
    return Contender(
        prepare=lambda: local,
        ask=lambda instant: croniter(text, instant, second_at_beginning=seconds_first).get_next(datetime),
    )


def croniter_reused(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """One croniter, moved to each instant."""
    local = _local(instants, zone)
    made = croniter(text, local[0], second_at_beginning=_has_seconds(text))
    return Contender(prepare=lambda: local, ask=lambda instant: made.get_next(datetime, start_time=instant))


def cronsim_new(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """A new CronSim for each instant: it takes one only when it is made."""
    local = _local(instants, zone)
    return Contender(prepare=lambda: local, ask=lambda instant: next(CronSim(text, instant)))


def cronsim_next(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """The same, without the time to make each CronSim."""
    local = _local(instants, zone)
    return Contender(prepare=lambda: [CronSim(text, instant) for instant in local], ask=next)


def apscheduler(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """One CronTrigger, asked a second later, because it returns an instant that matches itself."""
    trigger = CronTrigger(**apscheduler_fields(text), timezone=_zone(zone))
    local = _local([instant + timedelta(seconds=1) for instant in instants], zone)
    return Contender(prepare=lambda: local, ask=lambda instant: trigger.get_next_fire_time(None, instant))


OTHERS: dict[str, Maker] = {
    "croniter, made each time": croniter_new,
    "croniter, reused": croniter_reused,
    "cronsim, made each time": cronsim_new,
    "cronsim, next alone": cronsim_next,
    "APScheduler": apscheduler,
}


def _has_seconds(text: str) -> bool:
    return len(text.split()) == 6


def _zone(name: str) -> tzinfo:
    """The fastest form of UTC, and the standard library's other zones."""
    return UTC if name == "UTC" else ZoneInfo(name)


def _local(instants: Sequence[datetime], zone: str) -> list[datetime]:
    return [instant.astimezone(_zone(zone)) for instant in instants]
