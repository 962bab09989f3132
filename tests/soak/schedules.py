"""Simple schedules, evaluated second by second and without the product's code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Crontab:
    """The given seconds of each `every`-th minute; with second 0 alone, a crontab of five fields."""

    seconds: tuple[int, ...] = (0,)
    every: int = 1

    @property
    def text(self) -> str:
        minute = "*" if self.every == 1 else f"*/{self.every}"
        listed = ",".join(map(str, self.seconds))
        return f"{minute} * * * *" if self.seconds == (0,) else f"{listed} {minute} * * * *"

    def names(self, at: datetime) -> bool:
        return at.second in self.seconds and at.minute % self.every == 0


@dataclass(frozen=True)
class Every:
    """`@every`: each multiple of an interval, counted from `anchor`, the job's `start_at`."""

    interval: int
    anchor: datetime

    @property
    def text(self) -> str:
        return f"@every {self.interval}s"

    def names(self, at: datetime) -> bool:
        since = (at - self.anchor).total_seconds()
        return since >= 0 and since % self.interval == 0


Schedule = Crontab | Every


@dataclass(frozen=True)
class Span:
    """A span of time, its end excluded."""

    start: datetime
    end: datetime

    def __contains__(self, at: datetime) -> bool:
        return self.start <= at < self.end


def every_nth_second(interval: int, offset: int = 0) -> Crontab:
    """A crontab for each `interval` seconds, which divides 60, from second `offset` on."""
    return Crontab(tuple(range(offset % interval, 60, interval)))


def seconds_between(start: datetime, end: datetime) -> Iterator[datetime]:
    """The whole seconds from `start` up to `end`, both included."""
    at = start.replace(microsecond=0)
    at += timedelta(0) if at == start else SECOND
    while at <= end:
        yield at
        at += SECOND


def rounded_up(at: datetime) -> datetime:
    """The first whole second that is not earlier."""
    return at.replace(microsecond=0) + timedelta(seconds=ceil(at.microsecond / 1e6))
