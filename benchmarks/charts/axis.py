"""An axis: from figures to places on the picture, and the marks along it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 5.0, 10.0)
_MARKS = 6
"""How many marks an axis has at most, roughly."""
_WIDE = 100
"""From so many times the least figure on, the powers of ten are marks enough on a logarithmic axis."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Figures from `least` to `most`, laid out from `start` to `end` of the picture."""

    least: float
    most: float
    start: float
    end: float
    marks: tuple[float, ...]
    log: bool = False

    def at(self, figure: float) -> float:
        """Where a figure lies."""
        least, most, here = (math.log10(one) if self.log else one for one in (self.least, self.most, figure))
        return self.start + (here - least) / (most - least) * (self.end - self.start)


def linear(figures: Sequence[float], *, start: float, end: float, from_zero: bool = True) -> Axis:
    """An axis with marks at round figures. What is all zero still has a length."""
    least = 0.0 if from_zero else min(figures)
    most = max(*figures, least) if figures else 1.0
    if most <= least:
        most = least + 1.0
    step = _round_step((most - least) / _MARKS)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    marks = tuple(round(n * step, 10) for n in range(first, last + 1))
    return Axis(least=marks[0], most=marks[-1], start=start, end=end, marks=marks)


def logarithmic(figures: Sequence[float], *, start: float, end: float) -> Axis:
    """An axis on which ten times as much is always as far along; marks at powers of ten, and between them where those are few.

    Raises:
        ValueError: for a figure that is not above zero.
    """
    if min(figures) <= 0:
        raise ValueError(f"{min(figures)} has no place on a logarithmic axis")
    powers = range(math.floor(math.log10(min(figures))), math.ceil(math.log10(max(figures))) + 2)
    places = [digit * 10.0**power for power in powers for digit in _STEPS[:-1]]
    least = max(place for place in places if place <= min(figures) * (1 + 1e-9))
    most = min(place for place in places if place >= max(figures) * (1 - 1e-9) and place > least)
    within = [place for place in places if least <= place <= most]
    wide, tens = most / least >= _WIDE, {10.0**power for power in powers}
    marks = [place for place in within if place in tens] if wide else within
    every = math.ceil(len(marks) / (2 * _MARKS))
    return Axis(least=least, most=most, start=start, end=end, marks=tuple(marks[::every]), log=True)


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))
