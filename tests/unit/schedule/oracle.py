"""cron(8) acted out minute by minute (or second by second), with the standard library's ZoneInfo and no cleverness.

It shares nothing with the library but the tzdata wheel: fields are sets, the wall clock is asked at every instant, and a
virtual clock tells jumps apart as cron 3.0pl1's main loop does.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

CORRECTION = timedelta(hours=3)
LIMITS = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6))


@lru_cache
def zone(name):
    with files("tzdata").joinpath("zoneinfo", name).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


def seeded(seed):
    return Random(seed)


@dataclass(frozen=True)
class Job:
    """A random expression, and the sets of values that it was made from."""

    text: str
    sets: tuple[frozenset[int], ...]
    stars: tuple[bool, ...]

    def matches(self, wall):
        seconds, minutes, hours, days, months, weekdays = self.sets
        if (
            wall.minute not in minutes
            or wall.hour not in hours
            or wall.second not in seconds
            or wall.month not in months
        ):
            return False
        by_date, by_weekday = wall.day in days, wall.isoweekday() % 7 in weekdays
        return (by_date and by_weekday) if self.stars[3] or self.stars[5] else (by_date or by_weekday)

    @property
    def follows_the_clock(self):
        return any(self.stars[:3])


def random_job(random: Random, *, with_seconds=False) -> Job:
    drawn = [_random_field(random, n) for n in range(6)]
    if not with_seconds:
        drawn[0] = ("0", frozenset({0}))
    return Job(
        text=" ".join(text for text, _ in drawn[0 if with_seconds else 1 :]),
        sets=tuple(values for _, values in drawn),
        stars=tuple(text.startswith("*") for text, _ in drawn),
    )


def never_comes(job):
    """Whether no month that the job names has a day that it names, and no weekday helps."""
    longest = max(29 if month == 2 else 30 + (month in {1, 3, 5, 7, 8, 10, 12}) for month in job.sets[4])
    return job.stars[5] and min(job.sets[3]) > longest


def _random_field(random, n):
    low, high = LIMITS[n]
    if random.random() < (0.1, 0.2, 0.2, 0.7, 0.85, 0.7)[n]:
        return "*", frozenset(range(low, high + 1))
    items, values = [], set()
    for _ in range(random.choice((1, 1, 2, 3))):
        text, some = _random_item(random, n, low, high)
        items.append(text)
        values |= some
    return ",".join(items), frozenset(values)


def _random_item(random, n, low, high):
    start, end = sorted((random.randint(low, high), random.randint(low, high)))
    if n == 2:  # most clock changes are at night
        start = min(start, random.randint(0, 4))
    step = random.randint(1, 12)
    shape = random.choice(("value", "value", "range", "range step", "star step", "open step", "sunday as 7"))
    match shape:
        case "range":
            return f"{start}-{end}", set(range(start, end + 1))
        case "range step":
            return f"{start}-{end}/{step}", set(range(start, end + 1, step))
        case "star step":
            return f"*/{step}", set(range(low, high + 1, step))
        case "open step":
            return f"{start}/{step}", set(range(start, high + 1, step))
        case "sunday as 7" if n == 5:
            return f"{start}-7/{step}", {value % 7 for value in range(start, 8, step)}
        case _:
            return str(start), {start}


def wall_clock(name, start, end, step):
    """(instant, wall time) for each step of a span of UTC, the one before the span first."""
    tz, at, shown = zone(name), start - step, []
    while at <= end:
        shown.append((at, at.astimezone(tz).replace(tzinfo=None)))
        at += step
    return shown


def act_out(job, shown, step):
    """The instants at which cron would run the job, given what the wall clock shows."""
    runs = []
    done = shown[0][1]  # fixed times up to here have had their run
    for (_, before), (instant, wall) in pairwise(shown):
        jump = wall - before - step
        if job.follows_the_clock or abs(jump) >= CORRECTION:
            due, done = job.matches(wall), wall
        else:
            due = False
            while done < wall:
                done += step
                due = due or job.matches(done)
        if due:
            runs.append(instant)
    return runs


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
