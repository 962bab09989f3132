"""The use of a quota: places in minutes, and how long a number of jobs counts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.quota import MINUTE, NO_PACE, REACH, SPREAD, JobCount, Pace, Place, Quota, held, minute_of
from tests.unit.domain.examples import at

HOUR = timedelta(hours=1)
QUOTA = Quota(jobs=5, jobs_since=at("09:00"))


def clock(place: Place | None) -> str | None:
    return None if place is None or place.minute is None else f"{place.minute:%H:%M}"


@pytest.mark.parametrize(
    ("taken", "minute"), [(1, "09:00"), (3, "09:00"), (4, "09:01"), (6, "09:01"), (15, "09:04"), (16, None)]
)
def test_places_are_given_out_minute_by_minute_within_reach(taken: int, minute: str | None) -> None:
    assert clock(Pace(at("09:00"), taken).last(3)) == minute


def test_beyond_reach_a_run_waits_until_further_places_are_given_out() -> None:
    assert Pace(at("09:00"), 1000).last(3) == Place(None, at("09:00") + REACH * MINUTE)


@pytest.mark.parametrize(
    ("taken", "now", "over"),
    [
        (3, "09:00", False),
        (3, "09:01", True),
        (4, "09:01", False),
        (4, "09:02", True),
        (16, "09:04", False),
        (16, "09:05", True),
        (1, "08:59", False),
    ],
)
def test_counting_begins_anew_once_every_place_is_in_the_past(taken: int, now: str, over: bool) -> None:
    assert Pace(at("09:00"), taken).is_over(3, at(now)) is over


def test_before_the_first_place_counting_begins() -> None:
    assert NO_PACE.is_over(3, at("09:00"))
    assert NO_PACE.last(3) is None
    assert (NO_PACE.taken_in(at("09:00"), 3), NO_PACE.free_at(at("09:00"), 3)) == (0, at("09:00"))


@pytest.mark.parametrize(
    ("taken", "now", "used", "free"),
    [
        (2, "09:00", 2, "09:00"),
        (3, "09:00", 3, "09:01"),
        (5, "09:00", 3, "09:01"),
        (5, "09:01", 2, "09:01"),
        (6, "09:01", 3, "09:02"),
        (99, "09:03", 3, "09:05"),
        (99, "09:05", 0, "09:05"),
        (2, "09:30", 0, "09:30"),
        (2, "08:59", 0, "09:00"),
    ],
)
def test_the_use_of_a_minute_and_the_next_free_place(taken: int, now: str, used: int, free: str) -> None:
    pace = Pace(at("09:00"), taken)
    assert (pace.taken_in(at(now), 3), pace.free_at(at(now), 3)) == (used, at(free))


def test_a_place_is_held_until_its_minute_is_over() -> None:
    assert held(None, at("09:00")) is None
    assert held(at("09:02"), at("09:00")) == held(at("09:02"), at("09:02:59.999")) == Place(at("09:02"), at("09:02"))
    assert held(at("09:02"), at("09:03")) is None


def test_runs_that_waited_are_spread_over_the_beginning_of_their_minute() -> None:
    waits = {Place(at("09:02"), at("09:02")).wait(of=f"receipt {n}") for n in range(200)}
    assert len(waits) == SPREAD
    assert {minute_of(each) for each in waits} == {at("09:02")}


@pytest.mark.parametrize(
    ("counted", "now", "counts"),
    [
        ("08:59", "09:00", False),
        ("09:00", "09:00:59", True),
        ("09:00:30", "09:01", False),
        ("09:01", "10:00:59", True),
        ("09:01", "10:01", False),
    ],
)
def test_a_number_of_jobs_counts_for_an_hour_once_no_save_from_before_the_quota_goes_on(
    counted: str, now: str, counts: bool
) -> None:
    assert JobCount(3, at(counted)).counts(QUOTA, at(now)) is counts


def test_a_quota_keeps_since_when_it_limits_jobs() -> None:
    first = Quota(jobs=3).since(Quota(), at("09:00"))
    assert first.jobs_since == at("09:00")
    assert Quota(jobs=9).since(first, at("10:00")).jobs_since == at("09:00")
    assert Quota(concurrency=1).since(first, at("10:00")) == Quota(concurrency=1)
