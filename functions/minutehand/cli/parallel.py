"""Parallel API calls, with outcomes in the order of the items."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Generic, TypeVar

from minutehand.cli.screen.render import Screen
from minutehand.client import MinutehandError

T = TypeVar("T")
R = TypeVar("R")

THREADS = 8


@dataclass(frozen=True, kw_only=True)
class Outcomes(Generic[R]):
    """The outcomes of calls, in the order of their items: `each` is a result, an error of the SDK, or None if the call was not
    started. `interrupted`: whether Ctrl-C was pressed."""

    each: Sequence[R | MinutehandError | None]
    interrupted: bool

    def end(self) -> None:
        """Raise what stopped the calls: KeyboardInterrupt after Ctrl-C, else the first error."""
        if self.interrupted:
            raise KeyboardInterrupt
        for outcome in self.each:
            if isinstance(outcome, MinutehandError):
                raise outcome

    def results(self) -> list[R]:
        """The results of the calls that succeeded."""
        return [each for each in self.each if each is not None and not isinstance(each, MinutehandError)]


def parallel_results(screen: Screen, what: str, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Call `work` with each item, in parallel and with a progress counter. Returns all results. Raises the first error, or
    KeyboardInterrupt after Ctrl-C."""
    with screen.progress(what, len(items)) as step:
        outcomes = parallel_map(work, items, step=step)
    outcomes.end()
    return outcomes.results()


def parallel_map(
    work: Callable[[T], R],
    items: Sequence[T],
    *,
    step: Callable[[], None],
    stops_at: Callable[[MinutehandError], bool] = lambda _: True,
) -> Outcomes[R]:
    """Call `work` with each item, eight at a time; calls `step` after each item, in order.

    After an error that `stops_at` accepts, or a first Ctrl-C, no further item starts; the calls under way are awaited, so
    their outcomes are known. A second Ctrl-C interrupts. Main thread only, since only it receives signals.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - it loads logging, and most help and errors need neither

    stopped = Event()

    def one(item: T) -> R | MinutehandError | None:
        if stopped.is_set():
            return None
        try:
            return work(item)
        except MinutehandError as error:
            if stops_at(error):
                stopped.set()
            return error

    with _first_interrupt(stopped) as interrupted, ThreadPoolExecutor(THREADS) as pool:
        try:
            outcomes = []
            for future in [pool.submit(one, item) for item in items]:
                outcomes.append(future.result())
                step()
        finally:
            stopped.set()
    return Outcomes(each=outcomes, interrupted=interrupted.is_set())


def parallel_parts(
    work: Callable[[Sequence[T]], Sequence[R | MinutehandError]],
    parts: Sequence[Sequence[T]],
    *,
    step: Callable[[], None],
    stops_at: Callable[[MinutehandError], bool] = lambda _: True,
) -> Outcomes[R]:
    """Call `work` with each part of the items, as `parallel_map` does; it returns an outcome for each item of the part, or raises the error
    of all of them. Calls `step` after each item; after an error that `stops_at` accepts, no further part starts."""
    stopped = Event()
    sizes = iter(map(len, parts))

    def one(part: Sequence[T]) -> Sequence[R | MinutehandError | None]:
        if stopped.is_set():
            return [None] * len(part)
        found: Sequence[R | MinutehandError]
        try:
            found = work(part)
        except MinutehandError as error:
            found = [error] * len(part)
        if any(isinstance(each, MinutehandError) and stops_at(each) for each in found):
            stopped.set()
        return found

    def done() -> None:
        for _ in range(next(sizes)):
            step()

    outcomes = parallel_map(one, parts, step=done)
    each: list[R | MinutehandError | None] = []
    for part, found in zip(parts, outcomes.each, strict=True):
        each += [None] * len(part) if found is None or isinstance(found, MinutehandError) else found
    return Outcomes(each=each, interrupted=outcomes.interrupted)


@contextmanager
def _first_interrupt(stopped: Event) -> Iterator[Event]:
    """Let a first Ctrl-C set `stopped` and the yielded event; a second one interrupts as usual."""
    interrupted = Event()
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        interrupted.set()
        stopped.set()

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
