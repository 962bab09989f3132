"""Lazy map with bounded concurrency."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Barrier, Event, Timer

import pytest

from minutehand.entrypoints.tick import Threads


def test_as_many_items_run_at_once_as_there_are_threads() -> None:
    meeting = Barrier(3, timeout=10)  # nobody passes before all three are there
    assert [*Threads(3)(lambda n: (meeting.wait() >= 0, n), range(6))] == [(True, n) for n in range(6)]


def test_at_most_one_more_item_is_taken_than_there_are_threads() -> None:
    taken: list[int] = []
    finished: list[int] = []
    under_way: list[int] = []
    go = Event()

    def given() -> Iterator[int]:
        for number in range(100):
            under_way.append(len(taken) - len(finished))
            taken.append(number)
            yield number

    def do(number: int) -> int:
        go.wait(10)
        finished.append(number)
        return number

    Timer(0.05, go.set).start()
    assert [*Threads(2)(do, given())] == [*range(100)]
    assert max(under_way) == 2, "before the third, or any other, is taken"


def test_a_slow_item_does_not_block_the_others() -> None:
    """A group that waits for a busy table while others could run."""
    go = Event()

    def do(number: int) -> int:
        if number == 0:
            assert go.wait(10), "the last one has never begun"
        elif number == 20:
            go.set()
        return number

    assert [*Threads(2)(do, range(21))] == [*range(21)]


def test_an_error_is_raised_in_the_order_of_the_items() -> None:
    done = Threads(2)(lambda number: 1 // number, [1, 0])
    assert next(done) == 1
    with pytest.raises(ZeroDivisionError):
        next(done)


def test_running_items_finish_before_an_error_of_the_input_is_raised() -> None:
    begun, go = Event(), Event()
    finished: list[int] = []

    def do(number: int) -> None:
        begun.set()
        go.wait(10)
        finished.append(number)

    def given() -> Iterator[int]:
        yield 1
        begun.wait(10)
        Timer(0.05, go.set).start()
        raise RuntimeError("out of its mind")

    with pytest.raises(RuntimeError):
        next(Threads(2)(do, given()))
    assert finished == [1]
