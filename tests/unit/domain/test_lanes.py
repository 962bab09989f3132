"""Which lane a job's runs take, and when that changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.lanes import PROBATION, SLOW, is_slow, slow_until_after, slow_until_of
from minutehand.targets.http.fields import HttpTarget
from tests.unit.domain.examples import SECOND, at, definition, job

NOW = at("09:00")
QUICK = SECOND


def test_a_new_job_starts_in_the_slow_lane_and_leaves_it_with_its_first_quick_call() -> None:
    until = slow_until_of(job(), None, NOW)
    assert until == NOW
    assert is_slow(replace(definition(), slow_until=until))
    assert slow_until_after(until, QUICK, NOW) is None


def test_a_job_whose_calls_cannot_be_slow_is_never_in_the_slow_lane() -> None:
    assert slow_until_of(job(timeout=SLOW), None, NOW) is None
    assert slow_until_of(job(timeout=SLOW + SECOND), None, NOW) == NOW
    assert not is_slow(replace(definition(timeout=SLOW), slow_until=NOW))


def test_a_definition_without_a_lane_is_quick() -> None:
    assert not is_slow(definition())


@pytest.mark.parametrize(
    ("fields", "starts_anew"),
    [
        ({}, False),
        ({"schedule": "0 9 * * *"}, False),
        ({"timeout": timedelta(minutes=2)}, True),
        ({"target": HttpTarget(url="https://elsewhere.example.com")}, True),
    ],
    ids=["nothing", "the schedule", "the time limit", "the target"],
)
def test_an_edit_of_target_or_time_limit_has_the_job_start_in_the_slow_lane_again(fields, starts_anew) -> None:
    before = definition()
    assert slow_until_of(job(**fields), before, NOW) == (NOW if starts_anew else None)
    slow = replace(before, slow_until=at("09:05"))
    assert slow_until_of(job(**fields), slow, NOW) == (NOW if starts_anew else at("09:05"))


def test_a_deleted_job_that_is_made_again_is_new() -> None:
    assert slow_until_of(job(), definition(deleted=True), NOW) == NOW


def test_a_slow_call_keeps_a_job_in_the_slow_lane_for_a_while() -> None:
    until = slow_until_after(None, SLOW + SECOND, NOW)
    assert until == NOW + PROBATION
    assert slow_until_after(until, QUICK, until - SECOND) == until, "a quick call between slow ones changes nothing"
    assert slow_until_after(until, QUICK, until) is None


def test_further_slow_calls_change_nothing_for_half_that_time() -> None:
    until = slow_until_after(None, SLOW + SECOND, NOW)
    assert slow_until_after(until, SLOW + SECOND, NOW + PROBATION / 2) == until
    later = NOW + PROBATION / 2 + SECOND
    assert slow_until_after(until, SLOW + SECOND, later) == later + PROBATION


def test_a_quick_call_of_a_quick_job_changes_nothing() -> None:
    assert slow_until_after(None, SLOW, NOW) is None
