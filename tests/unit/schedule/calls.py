"""Random cron(…) and at(…) of EventBridge with their meaning."""

from datetime import timedelta

from tests.unit.schedule.expressions import EVERY_DATE, EVERY_WEEKDAY, LIMITS, MONTHS, WEEKDAYS, Job

ZERO = ("0", frozenset({0}), ())
OPEN = ("?", EVERY_DATE, ())


def random_call(random, year):
    """Random cron(…) that may include this year: ranges may wrap, weekday 1 is Sunday."""
    minute, hour, month = (_field(random, n, chance) for n, chance in ((1, 0.2), (2, 0.2), (4, 0.85)))
    if random.random() < 0.5:
        day, weekday = _field(random, 3, 0.4, specials=True), ("?", EVERY_WEEKDAY, ())
    else:
        day, weekday = OPEN, _weekday(random)
    year_text, years = _years(random, year)
    drawn = (ZERO, minute, hour, day, month, weekday)
    return Job(
        text=f"cron({' '.join(text for text, _, _ in drawn[1:])} {year_text})",
        sets=tuple(values for _, values, _ in drawn),
        written=tuple(text for text, _, _ in drawn),
        dates=day[2],
        weekdays=weekday[2],
        years=years,
    )


def random_once(random, walls):
    """Random at(…) near the given local times; the clocks may show its time once, twice or never."""
    wall = random.choice(walls) + random.choice((-1, 1)) * timedelta(minutes=random.randrange(180))
    values = (wall.second, wall.minute, wall.hour, wall.day, wall.month)
    return Job(
        text=f"at({wall:%Y-%m-%dT%H:%M:%S})",
        sets=(*(frozenset({value}) for value in values), EVERY_WEEKDAY),
        written=(*map(str, values), "?"),
        years=frozenset({wall.year}),
        once=True,
    )


def _field(random, n, chance, *, specials=False):
    low, high = LIMITS[n]
    if random.random() < chance:
        return "*", frozenset(range(low, high + 1)), ()
    items, values, special_days = [], set(), []
    for _ in range(random.choice((1, 1, 2))):
        if specials and random.random() < 0.5:
            day = random.choice((1, 31, random.randint(1, 31)))
            text, special = random.choice((("L", ("last",)), ("LW", ("last weekday",)), (f"{day}W", ("nearest", day))))
            special_days.append(special)
        else:
            text, some = _item(random, n, low, high)
            values |= some
        items.append(text)
    return ",".join(items), frozenset(values), tuple(special_days)


def _item(random, n, low, high):
    start, end, step = random.randint(low, high), random.randint(low, high), random.randint(1, 12)
    if n == 2:
        start = min(start, random.randint(0, 4))
    written = MONTHS[start - 1] if n == 4 and random.random() < 0.3 else str(start)
    match random.choice(("value", "value", "range", "range step", "star step", "open step")):
        case "range":
            return f"{written}-{end}", set(_around(start, end, low, high))
        case "range step":
            return f"{written}-{end}/{step}", set(_around(start, end, low, high)[::step])
        case "star step":
            return f"*/{step}", set(range(low, high + 1, step))
        case "open step":
            return f"{written}/{step}", set(range(start, high + 1, step))
        case _:
            return written, {start}


def _around(start, end, low, high):
    """Values from start to end, wrapping from the last to the first."""
    values, value = [start], start
    while value != end:
        value = low if value == high else value + 1
        values.append(value)
    return values


def _weekday(random):
    if random.random() < 0.3:
        return "*", EVERY_WEEKDAY, ()
    day, nth = random.randrange(7), random.randint(1, 5)
    written = random.choice((str(day + 1), WEEKDAYS[day]))
    if random.random() < 0.2:  # EventBridge allows no other value beside d#n
        return f"{written}#{nth}", frozenset(), (("nth", day, nth),)
    items, values, special_days = [], set(), []
    for _ in range(random.choice((1, 2))):
        day, end = random.randrange(7), random.randrange(7)
        written = random.choice((str(day + 1), WEEKDAYS[day]))
        match random.choice(("value", "range", "last", "last of")):
            case "range":
                items.append(f"{written}-{end + 1}")
                values |= set(_around(day, end, 0, 6))
            case "last":
                items.append("L")
                values |= {6}
            case "last of":
                items.append(f"{written}L")
                special_days.append(("last of", day))
            case _:
                items.append(written)
                values |= {day}
    return ",".join(items), frozenset(values), tuple(special_days)


def _years(random, year):
    match random.choice(("all", "all", "one", "range", "step", "other")):
        case "one":
            return str(year), frozenset({year})
        case "range":
            return f"{year - 1}-{year}", frozenset({year - 1, year})
        case "step":
            return f"{year - 4}/2", frozenset(range(year - 4, 2200, 2))
        case "other":
            return f"{year - 2},{year + 1}", frozenset({year - 2, year + 1})
        case _:
            return "*", None
