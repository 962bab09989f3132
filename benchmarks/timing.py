"""Processor time of short functions, measured in turn."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any, TypeVar

T = TypeVar("T")

ROUNDS = 7
LEAST = 0.004
"""Seconds of processor time in a turn, at least: shorter ones are below the clock's resolution."""


@dataclass(frozen=True, kw_only=True)
class Contender:
    """A function to time.

    Attributes:
        prepare: makes its arguments, one for each call; not timed.
        ask: the function.
    """

    prepare: Callable[[], Sequence[Any]]
    ask: Callable[[Any], object]


def asking(argument: object, ask: Callable[[Any], object]) -> Contender:
    """A contender with one argument, the same each time."""
    return Contender(prepare=lambda: [argument], ask=ask)


def durations(contenders: Mapping[str, Contender], *, rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of processor time for one call: medians of the rounds.

    In each round every contender has a turn of at least `LEAST` seconds. Each round starts with another one, so that none
    always follows the same.
    """
    passes = {name: math.ceil(LEAST / max(_pass(one), 1e-9)) for name, one in contenders.items()}
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds):
        for name in rotated([*contenders], turn):
            one, times = contenders[name], passes[name]
            calls = len(one.prepare())
            taken[name].append(sum(_pass(one) for _ in range(times)) / times / calls)
    return {name: median(times) for name, times in taken.items()}


def rotated(items: Sequence[T], turn: int) -> Sequence[T]:
    """The items, starting with another one in each turn."""
    first = turn % len(items)
    return [*items[first:], *items[:first]]


def _pass(contender: Contender) -> float:
    """Seconds of one call with each argument. The garbage collector is off, as in `timeit`."""
    arguments, ask = contender.prepare(), contender.ask
    gc.collect(0)
    gc.disable()
    try:
        began = process_time()
        for argument in arguments:
            ask(argument)
        return process_time() - began
    finally:
        gc.enable()
