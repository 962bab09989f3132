"""Contenders take turns, and only their answers are timed."""

from __future__ import annotations

import gc

import pytest
from benchmarks.rounds import Contender, asking, durations


class Clock:
    """Stands still until somebody works."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


def test_the_duration_of_one_question_is_told_whatever_the_passes():
    clock = Clock()
    contenders = {
        "slow": Contender(prepare=lambda: [2.0, 4.0], ask=clock.work),
        "quick": asking(0.25, clock.work),
    }
    assert durations(contenders, least=1.0, clock=clock) == {"slow": 3.0, "quick": 0.25}


def test_preparing_is_not_timed_and_done_for_every_pass():
    clock, prepared = Clock(), []

    def prepare() -> list[float]:
        clock.work(100)
        prepared.append(True)
        return [1.0]

    assert durations({"one": Contender(prepare=prepare, ask=clock.work)}, rounds=3, least=2.0, clock=clock) == {
        "one": 1.0
    }
    assert len(prepared) >= 1 + 3 * 2


def test_an_outlier_moves_nothing():
    clock = Clock()
    takes = iter([1.0, 1.0, 50.0, 2.0])
    assert durations({"one": asking(None, lambda _: clock.work(next(takes)))}, rounds=3, least=1.0, clock=clock) == {
        "one": 2.0
    }


def test_each_round_begins_at_another_one():
    clock, turns = Clock(), []

    def turn(name: str) -> None:
        turns.append(name)
        clock.work(1)

    durations({name: asking(name, turn) for name in "abc"}, rounds=3, least=1.0, clock=clock)
    assert "".join(turns[3:]) == "abcbcacab"


def test_the_collector_works_again_when_an_answer_fails():
    with pytest.raises(ZeroDivisionError):
        durations({"one": asking(0, lambda zero: 1 / zero)})
    assert gc.isenabled()
