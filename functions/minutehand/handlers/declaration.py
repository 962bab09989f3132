"""The decorator `@job`, and the list of all that it declared in this process."""

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Unpack

from minutehand.handlers.chain import Middleware, check_middlewares
from minutehand.handlers.errors import AppError
from minutehand.handlers.job_options import JobOptions
from minutehand.handlers.options import check_options

F = TypeVar("F", bound=Callable[..., Any])

NAME = re.compile(r"([a-z0-9][a-z0-9._-]{0,127}/)?[a-z0-9][a-z0-9._-]{0,127}", re.ASCII)
"""`name` or `namespace/name`, as the API accepts them."""
_DECLARED: dict[tuple[str, int, str], "Handler"] = {}
"""All handlers, by file, line and name."""


@dataclass(frozen=True, kw_only=True)
class Handler:
    """A function that runs jobs.

    Attributes:
        name: the job's name, with or without its namespace. Without it, the handler runs jobs of this name in every namespace.
        fields: the job's fields, as a document has them.
        parents: decorated functions among `depends_on`, by their place in that list.
        middlewares: those of this handler alone, inside of the app's.
        place: file and line of the function.
    """

    name: str
    function: Callable[..., Any]
    fields: Mapping[str, Any]
    parents: Mapping[int, Callable[..., Any]]
    middlewares: tuple[Middleware, ...]
    place: str

    @property
    def module(self) -> str:
        """The name of the function's module."""
        return str(self.function.__module__)

    @property
    def is_async(self) -> bool:
        """Whether the function is `async def`."""
        return inspect.iscoroutinefunction(self.function)

    @property
    def description(self) -> str:
        """The first paragraph of the function's docstring, in one line."""
        return " ".join((inspect.getdoc(self.function) or "").partition("\n\n")[0].split())


def job(name: str, *, middlewares: Sequence[Middleware] = (), **options: Unpack[JobOptions]) -> Callable[[F], F]:
    """Declare a function as the handler of a job. The function itself stays as it is.

    Args:
        name: `namespace/name`, or `name` for a job in the namespace that `minutehand sync` names.
        middlewares: calls around this handler, inside of the app's; the first is the outermost.
        options: the fields of the job as in its YAML (`schedule`, `timezone`, `retry`, …), and `heartbeat`.

    Raises:
        AppError: for a name or an option that cannot be.
    """
    if callable(name):
        hint = 'write @job("reports.nightly", schedule="0 2 * * *")'
        raise AppError("@job has no name", hint=hint)
    where = f"@job({name!r})"
    if not NAME.fullmatch(name):
        near = re.sub(r"[^a-z0-9._/-]+", "-", name.lower()).strip("-._/")
        hint = (
            f"did you mean {near!r}? " if NAME.fullmatch(near) else ""
        ) + "write name or namespace/name; each is 1 to 128 of a-z, 0-9, `.`, `_` and `-`, the first a letter or digit"
        raise AppError(f"{name!r} is not the name of a job", hint=hint)
    parents, entries = _parents(where, options.get("depends_on", ()))
    if entries:
        options["depends_on"] = entries
    fields = check_options(where, options)
    wrappers = check_middlewares(where, middlewares)

    def declare(function: F) -> F:
        _check_function(where, function)
        code = inspect.unwrap(function).__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        made = Handler(name=name, function=function, fields=fields, parents=parents, middlewares=wrappers, place=place)
        _DECLARED[code.co_filename, code.co_firstlineno, name] = made
        return function

    return declare


def declared_in(package: str) -> list[Handler]:
    """All handlers of a package or a module as it is loaded now, in the order of their declaration."""
    return [each for each in _DECLARED.values() if f"{each.module}.".startswith(f"{package}.") and _is_loaded(each)]


def _is_loaded(handler: Handler) -> bool:
    """Whether a handler is not of a module that was loaded again since, after its file had changed."""
    module = sys.modules.get(handler.module)
    return module is not None and inspect.unwrap(handler.function).__globals__ is vars(module)


def _parents(where: str, given: Any) -> tuple[dict[int, Callable[..., Any]], list[Any]]:
    """The decorated functions among `depends_on`, and its entries in the form of a job document."""
    functions: dict[int, Callable[..., Any]] = {}
    entries: list[Any] = []
    if isinstance(given, str | Mapping) or callable(given):
        raise AppError(f"{where}: depends_on is not a list", hint="write depends_on=[extract]")
    for place, entry in enumerate(given):
        parent = entry.get("job") if isinstance(entry, Mapping) else entry
        if callable(parent):
            functions[place] = parent
        entries.append({**(entry if isinstance(entry, Mapping) else {}), "job": "" if callable(parent) else parent})
    return functions, entries


def _check_function(where: str, function: Any) -> None:
    if isinstance(function, staticmethod | classmethod) or not inspect.isfunction(inspect.unwrap(function)):
        kind = f"a {type(function).__name__}"
        raise AppError(
            f"{where} decorates {kind}", hint="decorate a function of a module, written with def or async def"
        )
    inner = inspect.unwrap(function)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        hint = "return the result; report what is done meanwhile with the context's progress()"
        raise AppError(f"{where}: {inner.__name__} yields, but a handler runs once", hint=hint)
