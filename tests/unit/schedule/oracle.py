"""Simulation of each dialect minute by minute (or second by second), with the standard library's ZoneInfo.

It shares only the tzdata wheel with the library: fields are sets, local time is computed at every instant, and for cron(8) a virtual
clock handles jumps like the main loop of cron 3.0pl1.
"""

from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from tests.unit.schedule.expressions import Job, never_runs, random_job, seeded

__all__ = ["DIALECTS", "Job", "WallClock", "never_runs", "random_job", "seeded", "simulate", "utc", "zone"]

CORRECTION = timedelta(hours=3)
DIALECTS = ("vixie", "robfig", "eventbridge")


@lru_cache
def zone(name):
    with files("tzdata").joinpath("zoneinfo", name).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


class WallClock:
    """Local times of a zone at each step of a span of UTC. jump: clock change since the step before."""

    def __init__(self, name, start, end, step):
        tz, self.step, self.shown = zone(name), step, []
        at = start - step
        before = (at - step).astimezone(tz).replace(tzinfo=None)
        while at <= end:
            wall = at.astimezone(tz).replace(tzinfo=None)
            self.shown.append((at, wall, wall - before - step))
            before = wall
            at += step

    @cached_property
    def all(self):
        """All local times, with repeats."""
        return by_time_of_day((wall, at) for at, wall, _ in self.shown[1:])

    @cached_property
    def first(self):
        """Local times in their first pass."""
        latest, found = self.shown[0][1], []
        for at, wall, _ in self.shown[1:]:
            if wall > latest:
                latest = wall
                found.append((wall, at))
        return by_time_of_day(found)

    @cached_property
    def once(self):
        """Each local time once, and the times of a small gap at its end, like the virtual clock of cron(8)."""
        done, found = self.shown[0][1], []
        for at, wall, jump in self.shown[1:]:
            if abs(jump) >= CORRECTION:
                done = wall - self.step
            while done < wall:
                done += self.step
                found.append((done, at))
        return by_time_of_day(found)


def by_time_of_day(pairs):
    """Group (wall time, instant) pairs by time of day, so that a job is checked once for each."""
    table = {}
    for wall, at in pairs:
        table.setdefault(wall.time(), []).append((wall.date(), at))
    return table


def simulate(job, clock, dialect):
    """Instants at which the job runs."""
    match dialect:
        case "robfig":
            table = clock.all
        case "eventbridge":
            table = clock.first
        case "vixie":
            table = clock.all if job.follows_the_clock else clock.once
    runs = {at for time, pairs in table.items() if job.at_time(time) for day, at in pairs if job.on_day(day, dialect)}
    return sorted(runs)[:1] if job.once else sorted(runs)


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
