"""The event loop of async handlers: one in each process, in a thread of its own, so that clients and pools outlive a run."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import Any

_LOOK = 0.25
"""Seconds between looks at whether the work must stop."""


class Stopped(Exception):
    """An async handler was cancelled, since its run was, or since its time is over."""


class LoopThread:
    """An event loop in a daemon thread, which starts at first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def call(self, work: Coroutine[Any, Any, Any], *, stop: Callable[[], bool] = lambda: False) -> Any:
        """Run a coroutine in the loop, with the caller's context variables, and wait for its result.

        Raises:
            Stopped: if it ended because `stop` became true.
        """
        loop = self._started()
        begun: list[asyncio.Task[Any]] = []
        done = threading.Event()

        def begin() -> None:
            task = loop.create_task(work)
            task.add_done_callback(lambda _: done.set())
            begun.append(task)

        def cancel() -> None:  # in the loop, and so after `begin`
            begun[0].cancel()

        loop.call_soon_threadsafe(begin, context=contextvars.copy_context())
        stopped = False
        while not done.wait(None if stopped else _LOOK):
            if stop():
                stopped = True
                loop.call_soon_threadsafe(cancel)
        if begun[0].cancelled():
            why = "its run was cancelled, or its time is over" if stopped else "it cancelled itself"
            raise Stopped(f"the handler was cancelled: {why}")
        return begun[0].result()

    def close(self) -> None:
        """Stop the loop. It starts again at the next call."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="handlers", daemon=True)
                self._thread.start()
            return self._loop
