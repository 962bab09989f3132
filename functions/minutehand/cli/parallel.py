"""Several calls of the API side by side, their outcomes in the order of what was asked."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Generic, TypeVar

from minutehand.client import MinutehandError

T = TypeVar("T")
R = TypeVar("R")

THREADS = 8


@dataclass(frozen=True, kw_only=True)
class Outcomes(Generic[R]):
    """For each item, in order: what the work answered, the SDK's error that it raised, or None where it was not begun; and whether
    Ctrl-C came."""

    each: Sequence[R | MinutehandError | None]
    interrupted: bool


def parallel_map(
    work: Callable[[T], R],
    items: Sequence[T],
    *,
    step: Callable[[], None],
    pauses: Callable[[MinutehandError], bool] = lambda _: True,
) -> Outcomes[R]:
    """Do the work for each item, calling `step` after each, in order.

    After an error that `halts`, and after a first Ctrl-C, no further item is begun; what is on its way is waited for, so that its
    outcome is known. A second Ctrl-C interrupts. For the main thread alone, since others cannot have signals.
    """
    pause_text = Event()

    def one(item: T) -> R | MinutehandError | None:
        if pause_text.is_set():
            return None
        try:
            return work(item)
        except MinutehandError as error:
            if pauses(error):
                pause_text.set()
            return error

    with _first_interrupt(pause_text) as interrupted, ThreadPoolExecutor(THREADS) as pool:
        try:
            outcomes = []
            for future in [pool.submit(one, item) for item in items]:
                outcomes.append(future.result())
                step()
        finally:
            pause_text.set()
    return Outcomes(each=outcomes, interrupted=interrupted.is_set())


@contextmanager
def _first_interrupt(pause_text: Event) -> Iterator[Event]:
    """Let a first Ctrl-C set `halted` and the event that is answered, wherever it comes; a second one interrupts as usual."""
    interrupted = Event()
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        interrupted.set()
        pause_text.set()

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
