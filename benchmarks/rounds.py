"""Quick things side by side: each in turn, often enough for the clock to tell, and the median of the rounds."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

ROUNDS = 7
LEAST = 0.004
"""Seconds of processor time that a turn lasts at least."""

Clock = Callable[[], float]


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One way to answer questions.

    prepare: what `ask` takes, one for each question; made anew for each pass, and not timed. ask: answers one.
    """

    prepare: Callable[[], Sequence[Any]]
    ask: Callable[[Any], object]


def asking(question: object, ask: Callable[[Any], object]) -> Contender:
    """A contender with one question, the same each time."""
    return Contender(prepare=lambda: [question], ask=ask)


def durations(
    contenders: Mapping[str, Contender], *, rounds: int = ROUNDS, least: float = LEAST, clock: Clock = process_time
) -> dict[str, float]:
    """Seconds that each contender takes for one question: medians of the rounds.

    In each round every contender has a turn of as many passes through its questions as last `least` seconds; the round begins at
    another one each time, so that none always follows the same. The garbage collector rests meanwhile, as in `timeit`.
    """
    passes = {name: math.ceil(least / max(_pass(one, clock), 1e-9)) for name, one in contenders.items()}
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    names = [*contenders]
    for turn in range(rounds):
        begin = turn % len(names)
        for name in names[begin:] + names[:begin]:
            one, times = contenders[name], passes[name]
            questions = len(one.prepare())
            taken[name].append(sum(_pass(one, clock) for _ in range(times)) / times / questions)
    return {name: median(times) for name, times in taken.items()}


def _pass(contender: Contender, clock: Clock) -> float:
    """Seconds that one pass through the questions takes."""
    questions, ask = contender.prepare(), contender.ask
    gc.collect(0)
    gc.disable()
    try:
        began = clock()
        for question in questions:
            ask(question)
        return clock() - began
    finally:
        gc.enable()
