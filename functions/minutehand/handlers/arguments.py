"""The arguments of a handler: what its signature takes, and what a payload gives it."""

import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple, get_type_hints

from minutehand.handlers.context import Context
from minutehand.handlers.errors import AppError, InvalidPayload, did_you_mean
from minutehand.handlers.values import Kind, Wrong, kind_of

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Arguments(NamedTuple):
    """What a handler takes.

    Attributes:
        label: the function's name, for messages.
        context: name of the parameter that takes the run's context; None without one.
        kinds: the kinds of the other parameters, by name.
        needed: the parameters without a default.
        others: the kind of further arguments (`**others`); None if there may be none.
    """

    label: str
    context: str | None
    kinds: Mapping[str, Kind]
    needed: tuple[str, ...]
    others: Kind | None

    def check(self, payload: Any) -> dict[str, Any]:
        """The keyword arguments that a payload gives.

        A handler that takes the context and nothing else may have any payload.

        Raises:
            InvalidPayload: naming every argument that is wrong.
        """
        if self.context is not None and not self.kinds and self.others is None:
            return {}
        if payload is None:
            payload = {}
        if not isinstance(payload, dict):
            names = ", ".join(self.kinds) or "no arguments"
            message = f"the payload of {self.label} is {type(payload).__name__}, not an object"
            raise InvalidPayload(message, hint=f"write an object; {self.label} takes {names}")
        faults, given = [], {}
        for name, value in payload.items():
            kind = self.kinds.get(name, self.others)
            if kind is None:
                takes = did_you_mean(name, self.kinds) or f"it takes {', '.join(self.kinds) or 'none'}"
                faults.append(f"{self.label} takes no argument {name!r}; {takes.strip()}")
                continue
            try:
                given[name] = kind.convert(value, name)
            except Wrong as fault:
                faults.append(f"argument {fault}")
        faults += [
            f"argument {name} is missing; write {self.kinds[name].right}" for name in self.needed if name not in payload
        ]
        if faults:
            raise InvalidPayload("\n".join(faults))
        return given


def arguments_of(function: Callable[..., Any]) -> Arguments:
    """Read the signature of a handler.

    Raises:
        AppError: for a parameter without annotation, or one that a JSON object cannot give.
    """
    label = function.__name__
    parameters = inspect.signature(function).parameters
    hints = _hints(function, parameters)
    context, others = None, None
    kinds: dict[str, Kind] = {}
    for name, parameter in parameters.items():
        if name not in hints:
            hint = f"write {name}: Context for the run itself, or the type of the payload's field, such as {name}: str"
            raise AppError(f"parameter {name!r} of {label} has no annotation", hint=hint)
        if hints[name] is Context:
            if context is not None:
                raise AppError(f"{label} takes the context twice", hint=f"remove {name}")
            context = name
        if parameter.kind not in (*_NAMED, inspect.Parameter.VAR_KEYWORD):
            hint = "arguments are given by name: remove `*` or `/` behind it"
            raise AppError(f"parameter {name!r} of {label} cannot be given by name", hint=hint)
        if name == context:
            continue
        try:
            kind = kind_of(hints[name])
        except AppError as error:
            raise AppError(f"parameter {name!r} of {label}: {error.message}", hint=error.hint) from None
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            others = kind
        else:
            kinds[name] = kind
    needed = tuple(name for name in kinds if parameters[name].default is inspect.Parameter.empty)
    return Arguments(label, context, kinds, needed, others)


def _hints(function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """The annotations of the parameters alone: the result's may name what only a type checker imports."""
    given = {name: each.annotation for name, each in parameters.items() if each.annotation is not each.empty}
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    try:
        return get_type_hints(SimpleNamespace(__annotations__=given), globalns=scope, include_extras=True)
    except NameError as error:
        hint = "import it at run time, not under TYPE_CHECKING, and define it at the module's top level"
        raise AppError(
            f"the annotations of {function.__name__} name {error.name!r}, which is unknown", hint=hint
        ) from None
