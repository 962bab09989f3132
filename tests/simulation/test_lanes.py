"""Calls that hang delay no other namespace; and each rule of the lanes, broken on purpose, is noticed."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain import lanes
from minutehand.domain.definition import Definition
from minutehand.usecases.definitions import revise
from minutehand.usecases.running import execute, slow_calls
from minutehand.usecases.running.slow_calls import SlowCalls
from tests.simulation.hogs import Hog, Hogs, delayed_by_others
from tests.simulation.mutations import Mutation, Patch, assert_noticed

SEEDS = range(2 * len(Hog), 4 * len(Hog))
"""Where a crowd turns, about one history in ten has calls that hang in the quick lane for a second minute; not these."""
pytestmark = pytest.mark.thorough


def hogged(seed: int) -> list[str]:
    history = Hogs(seed)
    history.play()
    return delayed_by_others(history)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed}-{list(Hog)[seed % len(Hog)].name}")
def test_calls_that_hang_delay_no_job_of_another_namespace(seed: int) -> None:
    assert not hogged(seed)


def everything_in_the_quick_lane(patch: Patch) -> None:
    patch.setattr(slow_calls, "is_slow", lambda _: False)
    patch.setattr(SlowCalls, "suspects", lambda *_: False)


def new_jobs_that_start_in_the_quick_lane(patch: Patch) -> None:
    patch.setattr(revise, "slow_until_of", lambda _job, before, _now: before and before.slow_until)


def slow_calls_that_are_stored_at_their_end(patch: Patch) -> None:
    patch.setattr(slow_calls.Timing, "asking", lambda _self, cancelled: cancelled)


def slow_calls_that_nobody_stores(patch: Patch) -> None:
    patch.setattr(slow_calls, "slow_until_after", lambda slow_until, *_: slow_until and None)


def a_lane_that_only_the_timer_knows(patch: Patch) -> None:
    patch.setattr(SlowCalls, "suspects", lambda *_: False)


def a_namespace_that_nobody_suspects(patch: Patch) -> None:
    def suspects(_self: SlowCalls, definition: Definition, _now: Any) -> bool:
        return lanes.is_slow(definition)

    patch.setattr(SlowCalls, "suspects", suspects)


@pytest.mark.parametrize(
    "mutation",
    [
        everything_in_the_quick_lane,
        new_jobs_that_start_in_the_quick_lane,
        slow_calls_that_are_stored_at_their_end,
        slow_calls_that_nobody_stores,
        a_lane_that_only_the_timer_knows,
        a_namespace_that_nobody_suspects,
    ],
    ids=lambda mutation: mutation.__name__,
)
def test_a_broken_rule_delays_the_healthy_job(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, hogged, first=SEEDS.start, histories=len(SEEDS))


def a_message_that_is_deleted_although_the_slow_lane_has_none(patch: Patch) -> None:
    right = slow_calls.move_slow

    def move(batch: Any, runs: Any, definitions: Any, known: Any, ports: Any) -> Any:
        nowhere = ports._replace(outbox=type("Nowhere", (), {"send": lambda _self, sent: [True] * len(sent)})())
        return right(batch, runs, definitions, known, nowhere)

    patch.setattr(execute, "move_slow", move)


def test_a_message_that_is_lost_on_its_way_to_the_slow_lane_is_noticed(monkeypatch: Patch) -> None:
    assert_noticed(a_message_that_is_deleted_although_the_slow_lane_has_none, monkeypatch, histories=300)
