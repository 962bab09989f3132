"""Properties of every schedule, zone, dialect and instant."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.calls import random_call, random_once
from tests.unit.schedule.oracle import DIALECTS, random_job, seeded

ZONES = [
    "UTC",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Africa/Casablanca",
    "Europe/Dublin",
    "Antarctica/Troll",
]
NAME = "shop/nightly"

pytestmark = pytest.mark.thorough

steady = settings(max_examples=100, deadline=None, derandomize=True, database=None)
instants = st.datetimes(datetime(1975, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - Hypothesis adds the zone


@st.composite
def texts(draw):
    """A text of any kind that names instants of its own, with or without a time zone before it."""
    random = seeded(draw(st.integers(0, 2**32)))
    wall = datetime(2026, 1, 1) + timedelta(minutes=random.randrange(20_000_000))  # noqa: DTZ001 - a wall time has no zone
    kind = draw(st.sampled_from(["crontab", "crontab", "seconds", "every", "rate", "cron", "at"]))
    text = {
        "crontab": lambda: random_job(random, specials=True, name=NAME).text,
        "seconds": lambda: random_job(random, with_seconds=True, specials=True, name=NAME).text,
        "every": lambda: f"@every {random.randint(1, 10**6)}s",
        "rate": lambda: f"rate({random.randint(2, 5000)} {random.choice(('minutes', 'hours', 'days'))})",
        "cron": lambda: random_call(random, 2040).text,
        "at": lambda: random_once(random, [wall]).text,
    }[kind]()
    return f"CRON_TZ={draw(st.sampled_from(ZONES))} {text}" if draw(st.integers(0, 4)) == 0 else text


@st.composite
def schedules(draw):
    given_texts = draw(st.lists(texts(), min_size=1, max_size=3))
    options = {
        "timezone": draw(st.sampled_from(ZONES)),
        "dialect": draw(st.sampled_from([None, *DIALECTS])),
        "anchor": draw(st.none() | instants.map(lambda at: at.replace(microsecond=0))),
    }
    read = []
    for text in given_texts:
        try:
            Schedule.parse(text, **options, name=NAME)
        except ScheduleError:  # a date that does not exist, a time in a clock gap
            continue
        read.append(text)
    return Schedule.parse(read or ["0 0 1 * *"], **options, name=NAME)


def walk(schedule, after, until, limit):
    found, at = [], after
    while len(found) < limit and (at := schedule.next(at)) is not None and at <= until:
        found.append(at)
    return found


@steady
@given(schedules(), instants)
def test_next_is_later_within_forty_years_and_an_instant_of_the_schedule(schedule, after):
    at = after
    for _ in range(6):
        found = schedule.next(at)
        if found is None:
            return
        assert at < found <= at + timedelta(days=14_610)
        assert found.microsecond == 0
        assert found.tzinfo is UTC
        assert schedule.names(found)
        at = found


@steady
@given(schedules(), instants, st.integers(0, 50))
def test_no_instant_lies_between_an_instant_and_its_next(schedule, after, percent):
    found = schedule.next(after)
    if found is not None:
        inside = after + (found - after) * percent / 100
        assert inside >= found or schedule.next(inside) == found
        assert not schedule.names(inside.replace(microsecond=0)) or inside.replace(microsecond=0) <= after


@steady
@given(schedules(), instants, st.timedeltas(timedelta(0), timedelta(days=500)), st.integers(0, 60))
def test_between_is_repeated_next(schedule, start, span, limit):
    assert schedule.between(start, start + span, limit) == walk(schedule, start, start + span, limit)


@steady
@given(schedules(), instants, st.integers(0, 12))
def test_between_is_repeated_next_over_a_century(schedule, start, limit):
    end = start + timedelta(days=40_000)
    assert schedule.between(start, end, limit) == walk(schedule, start, end, limit)


@steady
@given(st.sampled_from(ZONES), instants, st.integers(1, 10**6), st.integers(0, 30))
def test_between_is_repeated_next_for_a_fixed_delay(zone, start, period, limit):
    schedule, end = Schedule.parse(f"@after {period}s", timezone=zone), start + timedelta(days=30)
    found = schedule.between(start, end, limit)
    assert found == walk(schedule, start, end, limit)
    assert all(at >= start + (n + 1) * timedelta(seconds=period) for n, at in enumerate(found))


@steady
@given(schedules(), instants)
def test_joined_schedule_is_the_sorted_union_of_its_parts(schedule, start):
    end = start + timedelta(days=60)
    parts = [Schedule(part.text, part.timezone, part.dialect, (part,)) for part in schedule.parts]
    together = sorted({at for part in parts for at in part.between(start, end, 40)})[:40]
    assert schedule.between(start, end, 40) == together
    assert all(schedule.names(at) == any(part.names(at) for part in parts) for at in together)


@steady
@given(schedules(), instants)
def test_decoded_schedule_has_the_same_instants(schedule, after):
    again = Schedule.decode(schedule.encode())
    assert again == schedule
    assert hash(again) == hash(schedule)
    assert again.encode() == schedule.encode()
    assert again.between(after, after + timedelta(days=400), 20) == schedule.between(
        after, after + timedelta(days=400), 20
    )


@steady
@given(schedules())
def test_parsing_the_text_of_a_schedule_gives_an_equal_schedule(schedule):
    anchors = {part.timing.anchor for part in schedule.parts if hasattr(part.timing, "anchor")}
    again = Schedule.parse(
        schedule.text,
        timezone=schedule.timezone,
        dialect=schedule.dialect,
        name=NAME,
        anchor=datetime.fromtimestamp(anchors.pop(), UTC) if anchors else None,
    )
    assert again == schedule


PIECES = (
    "* , - / # ? L W LW H H( H/ ( ) = 0 1 5 7 9 31 60 1970 2199 SUN mon JAN 5L 1#5 15W . : T + % | ~ R \t é ٣ µ @every @after "
    "@manual @daily @reboot CRON_TZ= TZ= UTC Asia/Tokyo cron( rate( at( 5m 1h .5s minutes hour 2026-12-01T09:00:00"
)
TOKENS = st.sampled_from(PIECES.split(" "))


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(
    st.text(alphabet="0123456789*/-,LWH#?RSUNMOJAT@everydaily. ()=\t", max_size=30)
    | st.text(max_size=12)
    | st.lists(TOKENS, max_size=14).map("".join)
    | st.lists(TOKENS, max_size=14).map(" ".join)
    | st.lists(st.lists(TOKENS, min_size=1, max_size=4).map("".join), min_size=5, max_size=6).map(" ".join)
)
def test_any_text_is_a_schedule_or_an_error_with_a_column_within_it(text):
    schedule, error = tried(text)
    if error is None:
        assert Schedule.decode(schedule.encode()) == schedule
        assert schedule.text == text.strip(" \t")
    else:
        assert error.message
        assert error.hint
        assert error.column is None or 0 <= error.column <= len(text)


@steady
@given(texts(), st.integers(0, 200), st.sampled_from("*,-/#?LWH()0123456789 @=|A."), st.booleans())
def test_text_with_one_changed_character_is_a_schedule_or_an_error_with_a_column_within_it(text, at, other, instead):
    at %= len(text) + 1
    changed = text[:at] + other + text[at + instead :]
    schedule, error = tried(changed)
    if error is None:
        assert Schedule.decode(schedule.encode()) == schedule
    else:
        assert error.column is None or 0 <= error.column <= len(changed)


def tried(text):
    """The schedule and None, or None and the error."""
    try:
        return Schedule.parse(text, name=NAME), None
    except ScheduleError as error:
        return None, error
