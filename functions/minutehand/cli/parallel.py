"""Several calls of the API side by side, their outcomes in the order of what was asked."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TypeVar

from minutehand.client import MinutehandError

T = TypeVar("T")
R = TypeVar("R")

THREADS = 8


def side_by_side(
    work: Callable[[T], R], items: Sequence[T], *, halts: Callable[[MinutehandError], bool] = lambda _: True
) -> Iterator[R | MinutehandError | None]:
    """For each item, in order: what `work` answered, the SDK's error that it raised, or None where it was not begun.

    After an error that `halts` no further item is begun; what is on its way is waited for, so that its outcome is known. So it is
    at a first Ctrl-C, which is raised behind the last outcome. For the main thread alone, since others cannot
    have signals.
    """
    halted = Event()

    def one(item: T) -> R | MinutehandError | None:
        if halted.is_set():
            return None
        try:
            return work(item)
        except MinutehandError as error:
            if halts(error):
                halted.set()
            return error

    with _first_interrupt(halted) as interrupted, ThreadPoolExecutor(THREADS) as pool:
        try:
            for future in [pool.submit(one, item) for item in items]:
                yield future.result()
        finally:
            halted.set()
        if interrupted.is_set():
            raise KeyboardInterrupt


@contextmanager
def _first_interrupt(halted: Event) -> Iterator[Event]:
    """Let a first Ctrl-C set `halted` and the event that is answered, wherever it comes; a second one interrupts as usual."""
    interrupted = Event()
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        interrupted.set()
        halted.set()

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
