"""Libraries are asked the same questions, and what they cannot answer, or answer otherwise, is said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from benchmarks import peers
from benchmarks.comparing import compared, difference, instants
from benchmarks.expressions import HOSTILE, LATE, STEPPED, USUAL, ZONES, CannotError, apscheduler_fields
from benchmarks.rounds import Contender
from benchmarks.schedules import refusal, shortened, steppers
from benchmarks.timers import tenant

from minutehand.schedule import Schedule

ASKED = instants(5)
FIELDS = ("second", "minute", "hour", "day", "month", "day_of_week")


def agreeing(text, zone, asked):
    return Contender(prepare=lambda: asked, ask=Schedule.parse(text, timezone=zone).next)


def a_second_late(text, zone, asked):
    schedule = Schedule.parse(text, timezone=zone)
    return Contender(prepare=lambda: asked, ask=lambda at: schedule.next(at).replace(second=1))


def without_the_words(text, zone, asked):
    raise CannotError("it has no such word")


def broken(text, zone, asked):
    raise KeyError(text)


def test_a_library_that_agrees_has_a_ratio_and_no_remark():
    case = compared("0 9 * * *", "UTC", ASKED, {"it": agreeing})
    assert case.remarks == []
    assert case.ours > 0
    assert case.ratios["it"] > 0


def test_one_that_answers_otherwise_is_named_beside_its_ratio():
    case = compared("0 9 * * *", "UTC", ASKED, {"it": a_second_late})
    [remark] = case.remarks
    assert remark.startswith("it answers `0 9 * * *` in UTC otherwise 5 times in 5, first after ")
    assert "T09:00:01Z, where ours is " in remark
    assert case.ratios["it"] is not None


@pytest.mark.parametrize(
    ("make", "why"), [(without_the_words, "it has no such word."), (broken, "KeyError: '0 9 * * *'.")]
)
def test_one_that_cannot_has_no_figure_but_a_reason(make, why):
    case = compared("0 9 * * *", "UTC", ASKED, {"it": make})
    assert case.ratios == {"it": None}
    assert case.remarks == [f"it has no figure for `0 9 * * *` in UTC: {why}"]


def test_answers_that_agree_differ_in_nothing_and_none_is_an_answer():
    at = datetime(2026, 1, 1, tzinfo=UTC)
    assert difference([at, at], [at, None], [at, None]) == ""
    assert (
        difference([at], [at], [None])
        == "1 times in 1, first after 2026-01-01T00:00:00Z: None, where ours is 2026-01-01T00:00:00Z"
    )


def test_instants_are_the_same_for_all_and_each_time():
    assert instants(50) == instants(50)
    assert all(at.tzinfo is UTC and not at.microsecond for at in instants(50))


@pytest.mark.parametrize("name", peers.PEERS)
@pytest.mark.parametrize("text", ["*/5 * * * *", "*/10 * * * * *", "0 9 * * MON#1", "0 0 L * *", "0 9-17 * * MON-FRI"])
def test_every_library_is_asked_what_ours_is(name, text):
    contender = peers.PEERS[name](text, "Asia/Tokyo", ASKED)
    answers = [contender.ask(question) for question in contender.prepare()]
    schedule = Schedule.parse(text, timezone="Asia/Tokyo")
    assert answers == [schedule.next(at) for at in ASKED]


def test_an_instant_that_fits_is_never_the_answer():
    at = datetime(2026, 1, 1, 9, tzinfo=UTC)
    for make in peers.PEERS.values():
        contender = make("0 9 * * *", "UTC", [at])
        assert [contender.ask(question) for question in contender.prepare()] == [at.replace(day=2)]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("0 9 * * MON-FRI", ("0", "0", "9", "*", "*", "MON-FRI")),
        ("*/10 * * * * *", ("*/10", "*", "*", "*", "*", "*")),
        ("0 0 L * *", ("0", "0", "0", "last", "*", "*")),
        ("0 9 * * MON#2", ("0", "0", "9", "2nd MON", "*", "*")),
    ],
)
def test_a_crontab_in_the_words_of_apscheduler(text, fields):
    assert apscheduler_fields(text) == dict(zip(FIELDS, fields, strict=True))


def test_a_date_or_a_weekday_cannot_be_said_to_apscheduler():
    with pytest.raises(CannotError, match="and"):
        apscheduler_fields("0 12 1,15 * FRI")


@pytest.mark.parametrize("zone", ZONES)
def test_steps_through_a_span_are_the_same_on_both_sides(zone):
    ours, theirs = steppers(STEPPED[2].text, zone, occurrences=400)
    mine, others = (by.ask(by.prepare()[0]) for by in (ours, theirs))
    assert len(mine) == 400
    assert mine == others


def test_every_hostile_text_is_refused_and_no_usual_one_is():
    assert all(refusal(text) for text in (*HOSTILE.values(), LATE))
    assert not any(refusal(one.text) for one in USUAL)


def test_a_long_message_is_cut_and_breaks_no_table():
    assert shortened("a|b" * 30, most=10) == "a¦ba¦ba¦b…"
    assert shortened("short") == "short"


def test_a_tenant_has_what_it_says_and_the_same_each_time():
    one = tenant(timers=300, texts=40)
    assert one == tenant(timers=300, texts=40)
    held = [Schedule.decode(stored) for stored in one.stored]
    assert len(held) == 300
    assert len({schedule.text for schedule in held}) == one.texts
    assert len({schedule.timezone for schedule in held}) == one.zones
    assert len({(schedule.text, schedule.timezone) for schedule in held}) == one.pairs
    assert all(Schedule.parse(schedule.text, timezone=schedule.timezone) == schedule for schedule in held)
