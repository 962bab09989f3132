"""Concurrent calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def together(call: Callable[[int], T], times: int = 8) -> list[T]:
    """The results of `call(0)`, `call(1)` …, all started at once."""
    barrier = threading.Barrier(times)

    def wait_and_call(number: int) -> T:
        barrier.wait()
        return call(number)

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(wait_and_call, range(times)))
