"""Lazy map over threads, with bounded concurrency."""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
R = TypeVar("R")


class Threads:
    """A pool of threads, created on first use and kept.

    It takes an item of the input only when a thread is free, so the input may be endless or slow.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool = ThreadPoolExecutor(max_workers=number)

    def __call__(self, do: Callable[[T], R], given: Iterable[T], /) -> Iterator[R]:
        """Yield the result of each item, in order.

        Raises:
            BaseException: an error of `do`, at the turn of its item, or of `given`. Running items finish first: Lambda freezes a function
                after its answer, and they would continue minutes later.
        """
        running: deque[Future[R]] = deque()
        busy: set[Future[R]] = set()
        try:
            for one in given:
                running.append(self._pool.submit(do, one))
                busy.add(running[-1])
                if len(busy) > self._number:
                    # Wait for any of them: a slow item delays the results after it, but occupies only its own thread.
                    busy = wait(busy, return_when=FIRST_COMPLETED).not_done
                while running and running[0].done():
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            wait(running)
