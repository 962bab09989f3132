"""Which run of one scheduler is which of the other."""

from __future__ import annotations

from random import Random

import pytest

from minutehand.tools.comparing.matching import match


def matched(here: list[float], there: list[float], tolerance: float = 60) -> tuple[int, list[float], list[float]]:
    found = match(here, there, tolerance, 0, 10_000)
    return found.pairs, [here[n] for n in found.here], [there[n] for n in found.there]


@pytest.mark.parametrize(
    ("here", "there", "wanted"),
    [
        ([], [], (0, [], [])),
        ([60], [], (0, [60], [])),
        ([], [60], (0, [], [60])),
        ([60, 120], [61, 121], (2, [], [])),
        ([120, 180], [60, 120, 180], (2, [], [60])),
        ([60, 120, 240], [61, 121, 181, 241], (3, [], [181])),
        ([60, 60], [60, 60], (2, [], [])),
        ([60, 60], [60], (1, [60], [])),
        ([60], [121], (0, [60], [121])),
        ([60], [120], (1, [], [])),
    ],
)
def test_runs_near_each_other_are_one(
    here: list[float], there: list[float], wanted: tuple[int, list[float], list[float]]
) -> None:
    assert matched(here, there) == wanted


def test_a_tolerance_longer_than_the_interval_does_not_shift_the_rest() -> None:
    there = [float(at) for at in range(0, 3600, 10)]
    assert matched(there[1:], there, tolerance=60) == (359, [], [0.0])
    assert matched(there[:100] + there[101:], there, tolerance=60) == (359, [], [1000.0])


def test_the_median_and_the_furthest_difference_count_from_the_other_system() -> None:
    found = match([62, 119, 183, 250], [60, 120, 180, 240], 30, 0, 300)
    assert (found.median, found.longest) == (2.5, 10)
    assert match([50, 119], [60, 120], 30, 0, 300).longest == -10
    assert match([], [60], 30, 0, 300).median is None


def test_a_partner_may_lie_just_outside_and_nothing_else_outside_counts() -> None:
    found = match([95, 199, 320], [101, 205, 330], 10, 100, 200)
    assert (found.pairs, found.here, found.there) == (2, [], [])
    assert match([95, 320], [330], 1, 100, 200)[:3] == (0, [], [])


def test_each_instant_has_one_partner_at_most_and_none_is_lost() -> None:
    random = Random(7)
    for _ in range(300):
        here, there = (sorted(random.uniform(0, 100) for _ in range(random.randint(0, 12))) for _ in range(2))
        found = match(here, there, random.choice([1, 5, 50]), 0, 100)
        assert (len(here) - len(found.here), len(there) - len(found.there)) == (found.pairs, found.pairs)
