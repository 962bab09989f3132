"""Trying again what a store did not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from minutehand.domain.errors import Unavailable

T = TypeVar("T")
_TRIES = 4


def again(call: Callable[[], T]) -> T:
    """Call until the store answers, a few times: a repeated write finds its own mark and counts as done.

    Raises:
        Unavailable: the last time.
    """
    for _ in range(_TRIES - 1):
        try:
            return call()
        except Unavailable:
            continue
    return call()
