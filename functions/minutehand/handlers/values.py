"""Conversion of JSON values to annotated types, with errors that say what would be right."""

import json
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NewType, Union, get_args, get_origin, get_type_hints

from minutehand.handlers.errors import AppError, did_you_mean

_DURATION = re.compile(r"(?:[0-9]{1,9}[wdhms])+", re.ASCII)
_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_LONGEST_SHOWN = 60


class Wrong(Exception):
    """A value that does not fit its type; the message names the value's path, the value and what would be right."""


class Kind(NamedTuple):
    """A type of values.

    Attributes:
        convert: makes a value of the type from JSON; takes the value and its path, and raises Wrong.
        right: what a value of the type looks like, such as `a date such as "2026-11-20"`.
    """

    convert: Callable[[Any, str], Any]
    right: str


def kind_of(annotation: Any) -> Kind:
    """The kind of values that an annotation allows.

    Raises:
        AppError: for a type that JSON cannot express.
    """
    if annotation is Any or annotation is object:
        return Kind(lambda value, _: value, "any JSON value")
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, NewType):
        return kind_of(annotation.__supertype__)
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(inner[0])
    if origin is Literal:
        return _one_of({json.dumps(each): each for each in inner})
    if origin in (Union, types.UnionType):
        return _union([kind_of(each) for each in inner])
    if annotation in (list, tuple) or origin in (list, Sequence, tuple):
        return _listed(tuple if tuple in (annotation, origin) else list, inner)
    if annotation is dict or origin in (dict, Mapping):
        return _mapped(inner)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _one_of({json.dumps(each.value): each for each in annotation})
    if isinstance(annotation, type) and is_dataclass(annotation):
        return _Record(annotation).kind
    shown = getattr(annotation, "__name__", None) or str(annotation)
    raise AppError(
        f"the type {shown} cannot be read from JSON",
        hint="use str, int, float, bool, datetime, date, timedelta, Literal, an Enum, list, dict, Optional or a dataclass",
    )


def wrong(path: str, value: Any, right: str) -> Wrong:
    """The error for a value at a path."""
    shown = json.dumps(value, ensure_ascii=False, default=str)
    cut = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    return Wrong(f"{path} is {cut}; write {right}")


def _exactly(right: str, *allowed: type, but: tuple[type, ...] = (), make: Callable[[Any], Any] | None = None) -> Kind:
    def convert(value: Any, path: str) -> Any:
        if not isinstance(value, allowed) or isinstance(value, but):
            raise wrong(path, value, right)
        return value if make is None else make(value)

    return Kind(convert, right)


def _read(right: str, read: Callable[[str], Any]) -> Kind:
    """A kind that is written as text."""

    def convert(value: Any, path: str) -> Any:
        try:
            found = read(value) if isinstance(value, str) else None
        except (ValueError, OverflowError):
            found = None
        if found is None:
            raise wrong(path, value, right)
        return found

    return Kind(convert, right)


def _instant(text: str) -> datetime | None:
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo is not None else None


def _date(text: str) -> date | None:
    return date.fromisoformat(text) if len(text) == len("2026-11-20") else None


def _duration(text: str) -> timedelta | None:
    if not _DURATION.fullmatch(text):
        return None
    return timedelta(seconds=sum(int(number) * _SECONDS[unit] for number, unit in re.findall(r"(\d+)(\D)", text)))


_PLAIN: Mapping[Any, Kind] = {
    str: _exactly("text", str),
    int: _exactly("a whole number", int, but=(bool,)),
    float: _exactly("a number", int, float, but=(bool,), make=float),
    bool: _exactly("true or false", bool),
    None: _exactly("null", types.NoneType),
    types.NoneType: _exactly("null", types.NoneType),
    datetime: _read('an instant with its offset, such as "2026-11-20T02:00:00Z"', _instant),
    date: _read('a date such as "2026-11-20"', _date),
    timedelta: _read('a duration such as "90s" or "1h30m"', _duration),
}


def _one_of(choices: Mapping[str, Any]) -> Kind:
    right = " or ".join(choices)

    def convert(value: Any, path: str) -> Any:
        text = json.dumps(value, default=str)
        if text not in choices:
            raise wrong(path, value, right)
        return choices[text]

    return Kind(convert, right)


def _union(kinds: Sequence[Kind]) -> Kind:
    right = " or ".join(kind.right for kind in kinds)

    def convert(value: Any, path: str) -> Any:
        faults = []
        for kind in kinds:
            try:
                return kind.convert(value, path)
            except Wrong as fault:
                faults.append(fault)
        containers = [fault for fault in faults if not str(fault).startswith(f"{path} is ")]
        if len(containers) == 1:  # the value is of this kind, and one of its parts is wrong
            raise containers[0]
        raise wrong(path, value, right)

    return Kind(convert, right)


def _listed(make: type, inner: tuple[Any, ...]) -> Kind:
    if make is tuple and inner and inner[-1] is not Ellipsis:
        raise AppError("a tuple of several types cannot be read from JSON", hint="write tuple[str, ...] or a dataclass")
    each = kind_of(inner[0] if inner else Any)
    right = f"a list, each of it {each.right}" if inner else "a list"

    def convert(value: Any, path: str) -> Any:
        if not isinstance(value, list):
            raise wrong(path, value, right)
        return make(each.convert(one, f"{path}[{n}]") for n, one in enumerate(value))

    return Kind(convert, right)


def _mapped(inner: tuple[Any, ...]) -> Kind:
    if inner and inner[0] not in (str, Any):
        raise AppError("a dictionary in JSON has text as keys", hint="write dict[str, …]")
    each = kind_of(inner[1] if inner else Any)
    right = f"an object, each value {each.right}" if inner else "an object"

    def convert(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise wrong(path, value, right)
        return {key: each.convert(one, f"{path}.{key}") for key, one in value.items()}

    return Kind(convert, right)


class _Record:
    """A dataclass, made of an object with its fields. Its fields are resolved at the first value, since it may hold itself."""

    def __init__(self, made: type[Any]) -> None:
        self._made = made
        self._kinds: dict[str, Kind] = {}
        self._needed: set[str] = set()
        self.kind = Kind(self.convert, f"an object with the fields of {made.__name__}")

    def convert(self, value: Any, path: str) -> Any:
        if not self._kinds:
            self._resolve()
        if not isinstance(value, dict):
            raise wrong(path, value, self.kind.right)
        for name in value:
            if name not in self._kinds:
                known = did_you_mean(name, self._kinds) or f"it has {', '.join(self._kinds)}"
                raise Wrong(f"{path} has a field {name!r}, which {self._made.__name__} lacks; {known.strip()}")
        missing = self._needed - value.keys()
        if missing:
            raise Wrong(f"{path} lacks the field {min(missing)!r}; write {self._kinds[min(missing)].right}")
        return self._made(**{name: self._kinds[name].convert(one, f"{path}.{name}") for name, one in value.items()})

    def _resolve(self) -> None:
        hints = get_type_hints(self._made)
        given = [each for each in fields(self._made) if each.init]
        self._needed = {each.name for each in given if each.default is MISSING and each.default_factory is MISSING}
        self._kinds = {each.name: kind_of(hints[each.name]) for each in given}
