"""What holds for every schedule, zone and instant."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.oracle import random_job, seeded

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

steady = settings(max_examples=80, deadline=None, derandomize=True, database=None)
instants = st.datetimes(datetime(1975, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - Hypothesis adds the zone


@st.composite
def schedules(draw):
    random, zone = seeded(draw(st.integers(0, 2**32))), draw(st.sampled_from(ZONES))
    if draw(st.integers(0, 9)) == 0:
        anchor = draw(instants).replace(microsecond=0)
        return Schedule.parse(f"@every {random.randint(1, 10**6)}s", timezone=zone, anchor=anchor)
    try:
        return Schedule.parse(random_job(random, with_seconds=draw(st.booleans())).text, timezone=zone)
    except ScheduleError:  # a date that never comes
        return Schedule.parse("0 0 1 * *", timezone=zone)


@steady
@given(schedules(), instants)
def test_next_is_strictly_later_whole_seconds_and_named(schedule, after):
    at = after
    for _ in range(6):
        found = schedule.next(at)
        assert found > at
        assert found.microsecond == 0
        assert found.tzinfo is UTC
        assert schedule.names(found)
        at = found


@steady
@given(schedules(), instants, st.integers(0, 50))
def test_nothing_lies_between_an_instant_and_the_next(schedule, after, percent):
    found = schedule.next(after)
    inside = after + (found - after) * percent / 100
    assert inside >= found or schedule.next(inside) == found


@steady
@given(schedules(), instants, st.timedeltas(timedelta(0), timedelta(days=500)), st.integers(0, 60))
def test_between_is_repeated_next(schedule, start, span, limit):
    walked, at = [], start
    while len(walked) < limit and (at := schedule.next(at)) is not None and at <= start + span:
        walked.append(at)
    assert schedule.between(start, start + span, limit) == walked


@steady
@given(schedules(), instants)
def test_a_stored_schedule_gives_the_same_instants(schedule, after):
    again = Schedule.decode(schedule.encode())
    assert again == schedule
    assert again.between(after, after + timedelta(days=400), 20) == schedule.between(
        after, after + timedelta(days=400), 20
    )


@steady
@given(schedules())
def test_parsing_a_schedules_own_text_gives_it_again(schedule):
    again = Schedule.parse(schedule.text, timezone=schedule.timezone, dialect=schedule.dialect)
    assert (again.text, again.timezone) == (schedule.text, schedule.timezone)
    assert schedule.text.startswith("@every") or again == schedule


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(st.text(alphabet="0123456789*/-,LWH#?RSUNMOJAT@everydaily. ()=\t", max_size=30) | st.text(max_size=12))
def test_any_text_is_a_schedule_or_an_error_with_a_place_inside_it(text):
    error = refusal_of(text)
    if error is None:
        assert Schedule.parse(text).next(datetime(2026, 11, 20, tzinfo=UTC)) is not None
    else:
        assert error.message
        assert error.hint
        assert error.column is None or 0 <= error.column <= len(text)


def refusal_of(text):
    try:
        Schedule.parse(text)
    except ScheduleError as error:
        return error
    return None
