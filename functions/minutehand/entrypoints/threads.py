"""Threads that do many things side by side, and hold no more of them than they can do."""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
R = TypeVar("R")


class Threads:
    """So many threads, made when they are first needed and kept.

    What is given is taken one by one, as threads come free: it may be endless, and may be read from a slow place meanwhile.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool = ThreadPoolExecutor(max_workers=number)

    def __call__(self, do: Callable[[T], R], given: Iterable[T], /) -> Iterator[R]:
        """What came of each, in order.

        Raises:
            BaseException: what `do` raised, once its turn has come, or `given`. What was begun besides is done before that: a function
                that has answered is frozen, and what is under way then would go on minutes later.
        """
        under_way: deque[Future[R]] = deque()
        busy: set[Future[R]] = set()
        try:
            for one in given:
                under_way.append(self._pool.submit(do, one))
                busy.add(under_way[-1])
                if len(busy) > self._number:
                    # Whichever is done first: one that takes long holds up the answers behind it, and no thread.
                    busy = wait(busy, return_when=FIRST_COMPLETED).not_done
                while under_way and under_way[0].done():
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            wait(under_way)
