"""Waiting for a call to AWS: until it ends, its time limit is over, or its run is cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, TypeVar

from minutehand.usecases.ports.target import Call

T = TypeVar("T")
CHECK_EVERY = 1.0
"""Seconds between checks whether the run was cancelled."""


class Cancelled(Exception):
    """The run was cancelled."""


class Returned(NamedTuple, Generic[T]):
    """What a function returned."""

    value: T


def within(call: Call, do: Callable[[], T], *, monotonic: Callable[[], float] = time.monotonic) -> T:
    """Call `do` in a thread of its own, and return what it returns, or raise what it raises.

    The thread has the context of this one, so that what `do` stores counts as the run's usage. boto3 has no call that others can end. So `do` may go on in its thread for a while after this has raised; its result is lost.

    Raises:
        TimeoutError: when `call.timeout` is over.
        Cancelled: soon after the run was cancelled.
    """
    ended: SimpleQueue[Returned[T] | BaseException] = SimpleQueue()

    def work() -> None:
        try:
            result = do()
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            ended.put(error)
        else:
            ended.put(Returned(result))

    end = monotonic() + call.timeout.total_seconds()
    threading.Thread(target=copy_context().run, args=(work,), name="aws-call", daemon=True).start()
    while True:
        left = end - monotonic()
        if left <= 0:
            raise TimeoutError
        if call.cancelled():
            raise Cancelled
        try:
            answer = ended.get(timeout=min(left, CHECK_EVERY))
        except Empty:
            continue
        if isinstance(answer, BaseException):
            raise answer
        return answer.value
