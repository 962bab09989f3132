"""Random crontabs with their meaning as sets of values and calendar checks.

This module shares no code with the library: `H` and `15W` are implemented here a second time.
"""

from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from hashlib import blake2b
from random import Random

LIMITS = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
NAMES = ("second", "minute", "hour", "day-of-month", "month", "day-of-week")
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
DAY = timedelta(days=1)
EVERY_DATE, EVERY_WEEKDAY = frozenset(range(1, 32)), frozenset(range(7))


def seeded(seed):
    return Random(seed)


@dataclass(frozen=True)
class Job:
    """A schedule text with its meaning: values and texts of the six fields from second to weekday, and special days.

    dates, weekdays: special days as tuples, such as ("nearest", 15) or ("nth", 5, 3). years: None for all. once: `at()`.
    """

    text: str
    sets: tuple[frozenset[int], ...]
    written: tuple[str, ...]
    dates: tuple[tuple, ...] = ()
    weekdays: tuple[tuple, ...] = ()
    years: frozenset[int] | None = None
    once: bool = False
    _days: dict = field(default_factory=dict, compare=False, repr=False)

    def at_time(self, time):
        seconds, minutes, hours = self.sets[:3]
        return time.minute in minutes and time.hour in hours and time.second in seconds

    def on_day(self, day, dialect):
        key = day, dialect
        if key not in self._days:
            self._days[key] = self._is_due_on(day, dialect)
        return self._days[key]

    def _is_due_on(self, day, dialect):
        if day.month not in self.sets[4] or (self.years is not None and day.year not in self.years):
            return False
        by_date = day.day in self.sets[3] or any(is_special(day, special) for special in self.dates)
        by_weekday = day.isoweekday() % 7 in self.sets[5] or any(is_special(day, special) for special in self.weekdays)
        if leaves_open(self.written[3], dialect) or leaves_open(self.written[5], dialect):
            return by_date and by_weekday
        return by_date or by_weekday

    @property
    def follows_the_clock(self):
        return any(text.startswith("*") for text in self.written[:3])


def leaves_open(text, dialect):
    """Whether a day field is open."""
    if dialect == "vixie":
        return text[0] in "*?"
    return any(item in {"*", "?", "*/1"} for item in text.split(","))


def is_special(day, special):
    """Whether a date is this special day."""
    match special:
        case ("last",):
            return (day + DAY).month != day.month
        case ("last weekday",):
            return day == max(_working_days(day))
        case ("nearest", wanted):
            return (
                wanted <= _month(day.year, day.month)[-1].day
                and day.weekday() < 5
                and abs(day.day - wanted) == min(abs(other.day - wanted) for other in _working_days(day))
            )
        case ("last of", weekday):
            return day.isoweekday() % 7 == weekday and (day + 7 * DAY).month != day.month
        case ("nth", weekday, nth):
            return [other for other in _month(day.year, day.month) if other.isoweekday() % 7 == weekday][
                nth - 1 : nth
            ] == [day]
    raise ValueError(special)


@lru_cache
def _month(year, month):
    first = date(year, month, 1)
    return [first + n * DAY for n in range(31) if (first + n * DAY).month == month]


def _working_days(day):
    return [other for other in _month(day.year, day.month) if other.weekday() < 5]


def never_runs(job, dialect="vixie"):
    """Whether the job has no date in a whole cycle of weekdays and leap years."""
    years = range(2000, 2029) if job.years is None else sorted(job.years)
    return not any(
        job.on_day(day, dialect) for year in years for month in sorted(job.sets[4]) for day in _month(year, month)
    )


def hashed(name, field_name, size):
    """Value that `H` chooses out of `size`."""
    digest = blake2b(f"{field_name}\0{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % size


def random_job(random: Random, *, with_seconds=False, specials=False, name=None) -> Job:
    """Random crontab of 5 fields, or 6 with seconds. specials: with L, LW, nW, dL, d#n and ?. name: with H, for this name."""
    drawn = [_random_field(random, n, specials, name) for n in range(6)]
    if not with_seconds:
        drawn[0] = ("0", frozenset({0}), ())
    return Job(
        text=" ".join(text for text, _, _ in drawn[0 if with_seconds else 1 :]),
        sets=tuple(values for _, values, _ in drawn),
        written=tuple(text for text, _, _ in drawn),
        dates=drawn[3][2],
        weekdays=drawn[5][2],
    )


def _random_field(random, n, specials, name):
    low, high = LIMITS[n]
    if random.random() < (0.1, 0.2, 0.2, 0.7, 0.85, 0.7)[n]:
        text = "?" if specials and n in {3, 5} and random.random() < 0.2 else "*"
        return text, frozenset(range(low, high + 1)), ()
    items, values, special_days = [], set(), []
    for _ in range(random.choice((1, 1, 2, 3))):
        if specials and n in {3, 5} and random.random() < 0.5:
            text, special = _random_special(random, n)
            special_days.append(special)
        elif name is not None and random.random() < 0.3:
            text, some = _random_hash(random, n, name)
            values |= some
        else:
            text, some = _random_item(random, n, low, high)
            values |= some
        items.append(text)
    return ",".join(items), frozenset(values), tuple(special_days)


def _random_special(random, n):
    if n == 3:
        day = random.choice((1, 15, 29, 30, 31, random.randint(1, 31)))
        return random.choice((("L", ("last",)), ("LW", ("last weekday",)), (f"{day}W", ("nearest", day))))
    weekday, nth = random.randrange(7), random.randint(1, 5)
    written = random.choice((str(weekday or 7), str(weekday), WEEKDAYS[weekday], WEEKDAYS[weekday].lower()))
    return random.choice(((f"{written}L", ("last of", weekday)), (f"{written}#{nth}", ("nth", weekday, nth))))


def _random_hash(random, n, name):
    low, high = LIMITS[n]
    whole = 28 if n == 3 else high
    start, end = sorted((random.randint(low, high), random.randint(low, high)))
    step = random.randint(1, 40)
    match random.choice(("H", "H/n", "H(a-b)", "H(a-b)/n")):
        case "H":
            return "H", {low + hashed(name, NAMES[n], whole - low + 1)}
        case "H/n":
            return f"H/{step}", set(range(low + hashed(name, NAMES[n], min(step, whole - low + 1)), high + 1, step))
        case "H(a-b)":
            return f"H({start}-{end})", {start + hashed(name, NAMES[n], end - start + 1)}
    first = start + hashed(name, NAMES[n], min(step, end - start + 1))
    return f"H({start}-{end})/{step}", set(range(first, end + 1, step))


def _random_item(random, n, low, high):
    start, end = sorted((random.randint(low, high), random.randint(low, high)))
    if n == 2:  # most clock changes are at night
        start = min(start, random.randint(0, 4))
    step = random.randint(1, 12)
    match random.choice(("value", "value", "range", "range step", "star step", "open step", "sunday as 7", "name")):
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
        case "name" if n >= 4:
            return (MONTHS[start - 1] if n == 4 else WEEKDAYS[start].title()), {start}
        case _:
            return str(start), {start}
