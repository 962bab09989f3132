"""An app: the handlers of a package, what is around them, and what their process sets up once."""

import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, Unpack

from minutehand.handlers.arguments import Arguments, arguments_of
from minutehand.handlers.chain import Middleware, check_middlewares, log_run
from minutehand.handlers.declaration import Handler, declared_in
from minutehand.handlers.errors import AppError, InvalidPayload, UnknownHandler, did_you_mean
from minutehand.handlers.job_options import JobOptions
from minutehand.handlers.modules import import_all
from minutehand.handlers.options import check_options

F = TypeVar("F", bound=Callable[..., Any])


class Ready(NamedTuple):
    """A handler that was checked, with what it takes and its middlewares, the outermost first."""

    handler: Handler
    arguments: Arguments
    middlewares: tuple[Middleware, ...]


class App:
    """The handlers that a package declares with `@job`.

    app = App("mypkg", timezone="Europe/Paris", middlewares=[log_run])

    @app.init
    def connect():
        pool = make_pool()
        yield pool          # each run's `context.state`
        pool.close()

    Its modules are imported at first use, all but `__main__` and tests. So an app may be made in any of them.
    """

    def __init__(
        self, package: str, *, middlewares: Sequence[Middleware] = (log_run,), **defaults: Unpack[JobOptions]
    ) -> None:
        """Args:
        package: the package or module with the handlers, such as `__package__`.
        middlewares: calls around all handlers; the first is the outermost.
        defaults: options of `@job` for all its jobs, such as `timezone`; the labels of a job are added to these.
        """
        if not isinstance(package, str) or not package:
            raise AppError("an app needs the name of its package", hint='write App("mypkg") or App(__name__)')
        where = f"App({package!r})"
        self.package = package
        self.middlewares = check_middlewares(where, middlewares)
        self.defaults = check_options(where, defaults)
        self.set_up: Callable[..., Any] | None = None
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"App({self.package!r})"

    def init(self, function: F) -> F:
        """Have a function called once in each process, before its first run. What it returns is each run's `context.state`.

        A function that yields instead goes on when the process ends, and closes what it opened. Both may be async; then they
        run in the event loop of the async handlers.
        """
        if self.set_up is not None:
            raise AppError(f"{self!r} has two init functions", hint="call one from the other")
        if inspect.signature(function).parameters:
            raise AppError(f"the init function {function.__name__} takes arguments", hint="read settings inside of it")
        self.set_up = function
        return function

    @property
    def handlers(self) -> Mapping[str, Ready]:
        """All handlers by name.

        Raises:
            AppError: with everything that is wrong in the app's code.
        """
        with self._lock:
            return self._handlers

    @cached_property
    def _handlers(self) -> Mapping[str, Ready]:
        import_all(self.package)
        found: dict[str, Ready] = {}
        faults: list[AppError] = []
        for handler in declared_in(self.package):
            if handler.name in found:
                message = f"{handler.name} has two handlers: at {found[handler.name].handler.place} and {handler.place}"
                faults.append(AppError(message, hint="rename one of them"))
                continue
            try:
                found[handler.name] = self._checked(handler)
            except AppError as error:
                faults.append(AppError(f"{handler.place}: {error.message}", hint=error.hint))
        if faults:
            raise _together(faults)
        if not found:
            hint = 'decorate functions with @job("name", …), or name the package that has them'
            raise AppError(f"{self.package} has no handlers", hint=hint)
        return found

    def find(self, name: str) -> Ready:
        """The handler of a job, by the job's full name or the handler's own.

        Raises:
            UnknownHandler: naming those that there are.
        """
        found = self.handlers.get(name) or self.handlers.get(name.rpartition("/")[2])
        if found is None:
            known = did_you_mean(name.rpartition("/")[2], self.handlers) or f"it has {', '.join(self.handlers)}"
            hint = f"{known.strip()} Declare it with @job({name.rpartition('/')[2]!r}), or deploy the code that has it"
            raise UnknownHandler(f"{self.package} has no handler for {name!r}", hint=hint)
        return found

    def _checked(self, handler: Handler) -> Ready:
        arguments = arguments_of(handler.function)
        payload = {**self.defaults, **handler.fields}.get("payload")
        if payload is not None:
            try:
                arguments.check(payload)
            except InvalidPayload as error:
                raise AppError(f"the payload of @job({handler.name!r}): {error.message}", hint=error.hint) from None
        return Ready(handler, arguments, (*self.middlewares, *handler.middlewares))


def _together(faults: Sequence[AppError]) -> AppError:
    if len(faults) == 1:
        return faults[0]
    return AppError(f"{len(faults)} mistakes:\n" + "\n".join(f"- {fault}" for fault in faults))
