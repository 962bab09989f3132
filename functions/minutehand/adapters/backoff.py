"""Exponential backoff with full jitter."""

from __future__ import annotations

from random import SystemRandom

# Not random.uniform: functions restored from one snapshot would all draw the same numbers.
uniform = SystemRandom().uniform

TRIES = 5
"""Most tries of a call that a busy item or table refuses; their pauses take about a second in all."""
PATIENT_TRIES = 10
"""Most tries of a transaction on an item that many others write too; their pauses take three seconds in all, six at most."""
FIRST = 0.1
"""Upper bound of the first random pause, in seconds; doubles with each further one."""
GROWS_UNTIL = 3
"""The turn after which the pauses of many tries grow no more: they take 0.8 s at most."""


def pause_after(turn: int) -> float:
    """The pause after a try that failed, in seconds, drawn between 0 and its longest; `turn` is 0 after the first try.

    Source: "Exponential Backoff And Jitter", AWS Architecture Blog ("full jitter").
    """
    return uniform(0, FIRST * 2**turn)
