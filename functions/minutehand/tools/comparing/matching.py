"""Match the instants of two systems: each run of one belongs to the nearest of the other, if that is near enough. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Matched(NamedTuple):
    """Two lists of instants, matched.

    Attributes:
        pairs: how many were matched.
        here, there: the places, in each list, of those without a partner.
        median, longest: seconds from the other system's instant to ours, of the matched ones: the median, and the one furthest from 0;
            None without a pair.
    """

    pairs: int
    here: Sequence[int]
    there: Sequence[int]
    median: float | None
    longest: float | None


def match(here: Sequence[float], there: Sequence[float], tolerance: float, first: float, last: float) -> Matched:
    """Match instants in order, in seconds. What lies outside `first` to `last` may be a partner, and does not count by itself.

    First those are paired that are each other's nearest, then what is left, in order. So an instant that one side lacks does not move
    the partners of all that follow.
    """
    pairs = [*_nearest(here, there, tolerance)]
    with_partner, its = {n for n, _ in pairs}, {n for _, n in pairs}
    left = [n for n in range(len(here)) if n not in with_partner]
    rest = [n for n in range(len(there)) if n not in its]
    pairs += _in_order(left, rest, here, there, tolerance)
    with_partner, its = {n for n, _ in pairs}, {n for _, n in pairs}
    differences = sorted(here[n] - there[m] for n, m in pairs if first <= here[n] <= last or first <= there[m] <= last)
    inside_here = range(bisect_left(here, first), bisect_right(here, last))
    inside_there = range(bisect_left(there, first), bisect_right(there, last))
    middle = len(differences) // 2
    return Matched(
        pairs=len(differences),
        here=[n for n in inside_here if n not in with_partner],
        there=[n for n in inside_there if n not in its],
        median=(differences[middle] + differences[~middle]) / 2 if differences else None,
        longest=max(differences, key=abs) if differences else None,
    )


def _nearest(here: Sequence[float], there: Sequence[float], tolerance: float) -> Iterator[tuple[int, int]]:
    """The pairs that are each other's nearest."""
    if not there:
        return
    for n, at in enumerate(here):
        m = _nearest_to(at, there)
        if abs(at - there[m]) <= tolerance and _nearest_to(there[m], here) == n:
            yield n, m


def _nearest_to(at: float, others: Sequence[float]) -> int:
    """The place of the instant nearest to `at`; of several, the first."""
    after = bisect_left(others, at)
    if after == 0:
        return 0
    if after == len(others) or at - others[after - 1] <= others[after] - at:
        return bisect_left(others, others[after - 1])
    return after


def _in_order(
    left: Sequence[int], rest: Sequence[int], here: Sequence[float], there: Sequence[float], tolerance: float
) -> Iterator[tuple[int, int]]:
    n = m = 0
    while n < len(left) and m < len(rest):
        difference = here[left[n]] - there[rest[m]]
        if abs(difference) <= tolerance:
            yield left[n], rest[m]
            n, m = n + 1, m + 1
        elif difference < 0:
            n += 1
        else:
            m += 1
