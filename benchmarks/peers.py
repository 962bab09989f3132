"""Other libraries' ways to ask what comes next after an instant, beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim

from benchmarks.expressions import apscheduler_fields
from benchmarks.rounds import Contender
from minutehand.schedule import Schedule

OURS = "ours"


def ours(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """A compiled schedule, asked with instants in UTC."""
    return Contender(prepare=lambda: instants, ask=Schedule.parse(text, timezone=zone).next)


def croniter_made(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """A croniter for each instant."""
    local = _local(instants, zone)
    seconds_first = _has_seconds(text)
    return Contender(
        prepare=lambda: local,
        ask=lambda instant: croniter(text, instant, second_at_beginning=seconds_first).get_next(datetime),
    )


def croniter_reused(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """One croniter, moved to each instant."""
    local = _local(instants, zone)
    made = croniter(text, local[0], second_at_beginning=_has_seconds(text))
    return Contender(prepare=lambda: local, ask=lambda instant: made.get_next(datetime, start_time=instant))


def cronsim_made(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """A CronSim for each instant, which is the only way to give it one."""
    local = _local(instants, zone)
    return Contender(prepare=lambda: local, ask=lambda instant: next(CronSim(text, instant)))


def cronsim_next(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """The same, each CronSim made before the clock runs."""
    local = _local(instants, zone)
    return Contender(prepare=lambda: [CronSim(text, instant) for instant in local], ask=next)


def apscheduler(text: str, zone: str, instants: Sequence[datetime]) -> Contender:
    """One CronTrigger. It answers with the instant itself if that fits, so it is asked a second later."""
    trigger = CronTrigger(**apscheduler_fields(text), timezone=_zone(zone))
    local = _local([instant + timedelta(seconds=1) for instant in instants], zone)
    return Contender(prepare=lambda: local, ask=lambda instant: trigger.get_next_fire_time(None, instant))


PEERS: dict[str, Callable[[str, str, Sequence[datetime]], Contender]] = {
    "croniter, made each time": croniter_made,
    "croniter, reused": croniter_reused,
    "cronsim, made each time": cronsim_made,
    "cronsim, next alone": cronsim_next,
    "APScheduler": apscheduler,
}


def _has_seconds(text: str) -> bool:
    return len(text.split()) == 6


def _zone(name: str) -> tzinfo:
    """Peers take the quickest form of UTC that there is, and the standard library's other zones."""
    return UTC if name == "UTC" else ZoneInfo(name)


def _local(instants: Sequence[datetime], zone: str) -> list[datetime]:
    return [instant.astimezone(_zone(zone)) for instant in instants]
