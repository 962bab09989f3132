"""Properties of a custom resource -> a job's document.

CloudFormation turns every number and boolean in a template into a text. Those of declared fields are turned back here; the API's forms
then check the document. What could have been two things is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

from minutehand.domain.declaration.field import Declared, is_declared
from minutehand.domain.errors import FieldProblem
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.forms.request import json_value
from minutehand.entrypoints.api.problems import BadRequest
from minutehand.targets import fields_by_type

OF_CLOUDFORMATION = ("ServiceToken", "ServiceTimeout")
"""Properties that CloudFormation itself reads."""
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_BOOLEANS = {"true": True, "false": False}
_NO_VALUE = "leave the property out; where a condition decides, with !Ref AWS::NoValue"
_AS_JSON = """write it as one text with JSON, such as '{"count": 3}', or '"nightly"' for a text"""


class _Wrong(ValueError):
    """A text that is not a value of its field's type."""

    def __init__(self, message: str, hint: str, path: str = "") -> None:
        super().__init__(message)
        self.message, self.hint, self.path = message, hint, path


class Converted:
    """A job's document from the properties of a resource.

    Attributes:
        document: the document; texts that could not be converted are in it unchanged.
        problems: what is wrong with those texts.
    """

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self.problems: list[FieldProblem] = []
        own = {name: value for name, value in properties.items() if name not in OF_CLOUDFORMATION}
        self.document: dict[str, Any] = self._object(own, JobDocument, "")

    def _object(self, value: Any, cls: Any, path: str) -> Any:
        if not isinstance(value, dict):
            return value
        fields = {each.name: each for each in flat(cls) if not each.field.read_only}
        found = {}
        for name, inner in value.items():
            where = f"{path}.{name}" if path else name
            if name in fields:
                found[name] = self._field(inner, fields[name], where)
            else:
                found[name] = inner
                if name == "true" and "on" in fields:
                    self.problems.append(
                        FieldProblem(where, "unknown field: YAML reads the key on as true", 'put it in quotes: "on": …')
                    )
        return found

    def _field(self, value: Any, each: Declared, path: str) -> Any:
        if each.field.tag:
            named = value.get(each.field.tag) if isinstance(value, dict) else None
            types = fields_by_type()
            return self._object(value, types[named], path) if named in list(types) else value
        if is_declared(each.type):
            return self._object(value, each.type, path)
        if get_origin(each.type) is tuple and is_declared(item := get_args(each.type)[0]) and isinstance(value, list):
            return [self._object(inner, item, f"{path}[{n}]") for n, inner in enumerate(value)]
        try:
            return _converted(value, each.type)
        except _Wrong as error:
            self.problems.append(FieldProblem(path + error.path, error.message, error.hint))
            return value


def _converted(value: Any, type_: Any) -> Any:
    """A value of a field with a type that has no fields. Raises _Wrong."""
    if type_ is Any:
        return _json(value)
    if type_ not in (bool, int, float) or not isinstance(value, str):
        return value
    if value == "":
        raise _Wrong("this is empty", _NO_VALUE)
    if type_ is bool:
        if value not in _BOOLEANS:
            raise _Wrong(f"{value!r:.60} is neither true nor false", "write true or false")
        return _BOOLEANS[value]
    if type_ is int:
        if not _WHOLE.fullmatch(value):
            raise _Wrong(f"{value!r:.60} is not a whole number", "write it in digits, such as 3")
        return int(value)
    if not _NUMBER.fullmatch(value) or len(value) > 40 or float(value) in (float("inf"), float("-inf")):
        raise _Wrong(f"{value!r:.60} is not a number", "write it in digits, such as 1.5")
    return float(value)


def _json(value: Any) -> Any:
    """Any JSON value: in a text with JSON, or in an object or list whose texts cannot have been numbers or booleans. Raises _Wrong."""
    if isinstance(value, str):
        try:
            return json_value(value)
        except BadRequest as error:
            [problem] = error.problems
            raise _Wrong(problem.message.replace("the body", "this text", 1), _AS_JSON) from None
    for path, text in _texts(value):
        if text in _BOOLEANS or _NUMBER.fullmatch(text):
            what = "a boolean" if text in _BOOLEANS else "a number"
            raise _Wrong(
                f"{text!r:.60} may have been {what} or a text in the template; CloudFormation passes both as a text",
                f"write the whole property as one text with JSON, such as '{{\"count\": {text:.20}}}'",
                path,
            )
    return value


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The texts in a JSON value, each with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{n}]")
