"""Retries of a call that a store did not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from minutehand.domain.errors import Unavailable

T = TypeVar("T")
TRIES = 4


def retry_when_unavailable(call: Callable[[], T]) -> T:
    """Call until the store answers, `TRIES` times at most. A repeated write finds its own mark and counts as done.

    Raises:
        Unavailable: when the last call is not answered either.
    """
    for _ in range(TRIES - 1):
        try:
            return call()
        except Unavailable:
            continue
    return call()
