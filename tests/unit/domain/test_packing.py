"""Which timers are packed, and which of two timers of a job counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.packing import OFTEN, is_packed
from minutehand.domain.timer import BrokenTimer, in_effect
from tests.unit.domain.examples import KEY, at, compiled, timer


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * * *",
        "*/5 * * * *",
        "@every 5s",
        "0 * * * *",
        "0 */3 * * *",
        "@every 3h",
        "@after 3h",
        "@after 20s",
        "0 8-19 * * 1-5",
    ],
)
def test_a_job_due_every_three_hours_or_more_often_has_a_packed_timer(schedule: str) -> None:
    assert is_packed(compiled(schedule), at("09:00"))


@pytest.mark.parametrize(
    "schedule", ["0 9 * * *", "0 */4 * * *", "@every 3h15m", "@after 3h1m", "0 9-16 * * 1-5", "* 9 24 12 *", "@yearly"]
)
def test_a_job_due_less_often_has_not(schedule: str) -> None:
    assert not is_packed(compiled(schedule), at("09:00"))


def test_the_week_counts_from_the_next_instant_not_from_the_save() -> None:
    assert is_packed(compiled("* * 24 12 *"), at("09:00") + timedelta(days=34))


def test_a_paused_or_finished_job_has_no_packed_timer() -> None:
    assert not is_packed(compiled("* * * * *"), None)
    assert not is_packed("", None)


def test_a_rule_that_ends_soon_names_too_few_instants() -> None:
    rule = compiled("* * * * *")
    assert is_packed(rule + '\n{"end_at":"2026-11-20T09:55:00Z"}', at("09:00"))
    assert not is_packed(rule + '\n{"end_at":"2026-11-20T09:54:00Z"}', at("09:00"))


def test_the_line_is_at_three_hours() -> None:
    assert timedelta(weeks=1) / OFTEN == timedelta(hours=3)


def test_of_two_timers_the_one_of_the_later_revision_counts_even_if_it_is_paused() -> None:
    older, paused = timer("10:00"), timer(None, revision=2)
    assert in_effect([older, paused]) is in_effect([paused, older]) is paused


def test_of_two_timers_of_one_revision_the_one_furthest_ahead_counts() -> None:
    behind, ahead = timer("09:00"), timer("10:00", packed=True)
    assert in_effect([behind, ahead]) is in_effect([ahead, behind]) is ahead


def test_of_two_timers_of_one_revision_one_that_is_due_counts_before_a_finished_one() -> None:
    finished = replace(timer("09:00"), next_at=None)
    assert in_effect([finished, timer("09:00")]).next_at == at("09:00")


def test_a_timer_whose_revision_cannot_be_read_counts_last() -> None:
    broken = BrokenTimer(job=KEY, revision=None, next_at=at("11:00"), problem="?")
    assert in_effect([broken, timer("09:00")]) == timer("09:00")
