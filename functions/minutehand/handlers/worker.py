"""The worker of an app in this process: it sets up once, and runs handlers until it is closed."""

import atexit
import inspect
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self

import urllib3

from minutehand.client.transport import CONNECTIONS
from minutehand.handlers.app import App, Ready
from minutehand.handlers.chain import chain
from minutehand.handlers.context import Context, Line, NoLine
from minutehand.handlers.invocation import Invocation
from minutehand.handlers.loops import LoopThread
from minutehand.handlers.outcome import Outcome, failure, success


def _now() -> datetime:
    return datetime.now(UTC)


class Worker:
    """Runs the handlers of an app in this process. Thread-safe: each thread may run one handler at a time.

    Attributes:
        connections: connections to Minutehand's API, shared by the reports of all runs.
    """

    def __init__(self, app: App, *, clock: Callable[[], datetime] = _now) -> None:
        self.app = app
        self.connections = urllib3.PoolManager(maxsize=CONNECTIONS)
        self._clock = clock
        self._loop = LoopThread()
        self._lock = threading.Lock()
        self._closing = ExitStack()
        self._ready = False
        self._state: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, invocation: Invocation, line: Line | None = None) -> Outcome:
        """Run the handler of an invocation. Whatever goes wrong is the outcome's error; only Ctrl-C is raised."""
        try:
            ready = self.app.find(invocation.handler or invocation.job)
            context = Context(
                invocation,
                line or NoLine(),
                state=self.set_up(),
                logger=ready.handler.module,
                clock=self._clock,
            )
            return success(chain(ready.middlewares, context, partial(self._call, ready, context)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the handler's, or one about it
            return failure(error)

    def set_up(self) -> Any:
        """Call the app's init function, unless it was called; return what it made. Raises what the function raises."""
        function = self.app.set_up
        if function is None:
            return None
        with self._lock:
            if not self._ready:
                self._state = self._entered(function)
                self._ready = True
            return self._state

    def close(self) -> None:
        """Let the init function close what it opened, and close the connections. The next run sets up again."""
        with self._lock:
            self._ready, closing = False, self._closing.pop_all()
        closing.close()
        self._loop.close()
        self.connections.clear()

    def _call(self, ready: Ready, context: Context) -> Any:
        arguments = ready.arguments.check(context.payload)
        if ready.arguments.context is not None:
            arguments[ready.arguments.context] = context
        if ready.handler.is_async:
            return self._loop.call(ready.handler.function(**arguments), stop=lambda: context.cancelled)
        return ready.handler.function(**arguments)

    def _entered(self, function: Callable[..., Any]) -> Any:
        if inspect.isasyncgenfunction(function):
            opened = asynccontextmanager(function)()
            state = self._loop.call(opened.__aenter__())
            self._closing.callback(lambda: self._loop.call(opened.__aexit__(None, None, None)))
            return state
        if inspect.isgeneratorfunction(function):
            return self._closing.enter_context(contextmanager(function)())
        if inspect.iscoroutinefunction(function):
            return self._loop.call(function())
        return function()


_WORKERS: dict[tuple[int, int], Worker] = {}
_WORKERS_LOCK = threading.Lock()


def worker_of(app: App) -> Worker:
    """The worker of an app in this process; a forked process gets its own."""
    key = os.getpid(), id(app)
    with _WORKERS_LOCK:
        if key not in _WORKERS:
            _WORKERS[key] = Worker(app)
            atexit.register(_WORKERS[key].close)
        return _WORKERS[key]


def run(app: App, invocation: Invocation, line: Line | None = None) -> Outcome:
    """Run the handler of an invocation in this process; see `Worker.run`."""
    return worker_of(app).run(invocation, line)
