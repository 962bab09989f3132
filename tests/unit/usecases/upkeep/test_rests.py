"""Steps of upkeep that find nothing to do rest for a while."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.usecases.upkeep.rests import REST, Rests, Upkept, turn
from tests.unit.domain.examples import at

MINUTE = timedelta(minutes=1)


class Sweeps:
    """Sweeps of a process, each a minute after the one before, and how often their step was done."""

    def __init__(self) -> None:
        self.now: datetime = at("09:00")
        self.done = 0
        self.rests = Rests(lambda: self.now)

    def of(self, minutes: int, result: Upkept) -> int:
        """So many sweeps whose step has this result; how often it was done."""
        before = self.done
        for _ in range(minutes):
            assert self.rests.unless_resting("step", lambda: self._do(result)) in (0, result.moved)
            self.now += MINUTE
        return self.done - before

    def _do(self, result: Upkept) -> Upkept:
        self.done += 1
        return result


def test_a_step_with_nothing_to_do_is_asked_once_a_rest() -> None:
    assert Sweeps().of(30, Upkept(0, more=False)) == 30 * MINUTE / REST


def test_a_step_with_more_to_do_is_done_in_each_sweep_and_rests_after_its_last_one() -> None:
    sweeps = Sweeps()
    assert sweeps.of(3, Upkept(7, more=True)) == 3
    assert sweeps.of(5, Upkept(2, more=False)) == 1


def test_a_step_does_not_rest_for_another() -> None:
    sweeps = Sweeps()
    sweeps.of(1, Upkept(0, more=False))
    assert sweeps.rests.unless_resting("other", lambda: Upkept(3, more=False)) == 3


def test_a_step_that_fails_is_tried_again_by_the_next_sweep() -> None:
    sweeps = Sweeps()

    def fails() -> Upkept:
        raise Unavailable("no answer")

    with pytest.raises(Unavailable):
        sweeps.rests.unless_resting("step", fails)
    assert sweeps.of(1, Upkept(1, more=True)) == 1


def test_a_step_that_looks_at_one_part_each_rest_comes_to_every_part() -> None:
    parts, begun = 10, at("09:00")
    assert {turn(begun + n * REST) % parts for n in range(parts)} == {*range(parts)}
